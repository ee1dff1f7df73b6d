//! The protocol's own conformance suite, with the bundle of its tools. What it may find is in `conformance.json`, with the
//! reason: anything else is a fault, and so is what it finds no more.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pi_tools_tests::mcp::{Http, node_program, run};
use serde_json::Value;

use super::FIXTURE;

#[test]
fn revision_2025_11_25() {
    check("2025-11-25");
}

#[test]
fn revision_2026_07_28() {
    check("2026-07-28");
}

fn check(revision: &str) {
    let Some(mut suite) = node_program("conformance") else { return };
    let results = tempfile::tempdir().unwrap();
    // The suite has no token.
    let server = Http::start(FIXTURE, "");
    suite.args(["server", "--suite", "all", "--url", &server.url, "--spec-version", revision]);
    // Its exit status tells whether it has found anything, which it has.
    let ended = run(suite.arg("--output-dir").arg(results.path()));
    let (scenarios, mut found) = read(results.path());

    let expected: Value = serde_json::from_str(include_str!("../mcp/conformance.json")).unwrap();
    let expected = &expected[revision];
    let mut faults = Vec::new();
    for check in expected["expected"].as_object().unwrap().values().flat_map(|checks| checks.as_array().unwrap()) {
        let check = check.as_str().unwrap();
        if found.remove(check).is_none() {
            faults.push(format!("{check}: expected to be found, and was not: remove it from conformance.json"));
        }
    }
    faults.extend(found.iter().map(|(check, problem)| format!("{check}: {problem}")));
    if expected["scenarios"] != scenarios {
        faults.push(format!("expected {} scenarios, got {scenarios}", expected["scenarios"]));
    }
    assert!(
        faults.is_empty(),
        "conformance suite, {revision}:\n{}\n--- it said\n{}{}",
        faults.join("\n"),
        ended.stdout,
        ended.stderr
    );
}

/// How many scenarios there were, and what was found: by scenario and check.
fn read(results: &Path) -> (usize, BTreeMap<String, String>) {
    let mut scenarios = 0;
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(results).unwrap().map(|entry| entry.unwrap()) {
        scenarios += 1;
        let name = folder.file_name().into_string().unwrap();
        // `server-`, the scenario, `-2026-01-31T12-00-00-000Z`.
        let scenario = name.strip_prefix("server-").unwrap();
        let scenario = &scenario[..scenario.len() - 25];
        let checks = fs::read_to_string(folder.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_str(&checks).unwrap();
        for check in checks.iter().filter(|check| check["status"] == "FAILURE" || check["status"] == "WARNING") {
            let id = check["id"].as_str().unwrap();
            found.insert(format!("{scenario}/{id}"), check["errorMessage"].to_string());
        }
    }
    (scenarios, found)
}
