//! The Inspector of the protocol, on the command line. With `--strict` it fails for a schema that some client does not take.

use std::process::Command;

use pi_tools_tests::mcp::{Ended, Http, node_program, run};
use serde_json::Value;

use super::{FIXTURE, LAB, OUTSIDE};

/// What it says of one request: the result, or what is wrong.
fn inspect(era: &str, target: &[&str], request: &[&str]) -> Option<Ended> {
    let mut inspector = node_program("inspector")?;
    let home = tempfile::tempdir().unwrap();
    inspector.env("HOME", home.path()).args(["--cli", "--protocol-era", era, "--format", "json", "-q"]);
    Some(run(inspector.args(request).args(target)))
}

fn result(ended: &Ended, what: &str) -> Value {
    assert!(ended.status.is_some_and(|status| status.success()), "{what}: {ended:?}");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{what}: {error}: {ended:?}"))
}

/// The tools that there are, over standard input and output, with nothing to say of their schemas but what is meant.
#[test]
fn schemas() {
    // A result that may be null, and arguments that may be anything: those of calls that tools make.
    let bundles = [
        (LAB, vec!["outputSchema.properties.title"]),
        (OUTSIDE, vec!["inputSchema.properties.arguments"; 3]),
        (FIXTURE, vec![]),
    ];
    for era in ["legacy", "modern", "auto"] {
        for (bundle, meant) in &bundles {
            let Some(ended) = inspect(era, &[bundle, "mcp"], &["--strict", "--method", "tools/list"]) else { return };
            let listed = &result(&ended, &format!("{era}, {bundle}"))["result"]["tools"];
            let manifest = Command::new(bundle).arg("manifest").output().unwrap();
            let manifest: Value = serde_json::from_slice(&manifest.stdout).unwrap();
            assert_eq!(names(listed), names(&manifest["tools"]), "{era}, {bundle}");
            let warned: Vec<&str> =
                ended.stderr.lines().filter_map(|line| line.trim().strip_prefix("Path:")).map(str::trim).collect();
            assert_eq!(warned, *meant, "{era}, {bundle}: {}", ended.stderr);
        }
    }
}

fn names(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().unwrap().iter();
    let mut names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

/// A call, and one that fails, over HTTP.
#[test]
fn calls() {
    let server = Http::start(LAB, "s3cret");
    let target = ["--transport", "http", "--server-url", &server.url, "--header", "Authorization: Bearer s3cret"];
    for era in ["legacy", "modern", "auto"] {
        let greeting = ["--method", "tools/call", "--tool-name", "greeting", "--tool-arg", "name=Ada"];
        let Some(ended) = inspect(era, &target, &greeting) else { return };
        let answered = result(&ended, era);
        assert_eq!(answered["result"]["content"][0]["text"], "Good morning, Ada!", "{era}: {answered}");

        let failure = ["--method", "tools/call", "--tool-name", "soft_failure"];
        let Some(ended) = inspect(era, &target, &failure) else { return };
        assert!(ended.status.is_some_and(|status| !status.success()), "{era}: {ended:?}");
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("tool_is_error") && said.contains("it did not work"), "{era}: {ended:?}");
    }
}
