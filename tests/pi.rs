//! The real Pi, with a scripted model, offline.

#[path = "pi/bundles.rs"]
mod bundles;
#[path = "pi/commands.rs"]
mod commands;
#[path = "pi/context.rs"]
mod context;
#[path = "pi/definitions.rs"]
mod definitions;
#[path = "pi/examples.rs"]
mod examples;
#[path = "pi/forms.rs"]
mod forms;
#[path = "pi/lifecycle.rs"]
mod lifecycle;
#[path = "pi/locks.rs"]
mod locks;
#[path = "pi/media.rs"]
mod media;
#[path = "pi/nested.rs"]
mod nested;
#[path = "pi/overrides.rs"]
mod overrides;
#[path = "pi/renderers.rs"]
mod renderers;
#[cfg(target_os = "linux")]
#[path = "pi/terminal.rs"]
mod terminal;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, ToolResult, notifications, tool_results};
use pi_tools_tests::{example, provider, target_folder, workspace};
use serde_json::{Value, json};

/// The bundle of tools that misbehave.
const LAB: &str = env!("CARGO_BIN_EXE_lab");

/// One step of the model: these calls, in one message.
fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({ "name": name, "arguments": arguments })).collect();
    json!({ "calls": calls })
}

/// Lets the model call one tool.
fn call(pi: &mut Pi, name: &str, arguments: Value) -> ToolResult {
    let events = pi.prompt("go", json!([calls(&[(name, arguments)])]));
    let mut results = tool_results(&events);
    assert_eq!(results.len(), 1, "{results:?} {}", Value::from(events.clone()));
    results.remove(0)
}

fn ok(text: &str, details: Value) -> impl Fn(&ToolResult) -> bool {
    move |result| (result.text.as_str(), result.is_error, &result.details) == (text, false, &details)
}

macro_rules! assert_result {
    ($result:expr, $text:expr, $details:tt) => {
        let result = $result;
        assert!(ok($text, json!($details))(&result), "{result:?}");
    };
}

#[test]
fn greet() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(example("greet")).start();
    let result = call(&mut pi, "greet", json!({ "name": "Ada" }));
    assert_eq!((result.text.as_str(), result.is_error), ("Hello, Ada!", false));
    // Pi's own check of the arguments, against our schema.
    let result = call(&mut pi, "greet", json!({ "nane": "Ada" }));
    let expected = "Validation failed for tool \"greet\":\n  - name: missing\n  - nane: unknown field\n\nReceived arguments:\n{\n  \"nane\": \"Ada\"\n}";
    assert_eq!((result.text.as_str(), result.is_error), (expected, true));
    assert!(pi.quit().success());
}

/// The tutorial's session, from end to end.
#[test]
fn todo() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let mut pi = Pi::options().bundle(example("todo")).session(&session).start();

    let events = pi.prompt("go", json!([calls(&[("todo", json!({ "action": "add", "text": "tea" }))])]));
    assert_result!(tool_results(&events).remove(0), "Added: tea (1 in all)", { "todos": ["tea"] });
    assert_eq!(notifications(&events), [("info", "To-do added: tea")]);
    let updates: Vec<&Value> = events.iter().filter(|event| event["type"] == "tool_execution_update").collect();
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0]["partialResult"]["content"][0]["text"], "working: add");
    let first_add = pi.entries().last().unwrap()["id"].as_str().unwrap().to_owned();

    // What the model was told.
    let request = &pi.recorded()[0];
    let prompt = request["systemPrompt"].as_str().unwrap();
    let section = |name: &str| {
        let (_, rest) = prompt.split_once(&format!("<{name}>\n")).unwrap();
        rest.split_once(&format!("\n</{name}>")).unwrap().0
    };
    assert!(section("tools").lines().any(|line| line == "- todo: Manage project to-dos: list, add, done"), "{prompt}");
    assert!(
        section("rules").lines().any(|line| line == "- Use todo to plan work; do not edit to-do files directly"),
        "{prompt}"
    );
    let tool = request["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "todo").unwrap();
    assert_eq!(tool["description"], "Manage the project's to-do list.");
    assert_eq!(
        tool["parameters"]["properties"]["action"],
        json!({
            "type": "string",
            "enum": ["list", "add", "done"],
            "description": "What to do.\nlist: Show every item.\nadd: Append one item.\ndone: Tick one item off.",
        })
    );

    // The old name of the argument, alone and beside the new one.
    let old = json!({ "oldAction": "add", "text": "milk" });
    assert_result!(call(&mut pi, "todo", old), "Added: milk (2 in all)", { "todos": ["tea", "milk"] });
    let both = json!({ "oldAction": "add", "action": "done", "text": "tea" });
    assert_result!(call(&mut pi, "todo", both), "Done: tea (1 left)", { "todos": ["milk"] });

    // Failed calls, of the tool and of Pi, lose nothing.
    let result = call(&mut pi, "todo", json!({ "action": "add" }));
    assert_eq!((result.text.as_str(), result.is_error), ("text: required when action is \"add\"", true));
    let result = call(&mut pi, "todo", json!({ "action": "forget" }));
    assert!(result.is_error && result.text.contains("expected one of [\"list\",\"add\",\"done\"]"), "{result:?}");
    assert_result!(call(&mut pi, "todo", json!({ "action": "list" })), "1. milk", { "todos": ["milk"] });
    assert!(pi.quit().success());

    // Another process resumes the session.
    let mut pi = Pi::options().bundle(example("todo")).session(&session).start();
    assert_result!(call(&mut pi, "todo", json!({ "action": "list" })), "1. milk", { "todos": ["milk"] });

    // The bundle is killed in the middle of a call. It is stopped first, so that the call cannot be over before.
    let [bundle] = pi.bundle_pids()[..] else { panic!("one bundle runs") };
    signal(bundle, "STOP");
    pi.start_prompt("go", json!([calls(&[("todo", json!({ "action": "add", "text": "lost" }))])]));
    pi.wait_event(|event| event["type"] == "tool_execution_start");
    sleep(Duration::from_millis(100));
    pi::kill(bundle);
    let result = tool_results(&pi.wait_settled()).remove(0);
    assert!(result.is_error && result.text.contains("todo") && result.text.contains("SIGKILL"), "{result:?}");
    assert_result!(call(&mut pi, "todo", json!({ "action": "list" })), "1. milk", { "todos": ["milk"] });
    let text = "after the crash";
    let add = json!({ "action": "add", "text": text });
    assert_result!(call(&mut pi, "todo", add), "Added: after the crash (2 in all)", { "todos": ["milk", text] });

    // Back in the tree, the list is as it was there.
    pi.command(&format!("/goto {first_add}"));
    assert_result!(call(&mut pi, "todo", json!({ "action": "list" })), "1. tea", { "todos": ["tea"] });
    assert!(pi.quit().success());
}

/// Calls of one message that share state run one after another, in their order.
#[test]
fn a_batch() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(example("todo")).start();
    let add = |text: &str| ("todo", json!({ "action": "add", "text": text }));
    let events =
        pi.prompt("go", json!([calls(&[add("a"), add("b"), add("c"), ("todo", json!({ "action": "list" }))])]));
    let results = tool_results(&events);
    assert_eq!(results[3].text, "1. a\n2. b\n3. c");
    assert_eq!(results[1].details, json!({ "todos": ["a", "b"] }));
}

/// A call on the command line, in a session.
fn call_in(session: &Path, bundle: impl AsRef<Path>, tool: &str, arguments: &Value) -> String {
    let mut command = Command::new(bundle.as_ref());
    let output = command.args(["call", tool, &arguments.to_string(), "--session"]).arg(session).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The command line and Pi take turns on one file.
#[test]
fn a_session_goes_on_in_pi_and_comes_back() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let todo = example("todo");
    let add = |text: &str| json!({ "action": "add", "text": text });
    assert_eq!(call_in(&session, &todo, "todo", &add("tea")), "Added: tea (1 in all)\n");
    assert_eq!(call_in(&session, &todo, "todo", &add("milk")), "Added: milk (2 in all)\n");
    call_in(&session, LAB, "remember", &json!({ "what": "sugar" }));
    let written = std::fs::read_to_string(&session).unwrap();

    let mut pi = Pi::options().bundle(&todo).session(&session).start();
    let entries = pi.entries();
    assert_eq!(entries, pi::read_json_lines(&session)[1..]);
    assert!(entries.iter().any(|entry| entry["customType"] == "lab" && entry["data"] == "sugar"));
    let list = json!({ "action": "list" });
    assert_result!(call(&mut pi, "todo", list.clone()), "1. tea\n2. milk", { "todos": ["tea", "milk"] });
    // What the model sees of the calls.
    let messages = &pi.recorded()[0]["messages"];
    let roles = messages.as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap());
    let roles: Vec<&str> = roles.filter(|role| *role != "system").collect();
    assert_eq!(roles, [&["user", "assistant", "toolResult"].repeat(3)[..], &["user"]].concat());
    assert_result!(call(&mut pi, "todo", add("bread")), "Added: bread (3 in all)", { "todos": ["tea", "milk", "bread"] });
    assert!(pi.quit().success());
    // Pi has read the file as it was.
    assert!(std::fs::read_to_string(&session).unwrap().starts_with(&written));

    assert_eq!(call_in(&session, &todo, "todo", &list.clone()), "1. tea\n2. milk\n3. bread\n");
    call_in(&session, &todo, "todo", &json!({ "action": "done", "text": "tea" }));

    // Pi goes back before all that, and on from there; the command line follows.
    let first = entries[2]["id"].as_str().unwrap();
    let mut pi = Pi::options().bundle(&todo).session(&session).start();
    pi.command(&format!("/goto {first}"));
    assert_result!(call(&mut pi, "todo", add("coffee")), "Added: coffee (2 in all)", { "todos": ["tea", "coffee"] });
    assert!(pi.quit().success());
    assert_eq!(call_in(&session, &todo, "todo", &list), "1. tea\n2. coffee\n");
}

#[test]
fn failures_are_results_and_the_next_call_works() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).start();
    let count = |pi: &mut Pi, then: &str| call(pi, "count", json!({ "then": then }));
    assert_result!(count(&mut pi, "return"), "counted to 1", { "count": 1 });

    let result = count(&mut pi, "panic");
    assert!(result.is_error && result.text.contains("panicked") && !result.text.contains("on purpose"), "{result:?}");
    let result = call(&mut pi, "panics", json!({ "secret": "hunter2" }));
    assert!(result.is_error && !result.text.contains("hunter2"), "{result:?}");
    assert_result!(count(&mut pi, "succeed"), "counted to 2", { "count": 2 });

    let result = call(&mut pi, "soft_failure", json!({}));
    assert_eq!((result.is_error, &result.details), (true, &json!({ "code": 7 })));

    // Details of a failure are no state.
    assert!(call(&mut pi, "mislead", json!({})).is_error);
    let result = call(&mut pi, "crash", json!({}));
    assert!(result.is_error && result.text.contains("SIGABRT") && result.text.contains("about to crash"), "{result:?}");
    assert_result!(count(&mut pi, "succeed"), "counted to 3", { "count": 3 });

    assert_eq!(notifications(pi.events()).len(), 1, "one of the name that is taken");
    let result = call(&mut pi, "chatter", json!({ "text": "{\"jsonrpc\":\"2.0\"}" }));
    assert_eq!((result.text.as_str(), result.is_error), ("printed", false));
    assert_eq!(notifications(pi.events()).len(), 1, "the wire was not touched, so there is nothing to tell");
    assert_eq!(call(&mut pi, "greeting", json!({ "name": "Ada" })).text, "Good morning, Ada!");
    let details = call(&mut pi, "whoami", json!({})).details;
    assert!(details["callId"].as_str().is_some_and(|id| !id.is_empty()), "{details}");
    assert!(details["cwd"].as_str().is_some_and(|cwd| cwd.ends_with("project")), "{details}");
    assert!(pi.quit().success());
}

/// The model sees the image, a script the data, whose schema it knows.
#[test]
fn images_and_data() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).extension(workspace().join("tests/pi/relay.ts")).start();
    let result = call(&mut pi, "chart", json!({}));
    assert_eq!((result.text.as_str(), result.is_error), ("one point", false));
    let messages = pi.recorded().pop().unwrap()["messages"].clone();
    let content = &messages.as_array().unwrap().last().unwrap()["content"];
    assert_eq!((&content[1]["type"], &content[1]["mimeType"]), (&json!("image"), &json!("image/png")), "{content}");

    let details = call(&mut pi, "relay", json!({ "tool": "chart" })).details;
    let schema = json!({
        "type": "object",
        "properties": {
            "points": {
                "type": "array",
                "items": { "type": "integer", "minimum": 0 },
                "description": "Its points.",
            },
            "title": { "type": ["string", "null"], "description": "What it is called." },
        },
        "required": ["points", "title"],
        "description": "What a chart shows.",
    });
    assert_eq!(details["outputSchema"], schema);
    let result = &details["outcome"]["result"];
    assert_eq!(result["structuredContent"], json!({ "points": [1], "title": null }), "{details}");
    assert_eq!(result["content"][1]["data"], content[1]["data"]);
}

#[test]
fn an_abort_ends_every_call_soon() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).start();
    assert_result!(call(&mut pi, "count", json!({ "then": "succeed" })), "counted to 1", { "count": 1 });
    for (tool, text, limit) in [
        ("polite", "stopped politely", Duration::from_millis(50)),
        ("stubborn", "Operation aborted", Duration::from_millis(1500)),
        ("stubborn_blocking", "Operation aborted", Duration::from_millis(1500)),
        ("hog", "Operation aborted", Duration::from_millis(1500)),
    ] {
        // The best of a few: the machine may be busy with something else.
        let waited = (0..if tool == "polite" { 5 } else { 1 }).map(|_| {
            pi.start_prompt("go", json!([calls(&[(tool, json!({}))])]));
            pi.wait_event(|event| event["type"] == "tool_execution_start");
            if tool == "polite" {
                pi.wait_event(|event| event["type"] == "tool_execution_update");
            } else {
                sleep(Duration::from_millis(100));
            }
            let start = Instant::now();
            pi.abort();
            let waited = start.elapsed();
            let result = tool_results(&pi.wait_settled()).remove(0);
            assert_eq!((result.text.as_str(), result.is_error), (text, true), "{tool}");
            waited
        });
        let waited = waited.min().unwrap();
        eprintln!("{tool}: aborted after {waited:?}");
        assert!(waited < limit, "{tool}: {waited:?}");
    }
    // The session goes on, also after the one that had to be killed.
    assert_result!(call(&mut pi, "count", json!({ "then": "succeed" })), "counted to 2", { "count": 2 });
}

/// A name of Pi's own is taken only by a tool that says so.
#[test]
fn names_of_built_in_tools() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).start();
    let told = notifications(pi.events());
    let [(level, message)] = told[..] else { panic!("{told:?}") };
    assert!(
        level == "error" && message.contains("lab") && message.contains("grep") && !message.contains("write"),
        "{message}"
    );
    let result = call(&mut pi, "write", json!({ "path": "a", "content": "bc" }));
    assert_eq!((result.text.as_str(), result.is_error), ("pretended to write 2 bytes to a", false));
    pi.prompt("go", json!([]));
    let tools = pi.recorded()[0]["tools"].as_array().unwrap().clone();
    assert!(
        tools.iter().all(|tool| tool["description"] != "Have the name of a built-in tool of Pi without saying so.")
    );
}

/// A command that finds the installed Pi, and nothing of the user's.
fn isolated(program: impl AsRef<std::ffi::OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("HOME", home)
        .env("PATH", pi::install().unwrap())
        .env_remove("XDG_CACHE_HOME")
        .env("PI_CODING_AGENT_DIR", home.join("agent"))
        .envs([("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")])
        .env("PI_SCRIPT", home.join("script.json"))
        .env("PI_RECORD", home.join("record.jsonl"))
        .current_dir(home);
    command
}

/// The extension of a bundle: any start of Pi writes it out.
fn extension_of(bundle: &str, home: &Path) -> PathBuf {
    let output = isolated(bundle, home).args(["pi", "run", "--", "--version"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut cache = std::fs::read_dir(home.join(".cache/pi-tools")).unwrap();
    cache.next().unwrap().unwrap().path()
}

/// A program of `tests/pi` that embeds Pi.
fn embedding(program: &str, home: &Path) -> Command {
    // Where it finds Pi.
    let path = target_folder().join("pi").join(program);
    std::fs::copy(workspace().join("tests/pi").join(program), &path).unwrap();
    let mut command = isolated(pi::install().unwrap().join("node"), home);
    command.arg(path);
    command
}

/// Disposing of a session tells extensions nothing: an idle process must not keep the program.
#[test]
fn a_program_that_embeds_pi_ends_beside_an_idle_bundle() {
    if pi::install().is_none() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let extension = extension_of(LAB, home.path());
    let provider = target_folder().join("pi/scripted-provider.ts");
    std::fs::copy(workspace().join("tests/pi/scripted-provider.ts"), &provider).unwrap();
    let mut embedded = embedding("embedded.mjs", home.path());
    let greet = json!({ "name": "greeting", "arguments": { "name": "Ada" } });
    embedded.arg(provider).arg(extension).arg(greet.to_string());
    let mut process = embedded.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while process.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            process.kill().unwrap();
            panic!("the program does not end");
        }
        sleep(Duration::from_millis(20));
    }
    let output = process.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Good morning, Ada!\n");
}

#[test]
fn no_orphan_and_no_hanging_pi() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(LAB).start();
    call(&mut pi, "whoami", json!({}));
    assert_eq!(pi.bundle_pids().len(), 1);
    let start = Instant::now();
    assert!(pi.quit().success());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    gone(&pi);

    for tool in ["stubborn", "hog"] {
        let mut pi = Pi::options().bundle(LAB).start();
        pi.start_prompt("go", json!([calls(&[(tool, json!({}))])]));
        pi.wait_event(|event| event["type"] == "tool_execution_start");
        sleep(Duration::from_millis(200));
        assert_eq!(pi.bundle_pids().len(), 1);
        pi.kill();
        gone(&pi);
    }
}

fn gone(pi: &Pi) {
    let start = Instant::now();
    while !pi.bundle_pids().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(5), "the bundle outlives Pi");
        sleep(Duration::from_millis(10));
    }
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What Pi itself makes of schemas.
fn as_providers_get_them(programs: &Path, schemas: &[Value]) -> Vec<Value> {
    let mut node = Command::new(programs.join("node"))
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("pi/provider-schemas.mjs"))
        .arg(programs.ancestors().nth(2).unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    write!(node.stdin.take().unwrap(), "{}", Value::from(schemas)).unwrap();
    let output = node.wait_with_output().unwrap();
    let made: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(made.len(), schemas.len());
    made
}

/// The extension and the scripted model, against Pi's own types.
/// The three ways that a schema takes in Pi: for Gemini, for Cloud Code Assist, and for strict modes.
#[test]
fn on_their_way_to_a_provider_schemas_lose_nothing() {
    let Some(programs) = pi::install() else { return };
    let mut schemas = Vec::new();
    for bundle in [example("greet"), example("todo"), LAB.into()] {
        let manifest = Command::new(bundle).arg("manifest").output().unwrap();
        let manifest: Value = serde_json::from_slice(&manifest.stdout).unwrap();
        schemas.extend(manifest["tools"].as_array().unwrap().iter().map(|tool| tool["parameters"].clone()));
    }
    let made = as_providers_get_them(programs, &schemas);
    for (schema, made) in schemas.iter().zip(&made) {
        assert_eq!(made["google"], *schema);
        assert_eq!(made["google_legacy"], *schema);
        let strict = &made["strict"]["properties"];
        for (name, property) in schema["properties"].as_object().unwrap() {
            let optional = json!({ "anyOf": [property, { "type": "null" }] });
            assert!(strict[name] == *property || strict[name] == optional, "{name}: {made}");
        }
        // The model of Pi, which other tests use, does what Pi does.
        assert_eq!(provider::google(schema), made["google"]);
        assert_eq!(provider::google_legacy(schema), made["google_legacy"]);
        assert_eq!(provider::strict(schema).unwrap(), made["strict"]);
    }
}

#[test]
fn the_extension_is_well_typed() {
    let Some(programs) = pi::install() else { return };
    // The configuration names the packages by their usual place; here they stand where cargo builds.
    let own = |path: &str| workspace().join(path);
    let files = [
        "pi-tools/src/hosts/pi/extension.ts",
        "tests/pi/scripted-provider.ts",
        "pi-tools/src/hosts/pi/package/index.d.ts",
        "tests/pi/definitions.ts",
        "tests/pi/overrides.ts",
        "tests/pi/relay.ts",
        "tests/pi/sdk.ts",
        "tests/pi/journal.ts",
        "tests/pi/lifecycle.ts",
        "benches/pi/compare.ts",
    ];
    let configuration = json!({
        "extends": own("tests/pi/tsconfig.json"),
        "compilerOptions": {
            "typeRoots": ["node_modules/@types"],
            "paths": { "@earendil-works/*": ["./node_modules/@earendil-works/*"] },
        },
        "files": files.map(own),
    });
    let path = target_folder().join("pi/tsconfig.json");
    std::fs::write(&path, configuration.to_string()).unwrap();
    let check = Command::new(programs.join("tsc")).arg("-p").arg(path).output().unwrap();
    assert!(
        check.status.success(),
        "{}{}",
        String::from_utf8_lossy(&check.stdout),
        String::from_utf8_lossy(&check.stderr)
    );
}
