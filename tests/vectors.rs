//! Golden data: what the real Pi and the providers do, case by case, through the public API.
//!
//! Reads `vectors/{pi,schema}/*.json`, or the same folders below `PI_TOOLS_VECTORS` (relative to the workspace). A case that `disputed.json` lists
//! with its proof is skipped, and printed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pi_tools::schema::{Parameters, string_enum};
use pi_tools::schemars::Schema;
use pi_tools_tests::workspace;
use serde_json::Value;

/// What reads the cases of a file: `Err` tells how a case differs.
type Reader = fn(&Value) -> Result<(), String>;

const READERS: &[(&str, Reader)] = &[("pi/string_enum.json", string_enum_case), ("schema/cases.json", schema_case)];

/// Every JSON Schema, and what it is in a dialect. `json_schema` is the portable form.
fn schema_case(case: &Value) -> Result<(), String> {
    let schema = Schema::try_from(case["input"].clone()).map_err(|error| error.to_string())?;
    match (Parameters::normalise(schema), case.get("error").filter(|error| !error.is_null())) {
        (Ok(parameters), None) if parameters.schema() == &case["expect"] => Ok(()),
        (Ok(parameters), None) => equal(&parameters.schema().to_string(), &case["expect"].to_string()),
        (Ok(parameters), Some(error)) => equal(&parameters.schema().to_string(), &error.to_string()),
        (Err(error), None) => equal(&error.to_string(), &case["expect"].to_string()),
        (Err(error), Some(expected)) => {
            equal(&snake(&format!("{:?}", error.reason())), expected["reason"].as_str().unwrap())
        }
    }
}

/// `RootUnion` as the cases write it.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

fn string_enum_case(case: &Value) -> Result<(), String> {
    let values: Vec<&str> = case["values"].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect();
    let option = |name: &str| case["options"][name].as_str().unwrap_or_default();
    let schema = string_enum(&values, option("description"), option("default"));
    equal(&serde_json::to_string(&schema).unwrap(), case["json"].as_str().unwrap())
}

fn equal(got: &str, expected: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("expected {expected}\n     got {got}")) }
}

#[test]
fn every_case() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let folder = std::env::var_os("PI_TOOLS_VECTORS").map_or_else(|| own.clone(), |folder| workspace().join(folder));
    let disputed: Vec<Value> = read(&own.join("disputed.json"));
    let mut notices = Vec::new();
    let mut failures = Vec::new();
    let (mut passed, mut unread) = (0, 0);
    for (file, path) in files(&folder) {
        let Some((_, reader)) = READERS.iter().find(|(name, _)| file == *name) else {
            notices.push(format!("{file}: nothing reads this file yet"));
            continue;
        };
        let content: Value = read(&path);
        let cases = content.get("cases").unwrap_or(&content).as_array().unwrap_or_else(|| panic!("{file}: no cases"));
        assert!(!cases.is_empty(), "{file}: no cases");
        for case in cases {
            if case["dialect"].as_str().is_some_and(|dialect| dialect != "json_schema") {
                unread += 1;
                continue;
            }
            let name = case["name"].as_str().or(case["id"].as_str()).unwrap_or_default();
            if let Some(dispute) = disputed.iter().find(|it| it["file"] == file.as_str() && it["case"] == name) {
                notices.push(format!("{file}: {name}: disputed: {}", dispute["proof"]));
                continue;
            }
            match reader(case) {
                Ok(()) => passed += 1,
                Err(difference) => failures.push(format!("{file}: {name}:\n{difference}")),
            }
        }
    }
    // Past the test runner, which hides what a passing test prints.
    let mut stderr = std::io::stderr().lock();
    for notice in notices {
        writeln!(stderr, "{notice}").unwrap();
    }
    writeln!(stderr, "vectors: {passed} cases passed, {unread} of dialects that do not exist yet").unwrap();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    assert!(passed > 0, "no cases in {}", folder.display());
}

/// The files, by names like `pi/string_enum.json`. `pi/vectors/` is read like `pi/`.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    for kind in ["pi", "schema"] {
        for folder in [folder.join(kind), folder.join(kind).join("vectors")] {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.extension().is_some_and(|extension| extension == "json") {
                    files.insert(format!("{kind}/{}", path.file_name().unwrap().to_str().unwrap()), path);
                }
            }
        }
    }
    files
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
