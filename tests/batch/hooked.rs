//! Batches with hooks.

use std::sync::{Arc, Mutex};

use pi_tools::prelude::*;
use pi_tools::{Batch, Decision, Hook, ToolRef};
use serde_json::{Value, json};

use crate::{run, texts, toolbox};

/// Does to every call what its name says, and writes it down.
#[derive(Clone)]
struct Named(&'static str, Arc<Mutex<Vec<String>>>);

impl Named {
    fn log(&self, what: &str) {
        self.1.lock().unwrap().push(format!("{} {what}", self.0));
    }
}

impl Hook for Named {
    async fn before(&self, _: ToolRef<'_>, arguments: &mut Value, _: &ToolContext) -> Result<Decision, ToolError> {
        self.log(&arguments.to_string());
        match self.0 {
            "panic" => panic!("on purpose"),
            "fail" => Err(ToolError::new("not today")),
            "block" => Ok(Decision::block("not here")),
            "shorten" => {
                arguments["ms"] = 1.into();
                Ok(Decision::Run)
            }
            "spoil" => {
                *arguments = json!({ "ms": "soon" });
                Ok(Decision::Run)
            }
            _ => Ok(Decision::Run),
        }
    }

    async fn after(
        &self,
        _: ToolRef<'_>,
        arguments: &Value,
        output: ToolOutput,
        _: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        self.log(&format!("{arguments} {}", output.to_text()));
        match self.0 {
            "panic after" => panic!("on purpose"),
            "refuse" => Ok(output.with_is_error(true)),
            "excuse" => Ok(output.with_is_error(false).with_details(json!({ "excused": true }))),
            _ => Ok(output),
        }
    }
}

/// What one call of `wait` says, whether it failed, whether it ran, and what the hooks wrote down.
async fn hooked(names: &[&'static str]) -> (String, bool, bool, Vec<String>) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let batch = names.iter().fold(Batch::new(), |batch, name| batch.hook(Named(name, Arc::clone(&log))));
    let (output, _) = run(&batch, &toolbox(), &[("wait", json!({ "ms": "2" }))], &ToolContext::new()).await;
    let result = &output.results[0];
    let log = log.lock().unwrap().clone();
    (result.output.to_text(), result.output.is_error(), result.duration.is_some(), log)
}

#[tokio::test]
async fn each_sees_what_the_one_before_it_left() {
    let (text, is_error, ran, log) = hooked(&["shorten", "look"]).await;
    assert_eq!((&*text, is_error, ran), ("waited 1 ms", false, true));
    assert_eq!(
        log,
        [
            // As the tool gets it, not as the model wrote it.
            r#"shorten {"ms":2}"#,
            r#"look {"ms":1}"#,
            r#"shorten {"ms":1} waited 1 ms"#,
            r#"look {"ms":1} waited 1 ms"#,
        ]
    );
}

#[tokio::test]
async fn the_first_that_objects_is_the_last_that_is_asked() {
    let ended = |text: &str, log: &str| (text.to_owned(), true, false, vec![log.to_owned()]);
    assert_eq!(hooked(&["block", "look"]).await, ended("not here", r#"block {"ms":2}"#));
    assert_eq!(hooked(&["fail", "look"]).await, ended("not today", r#"fail {"ms":2}"#));
    let panicked = "Tool \"wait\" failed: a hook of the application panicked. This is no fault of the call";
    assert_eq!(hooked(&["panic", "look"]).await, ended(panicked, r#"panic {"ms":2}"#));
}

#[tokio::test]
async fn what_a_hook_spoils_fails_when_it_runs() {
    let (text, is_error, ran, log) = hooked(&["spoil"]).await;
    assert!(text.starts_with("Validation failed for tool \"wait\":\n  - ms: "), "{text}");
    assert_eq!((is_error, ran, log.len()), (true, true, 2));
}

#[tokio::test]
async fn a_panic_afterwards_is_the_result_that_later_hooks_see() {
    let (text, is_error, ran, log) = hooked(&["panic after", "look"]).await;
    assert!(text.contains("a hook of the application panicked"), "{text}");
    assert_eq!((is_error, ran), (true, true));
    assert!(log[3].ends_with(&text), "{log:?}");
    let (_, is_error, ..) = hooked(&["panic after", "excuse"]).await;
    assert!(!is_error);
}

#[tokio::test]
async fn what_cannot_run_reaches_no_hook() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let batch = Batch::new().hook(Named("look", Arc::clone(&log)));
    let calls = [("lost", json!({})), ("wait", json!({})), ("wait", json!({ "ms": 1 }))];
    let (output, told) = run(&batch, &toolbox(), &calls, &ToolContext::new()).await;
    assert_eq!(told[..5], ["0 start", "0 end", "1 start", "1 end", "2 start"]);
    assert_eq!(texts(&output)[2], "waited 1 ms");
    assert_eq!(log.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn state_changes_only_with_what_the_last_hook_lets_pass() {
    let cx = ToolContext::new();
    let calls = [("add", json!({ "number": 1 })), ("add", json!({ "number": 0 }))];
    for (name, are_errors, sum) in [
        ("refuse", [true, true], 0),
        ("panic after", [true, true], 0),
        // The tool has failed, whatever is made of it.
        ("excuse", [false, false], 1),
    ] {
        let batch = Batch::new().hook(Named(name, Arc::default()));
        let (output, _) = run(&batch, &toolbox(), &calls, &cx).await;
        let failed: Vec<bool> = output.results.iter().map(|result| result.output.is_error()).collect();
        assert_eq!(failed, are_errors, "{name}");
        let (output, _) = run(&Batch::new(), &toolbox(), &[("add", json!({ "number": 5 }))], &cx).await;
        assert_eq!(texts(&output), [(sum + 5).to_string()], "{name}");
        cx.session().replace(serde_json::Map::new());
    }
}
