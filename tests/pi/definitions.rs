//! Every field of a tool's definition, as Pi honours it.

use std::process::Command;
use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, tool_results};
use pi_tools_tests::{example, workspace};
use serde_json::{Value, json};

use super::{LAB, as_providers_get_them, call, calls};

/// The bundle with a tool for each field.
const DEFINED: &str = env!("CARGO_BIN_EXE_defined");

/// Pi, which can be asked what it knows of the tools.
fn start(argument: Option<&str>) -> Pi {
    let inspect = workspace().join("tests/pi/definitions.ts");
    let mut options = Pi::options().bundle(DEFINED).extension(inspect).extension(workspace().join("tests/pi/relay.ts"));
    if let Some(tools) = argument {
        options = options.argument("--tools").argument(tools);
    }
    options.start()
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().filter_map(|tool| tool.as_str().or(tool["name"].as_str())).collect()
}

fn named<'a>(tools: &'a Value, name: &str) -> &'a Value {
    let found = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {tools}"))
}

#[test]
fn fields_reach_pi() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = start(None);
    let known = call(&mut pi, "inspect", json!({})).details;
    let registered = |name: &str, fields: &[&str]| -> Vec<Value> {
        fields.iter().map(|field| named(&known["registered"], name)[*field].clone()).collect()
    };
    assert_eq!(
        registered("weather", &["exposure", "namespace", "annotations", "promptGuidelines"]),
        [
            json!("codemode"),
            json!({ "name": "sky" }),
            json!({ "readOnlyHint": true, "openWorldHint": true }),
            json!(["Use weather for today"]),
        ]
    );
    assert_eq!(
        registered("tides", &["exposure", "namespace", "annotations"]),
        [json!("deferred"), json!({ "name": "sky" }), json!({ "destructiveHint": false, "idempotentHint": true }),]
    );
    assert_eq!(registered("alone", &["exposure"]), ["model-only"]);
    assert_eq!(registered("hidden", &["exposure"]), ["hidden"]);
    assert_eq!(
        registered("go", &["exposure", "namespace", "annotations"]),
        [json!("direct"), Value::Null, Value::Null]
    );

    // Who may call what: the model, and other tools.
    let active = names(&known["active"]);
    for (tool, is_active, is_callable) in [
        ("weather", false, true),
        ("tides", false, true),
        ("alone", true, false),
        ("hidden", false, false),
        ("spare", false, false),
        ("go", true, true),
    ] {
        assert_eq!(active.contains(&tool), is_active, "{tool}: {active:?}");
        assert_eq!(names(&known["callable"]).contains(&tool), is_callable, "{tool}: {known}");
    }
    assert_eq!(named(&known["callable"], "orderly")["executionMode"], "sequential");
    assert_eq!(named(&known["callable"], "slow")["executionMode"], "parallel");
    assert_eq!(named(&known["callable"], "slow")["label"], "Slow");
    let relayed = |pi: &mut Pi, tool: &str| call(pi, "relay", json!({ "tool": tool })).details["outcome"].clone();
    assert_eq!(relayed(&mut pi, "tides")["result"]["content"][0]["text"], "high");
    assert_eq!(relayed(&mut pi, "alone")["isError"], true);
    assert_eq!(relayed(&mut pi, "hidden")["isError"], true);
    assert_eq!(call(&mut pi, "alone", json!({})).text, "alone");
    assert_eq!(call(&mut pi, "spare", json!({})).text, "Tool spare not found");

    // What the model is told.
    let request = &pi.recorded()[0];
    let prompt = request["systemPrompt"].as_str().unwrap();
    assert!(prompt.lines().any(|line| line == "- slow: Take a while"), "{prompt}");
    assert!(prompt.lines().any(|line| line == "- Use slow for what takes a while"), "{prompt}");
    let declared = &request["tools"];
    assert!(!names(declared).contains(&"spare") && !prompt.contains("Wait to be asked for"), "{prompt}");
    let prefer = json!({ "type": "json_schema", "strict": "prefer" });
    assert_eq!(named(declared, "go")["constrainedSampling"], prefer);
    assert_eq!(named(declared, "far")["constrainedSampling"], Value::Null);
    // What a model sends in strict mode for what it leaves out.
    let result = call(&mut pi, "go", json!({ "place": "Oslo", "way": null, "stops": null }));
    assert_eq!(result.text, "Oslo, any way, None");
    assert!(pi.quit().success());
}

/// One sequential tool makes the whole message sequential.
#[test]
fn modes_of_execution() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = start(None);
    let mut kinds = |tools: &[&str]| -> Vec<String> {
        let message: Vec<_> = tools.iter().map(|tool| (*tool, json!({}))).collect();
        let events = pi.prompt("go", json!([calls(&message)]));
        assert!(tool_results(&events).iter().all(|result| !result.is_error));
        let kinds = events.iter().filter_map(|event| event["type"].as_str()?.strip_prefix("tool_execution_"));
        kinds.filter(|kind| *kind != "update").map(str::to_owned).collect()
    };
    assert_eq!(kinds(&["slow", "slow"]), ["start", "start", "end", "end"]);
    assert_eq!(kinds(&["slow", "orderly", "slow"]), ["start", "end"].repeat(3));
}

/// A tool that is not active by default is asked for by its name, and scripts get data.
#[test]
fn tools_that_are_asked_for() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = start(Some("+codemode,+spare"));
    let script = r#"const { temperature, sky } = await tools.weather({ place: "Oslo" });
        const others = await searchTools("tides", { namespace: "sky" });
        return [temperature + 1, sky, others.map(({ name }) => name), await tools.tides({})];"#;
    let result = call(&mut pi, "codemode", json!({ "code": script }));
    assert!(!result.is_error, "{result:?}");
    let said: Value =
        serde_json::from_str(result.text.lines().last().unwrap()).unwrap_or_else(|_| panic!("{result:?}"));
    assert_eq!((&said[0], &said[1], &said[3]), (&json!(22.5), &json!("blue over Oslo"), &json!("high")));
    assert!(said[2].as_array().unwrap().contains(&json!("tides")), "{said}");
    assert_eq!(call(&mut pi, "spare", json!({})).text, "spare");
    pi.command("/reload-all");
    assert_eq!(call(&mut pi, "spare", json!({})).text, "spare");

    let declared = &pi.recorded()[0]["tools"];
    assert_eq!(named(declared, "spare")["description"].as_str().unwrap().lines().next(), Some("Wait to be asked for."));
    let scripts = named(declared, "codemode")["description"].as_str().unwrap();
    for told in ["## sky", "weather", "temperature: number", "- Use weather for today"] {
        assert!(scripts.contains(told), "{told}: {scripts}");
    }
}

/// What a tool makes of its arguments, Pi checks, and nobody makes it again.
#[test]
fn arguments_are_prepared_once_and_before_the_check() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = start(None);
    let say = |pi: &mut Pi, arguments: Value| {
        let result = call(pi, "say", arguments);
        (result.text, result.is_error)
    };
    let said = |text: &str| (text.to_owned(), false);
    let refused = |text: &str| (text.to_owned(), true);
    // The schema knows no `text`, and requires the rest.
    assert_eq!(say(&mut pi, json!({ "text": "hi" })), said("<hi> very"));
    assert_eq!(say(&mut pi, json!({ "parts": ["a"], "loud": "very" })), said("a+! very"));
    assert_eq!(say(&mut pi, json!({ "oldParts": ["a"], "loud": "create" })), said("a very"));
    // What the model wrote stays.
    let calls: Vec<Value> =
        pi.entries().iter().map(|entry| entry["message"]["content"][0]["arguments"].clone()).collect();
    assert!(
        calls.contains(&json!({ "text": "hi" })) && calls.contains(&json!({ "parts": ["a"], "loud": "very" })),
        "{calls:?}"
    );
    // Pi's own check tells of what was prepared.
    let (text, _) = say(&mut pi, json!({ "parts": ["a"] }));
    assert!(text.starts_with("Validation failed for tool \"say\":\n  - loud: missing\n"), "{text}");
    assert!(text.ends_with("\"parts\": [\n    \"a\",\n    \"!\"\n  ]\n}"), "{text}");

    assert_eq!(say(&mut pi, json!({ "text": "refuse" })), refused("text: say something else"));
    let panicked =
        "Tool \"say\" failed: what prepares its arguments panicked. This is a fault of the tool, not of the call";
    assert_eq!(say(&mut pi, json!({ "text": "panic" })), refused(panicked));
    let failed = format!("Tool \"say\" failed: its arguments could not be prepared: {DEFINED}: ");
    assert_eq!(say(&mut pi, json!({ "text": "exit" })), refused(&format!("{failed}ended with exit code 7")));
    let start = Instant::now();
    assert_eq!(say(&mut pi, json!({ "text": "wait" })), refused(&format!("{failed}took more than 5 s")));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(pi.quit().success());
}

/// Strict sampling is asked for where Pi's strict form exists and says as much; it is not, where it does not.
#[test]
fn constrained_sampling_is_asked_for_where_it_holds() {
    let Some(programs) = pi::install() else { return };
    let bundles = [DEFINED.into(), LAB.into(), example("todo"), example("greet"), env!("CARGO_BIN_EXE_outside").into()];
    let tools: Vec<Value> = bundles
        .into_iter()
        .flat_map(|bundle| {
            let manifest = Command::new(bundle).arg("manifest").output().unwrap();
            let manifest: Value = serde_json::from_slice(&manifest.stdout).unwrap();
            manifest["tools"].as_array().unwrap().clone()
        })
        .collect();
    let schemas: Vec<Value> = tools.iter().map(|tool| tool["parameters"].clone()).collect();
    let mut counts = [0; 3];
    for (tool, made) in tools.iter().zip(as_providers_get_them(programs, &schemas)) {
        let refused = made["strict_error"].is_string();
        let parameters = tool["parameters"].to_string();
        // What these tools say that a strict mode does not.
        let loses =
            ["minimum", "maximum", "default", "Length", "Items"].iter().any(|keyword| parameters.contains(keyword));
        let is_asked_for = tool["constrainedSampling"].is_object();
        assert_eq!(is_asked_for, !refused && !loses, "{tool}\n{made}");
        counts[usize::from(refused) + 2 * usize::from(loses && !refused)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}
