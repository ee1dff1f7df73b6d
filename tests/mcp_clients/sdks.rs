//! The SDKs, in each era of the protocol, over each transport: a script for each does the steps of `steps.mjs` or
//! `steps.py`, and tells what it saw. What that has to be is said here.

use pi_tools_tests::mcp::{Ended, Http, Server, run, script};
use serde_json::{Value, json};

use super::{LAB, OUTSIDE};

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

macro_rules! clients {
    ($($name:ident: $script:literal, $era:literal, $transport:ident, $revision:expr;)*) => {
        $(
            #[test]
            fn $name() {
                Client { script: $script, era: $era, transport: Transport::$transport, revision: $revision }.check();
            }
        )*
    };
}

clients! {
    typescript_v1_stdio: "sdk-v1.mjs", "legacy", Stdio, LEGACY;
    typescript_v1_http: "sdk-v1.mjs", "legacy", Http, LEGACY;
    typescript_v2_legacy_stdio: "client-v2.mjs", "legacy", Stdio, LEGACY;
    typescript_v2_legacy_http: "client-v2.mjs", "legacy", Http, LEGACY;
    typescript_v2_auto_stdio: "client-v2.mjs", "auto", Stdio, MODERN;
    typescript_v2_auto_http: "client-v2.mjs", "auto", Http, MODERN;
    python_v1_stdio: "sdk_v1.py", "legacy", Stdio, LEGACY;
    python_v1_http: "sdk_v1.py", "legacy", Http, LEGACY;
    python_v2_legacy_stdio: "sdk_v2.py", "legacy", Stdio, LEGACY;
    python_v2_legacy_http: "sdk_v2.py", "legacy", Http, LEGACY;
    python_v2_auto_stdio: "sdk_v2.py", "auto", Stdio, MODERN;
    python_v2_auto_http: "sdk_v2.py", "auto", Http, MODERN;
    fastmcp_legacy_stdio: "fastmcp_v4.py", "legacy", Stdio, LEGACY;
    fastmcp_legacy_http: "fastmcp_v4.py", "legacy", Http, LEGACY;
    fastmcp_auto_stdio: "fastmcp_v4.py", "auto", Stdio, MODERN;
    fastmcp_auto_http: "fastmcp_v4.py", "auto", Http, MODERN;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Transport {
    Stdio,
    Http,
}

impl Transport {
    fn server(self, bundle: &str) -> Server {
        match self {
            Self::Stdio => Server::Stdio(bundle.into()),
            Self::Http => Server::Http(Http::start(bundle, "s3cret")),
        }
    }
}

#[derive(Debug)]
struct Client {
    script: &'static str,
    era: &'static str,
    transport: Transport,
    /// What it agrees on with the server.
    revision: &'static str,
}

impl Client {
    fn check(&self) {
        let Some(mut command) = script(self.script) else { return };
        let (lab, outside) = (self.transport.server(LAB), self.transport.server(OUTSIDE));
        let folder = tempfile::tempdir().unwrap();
        let told = json!({ "lab": lab.told(), "outside": outside.told(), "era": self.era, "folder": folder.path() });
        let ended = run(command.arg(told.to_string()).current_dir(folder.path()));
        let mut seen = Seen::new(&ended);
        self.expect(&mut seen);
        if !ended.status.is_some_and(|status| status.success()) {
            seen.faults.push(format!("ended with {:?}", ended.status));
        }
        // The end of a session was not what the client takes for one.
        if ended.stderr.contains("termination failed") {
            seen.faults.push("step `close`: the client complains".to_owned());
        }
        assert!(
            seen.faults.is_empty(),
            "{} ({}, {:?}):\n{}\n--- its stderr\n{}",
            self.script,
            self.era,
            self.transport,
            seen.faults.join("\n"),
            ended.stderr
        );
    }

    fn expect(&self, seen: &mut Seen) {
        seen.step("revision", self.revision, |saw| saw["result"] == self.revision);
        seen.step("list", "the tools of lab", |saw| is_lab(&saw["result"]));
        seen.step("call", "Good morning, Ada!", |saw| is_success(&saw["result"], "Good morning, Ada!"));
        seen.step("structured", "a text, an image, and the data of a chart", |saw| {
            let result = &saw["result"];
            let chart = json!({ "points": [1], "title": null });
            is_success(result, "one point")
                && result["structuredContent"] == chart
                && result["content"]
                    .as_array()
                    .is_some_and(|content| content.iter().any(|block| block["type"] == "image"))
                && (self.script != "fastmcp_v4.py" || result["data"] == chart)
        });
        seen.step("refused", "an error that names both arguments", |saw| {
            is_error(&saw["result"], &["name: missing", "nane: unknown field"])
        });
        seen.step("unknown", "error -32602 that names the tool", |saw| {
            let thrown = &saw["thrown"];
            thrown["code"] == -32602 && contains(&thrown["message"], "greetign")
        });
        seen.step("error", "the error that it is", |saw| is_error(&saw["result"], &["it did not work"]));
        seen.step("panic", "an error without the payload", |saw| {
            is_error(&saw["result"], &["panicked"]) && !saw.to_string().contains("hunter2")
        });
        seen.step("progress", "growing numbers, each with what is there so far, and the output", |saw| {
            let told = saw["result"]["told"].as_array().map_or(&[][..], Vec::as_slice);
            let numbers: Vec<f64> = told.iter().filter_map(|update| update["progress"].as_f64()).collect();
            // A client may lose the last, which comes together with the result.
            numbers.len() == told.len()
                && numbers.len() >= 2
                && numbers.is_sorted_by(|one, next| one < next)
                && told.iter().all(|update| contains(&update["message"], "1"))
                && is_success(&saw["result"]["result"], "1\n2\n3")
        });
        seen.step("cancel", "no result, and no process", was_ended);
        seen.step("timeout", "no result, and no process", was_ended);
        seen.step("parallel", "four results", |saw| {
            let results = saw["result"].as_array().map_or(&[][..], Vec::as_slice);
            results.len() == 4
                && results.iter().zip(["a", "b", "c", "d"]).all(|(result, name)| is_success(result, name))
        });
        Self::expect_questions(seen);
        match self.transport {
            Transport::Stdio => {
                // Clients help after two seconds.
                let at_once = |saw: &Value| {
                    saw["result"]["gone"] == true
                        && saw["result"]["milliseconds"].as_f64().is_some_and(|time| time < 1900.0)
                };
                seen.step("close", "the process is gone by itself", at_once);
                seen.step("close while a call runs", "the process is gone by itself", at_once);
            }
            Transport::Http => {
                // Of the status, some clients tell nothing, and those in Python nothing of the text.
                let told = |saw: &Value| {
                    let thrown = saw["thrown"].to_string();
                    ["401", "Send the server's token", "Server returned an error response"]
                        .iter()
                        .any(|part| thrown.contains(part))
                };
                seen.step("no token", "a refusal, 401", told);
            }
        }
    }

    fn expect_questions(seen: &mut Seen) {
        let forms = [
            ("confirm", "Go on?\n\nThere are 12 files.", "boolean", "true"),
            ("select", "Which colour?", "string", "\"green\""),
            ("input", "Your name?", "string", "null"),
            ("editor", "The message", "string", "null"),
        ];
        for (step, message, kind, text) in forms {
            seen.step(step, &format!("a question for a {kind}, and {text}"), |saw| {
                asked(saw, message, kind) && is_success(&saw["result"]["result"], text)
            });
        }
        seen.step("allowed", "a question, and \"removed a\"", |saw| {
            asked(saw, "Remove a?", "boolean") && is_success(&saw["result"]["result"], "removed a")
        });
        seen.step("forbidden", "a question, and an error with it", |saw| {
            asked(saw, "Remove a?", "boolean") && is_error(&saw["result"]["result"], &["Remove a?"])
        });
        seen.step("cannot ask", "no answer", |saw| is_success(&saw["result"], "null"));
        seen.step("not allowed", "an error", |saw| is_error(&saw["result"], &["Remove a?"]));
    }
}

/// What a script has seen, and what is wrong with it.
struct Seen {
    steps: Vec<Value>,
    faults: Vec<String>,
}

impl Seen {
    fn new(ended: &Ended) -> Self {
        let mut seen = Self { steps: Vec::new(), faults: Vec::new() };
        for line in ended.stdout.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(saw) if saw["step"].is_string() => seen.steps.push(saw),
                _ => seen.faults.push(format!("told what is no step: {line}")),
            }
        }
        seen
    }

    fn step(&mut self, name: &str, wanted: &str, holds: impl Fn(&Value) -> bool) {
        let got = match self.steps.iter().find(|saw| saw["step"] == name) {
            Some(saw) if holds(saw) => return,
            Some(saw) => saw.to_string(),
            None => format!("nothing after {}", self.steps.last().unwrap_or(&Value::Null)["step"]),
        };
        self.faults.push(format!("step `{name}`: expected {wanted}, got {got}"));
    }
}

fn is_lab(tools: &Value) -> bool {
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap_or(&Value::Null);
    let (erase, chart) = (tool("erase"), tool("chart"));
    names.is_sorted()
        && names.len() > 20
        && erase["title"] == "Erase"
        && erase["description"] == "Pretend to erase files, once the user agrees."
        && erase["annotations"]["destructiveHint"] == true
        && erase["inputSchema"]["required"] == json!(["paths"])
        && chart["outputSchema"]["properties"]["points"]["type"] == "array"
}

fn text(result: &Value) -> String {
    let content = result["content"].as_array().map_or(&[][..], Vec::as_slice);
    content.iter().filter_map(|block| block["text"].as_str()).collect()
}

/// Texts end as the output of a command does.
fn is_success(result: &Value, wanted: &str) -> bool {
    result["isError"] != true && text(result).trim_end() == wanted
}

fn is_error(result: &Value, parts: &[&str]) -> bool {
    result["isError"] == true && parts.iter().all(|part| text(result).contains(part))
}

fn contains(value: &Value, part: &str) -> bool {
    value.as_str().is_some_and(|value| value.contains(part))
}

fn was_ended(saw: &Value) -> bool {
    saw["result"]["gone"] == true && saw["result"]["message"].is_string()
}

fn asked(saw: &Value, message: &str, kind: &str) -> bool {
    let [question] = saw["result"]["questions"].as_array().map_or(&[][..], Vec::as_slice) else { return false };
    let fields = question["requestedSchema"]["properties"].as_object();
    question["message"] == message
        && fields.is_some_and(|fields| fields.len() == 1 && fields.values().all(|field| field["type"] == kind))
}
