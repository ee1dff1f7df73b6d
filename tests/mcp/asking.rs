//! The user of a client, as tools reach them in both eras.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, FIXTURE, HttpServer, LAB, OUTSIDE, forms, text};

/// A tool's question, as it comes in each era.
fn params(asked: &Value) -> &Value {
    match asked["result"]["inputRequests"].as_object() {
        Some(requests) => &requests.values().next().unwrap()["params"],
        None => {
            assert_eq!(asked["method"], "elicitation/create", "{asked}");
            &asked["params"]
        }
    }
}

/// The result of a call whose questions get these answers.
fn answered(client: &mut Client, tool: &str, arguments: &Value, answers: &[Value]) -> Value {
    let mut id = client.start_call(tool, arguments);
    for answer in answers {
        let asked = client.receive();
        match asked["result"].get("requestState") {
            None => client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answer })),
            Some(state) => {
                assert_eq!(asked["result"]["resultType"], "input_required");
                let key = asked["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap();
                let retry = json!({
                    "name": tool, "arguments": arguments, "requestState": state, "inputResponses": { key: answer },
                });
                id = client.ask("tools/call", retry);
            }
        }
    }
    client.answer(id).0["result"].take()
}

fn accept(answer: impl Into<Value>) -> Value {
    json!({ "action": "accept", "content": { "answer": answer.into() } })
}

fn both_eras(bundle: &str, options: &[&str]) -> [Client; 2] {
    [Client::legacy(bundle, options, &forms()), Client::modern(bundle, options, &forms())]
}

#[test]
fn the_user_answers() {
    let (decline, cancel) = (json!({ "action": "decline" }), json!({ "action": "cancel" }));
    for mut client in both_eras(OUTSIDE, &[]) {
        let mut ask = |kind: &str, answer: &Value| {
            let result = answered(&mut client, "ask", &json!({ "kind": kind }), std::slice::from_ref(answer));
            let details = &result["_meta"]["io.github.pi-tools/details"];
            assert_eq!(details, &json!({ "available": true, "mode": "mcp" }));
            text(&result).to_owned()
        };
        assert_eq!(ask("confirm", &accept(true)), "true");
        assert_eq!(ask("confirm", &accept(false)), "false");
        assert_eq!(ask("confirm", &accept("yes")), "null");
        assert_eq!(ask("confirm", &decline), "false");
        assert_eq!(ask("confirm", &cancel), "false");
        assert_eq!(ask("select", &accept("green")), "\"green\"");
        assert_eq!(ask("select", &accept("blue")), "null");
        assert_eq!(ask("input", &accept("Grace")), "\"Grace\"");
        assert_eq!(ask("input", &decline), "null");
        assert_eq!(ask("editor", &accept("Dear Grace,\n")), "\"Dear Grace,\\n\"");
    }
}

#[test]
fn a_question_is_a_form_of_one_field() {
    for mut client in both_eras(OUTSIDE, &[]) {
        let mut ask = |kind: &str| {
            client.start_call("ask", &json!({ "kind": kind }));
            let asked = params(&client.receive()).clone();
            let schema = asked["requestedSchema"].clone();
            assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["answer"])));
            (asked["message"].as_str().unwrap().to_owned(), schema["properties"]["answer"].clone())
        };
        let (message, field) = ask("confirm");
        assert_eq!((&*message, &field["type"]), ("Go on?\n\nThere are 12 files.", &json!("boolean")));
        let (message, field) = ask("select");
        assert_eq!((&*message, &field["enum"]), ("Which colour?", &json!(["red", "green"])));
        let (message, field) = ask("input");
        assert_eq!((&*message, &field["description"]), ("Your name?", &json!("For example: Ada")));
        let (message, field) = ask("editor");
        assert_eq!((&*message, &field["default"]), ("The message", &json!("Dear Ada,\n")));
    }
}

#[test]
fn a_form_of_several_fields_is_one_question() {
    let tool = "test_elicitation_sep1034_defaults";
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    for mut client in both_eras(FIXTURE, &[]) {
        let schema = {
            client.start_call(tool, &json!({}));
            params(&client.receive())["requestedSchema"].clone()
        };
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["name", "age", "score", "status", "verified"]);
        assert_eq!(schema["properties"]["age"], json!({ "type": "integer", "default": 30, "minimum": 0 }));
        let status = json!({ "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" });
        assert_eq!(schema["properties"]["status"], status);

        let mut ask = |answer: Value| text(&answered(&mut client, tool, &json!({}), &[answer])).to_owned();
        let whole = json!({ "name": "Ada", "age": 25, "score": 88, "status": "inactive", "verified": false });
        let filled = r#"Some(Account { name: "Ada", age: 25, score: 88.0, status: Inactive, verified: false })"#;
        assert_eq!(ask(accept(whole)), filled);
        // What is left out has its default.
        let defaults = r#"Some(Account { name: "John Doe", age: 30, score: 95.5, status: Active, verified: true })"#;
        assert_eq!(ask(accept(json!({ "age": null }))), defaults);
        assert_eq!(ask(json!({ "action": "decline" })), "None");
        let problem = ask(accept(json!({ "status": "gone" })));
        let expected = "the user's answer for `status`: expected string of active, inactive, pending";
        assert!(problem.starts_with(expected), "{problem}");
    }
}

#[test]
fn a_name_is_the_key_of_a_question() {
    let mut client = Client::modern(FIXTURE, &[], &forms());
    let tool = "test_input_required_result_elicitation";
    client.start_call(tool, &json!({}));
    let asked = client.receive();
    let keys: Vec<&String> = asked["result"]["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["user_name"]);
    let answer = json!({ "user_name": { "action": "accept", "content": { "name": "Ada" } } });
    let anew = client.request("tools/call", json!({ "name": tool, "arguments": {}, "inputResponses": answer }));
    assert_eq!(text(&anew["result"]), "Hello, Ada!");
}

#[test]
fn nobody_answers_where_the_client_has_no_forms() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        for mut client in [Client::legacy(OUTSIDE, &[], &capabilities), Client::modern(OUTSIDE, &[], &capabilities)] {
            let result = client.call("ask", &json!({ "kind": "confirm" }));
            assert_eq!(text(&result), "null");
            assert_eq!(result["_meta"]["io.github.pi-tools/details"]["available"], false);
            let refused = client.call("remove", &json!({ "path": "notes" }));
            assert!(text(&refused).contains("`--policy yes` on the command line"), "{refused}");
        }
    }
    let mut client = Client::legacy(OUTSIDE, &["--policy", "yes"], &json!({}));
    assert_eq!(text(&client.call("remove", &json!({ "path": "notes" }))), "removed notes");
}

#[test]
fn a_call_that_must_be_allowed_is() {
    for mut client in both_eras(LAB, &[]) {
        let paths = json!({ "paths": ["a", "b"] });
        let erased = answered(&mut client, "erase", &paths, &[accept(true)]);
        assert_eq!(text(&erased), "erased 2 files, 1 deep");
        let refused = answered(&mut client, "erase", &paths, &[accept(false)]);
        assert!(text(&refused).contains("the user said no"), "{refused}");
    }
}

#[test]
fn a_question_ends_with_its_time_and_with_its_call() {
    let mut client = Client::legacy(OUTSIDE, &[], &forms());
    let id = client.start_call("ask", &json!({ "kind": "input", "limit": 100 }));
    let asked = client.receive();
    let (answer, before) = client.answer(id);
    assert_eq!(text(&answer["result"]), "null");
    let cancelled = before.into_iter().chain(std::iter::once_with(|| client.receive())).next().unwrap();
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], asked["id"]);

    let id = client.start_call("ask", &json!({ "kind": "input" }));
    let asked = client.receive();
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }));
    let cancelled = client.receive();
    assert_eq!(cancelled["params"]["requestId"], asked["id"], "{cancelled}");

    // Who comes back too late gets what the tool has made of it.
    let mut client = Client::modern(OUTSIDE, &[], &forms());
    let call = json!({ "kind": "input", "limit": 100 });
    client.start_call("ask", &call);
    let asked = client.receive();
    std::thread::sleep(Duration::from_millis(300));
    let retry = json!({ "name": "ask", "arguments": call, "requestState": asked["result"]["requestState"] });
    assert_eq!(text(&client.request("tools/call", retry)["result"]), "null");
}

#[test]
fn a_parked_call_is_resumed_by_whoever_has_its_state() {
    let mut client = Client::modern(OUTSIDE, &[], &forms());
    let call = json!({ "name": "ask", "arguments": { "kind": "confirm" } });
    let with = |members: Value| {
        let mut call = call.clone();
        call.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        call
    };
    let first = client.request("tools/call", call.clone());
    let state = &first["result"]["requestState"];
    let key = first["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap();

    // Another answer, or none, is asked for again; the state is another then.
    let again = client
        .request("tools/call", with(json!({ "requestState": state, "inputResponses": { "other": accept(true) } })));
    let state = &again["result"]["requestState"];
    assert!(state.is_string() && *state != first["result"]["requestState"], "{again}");
    let again = client
        .request("tools/call", with(json!({ "requestState": state, "inputResponses": { key: { "action": 1 } } })));
    let state = &again["result"]["requestState"];

    // A state is used once, by the same tool.
    let responses = json!({ key: accept(true), "more": 1 });
    let done = client.request("tools/call", with(json!({ "requestState": state, "inputResponses": responses })));
    assert_eq!(text(&done["result"]), "true");
    for wrong in [state.clone(), json!("made up")] {
        let refused = client.request("tools/call", with(json!({ "requestState": wrong, "inputResponses": responses })));
        assert_eq!(refused["error"]["code"], -32602);
        assert!(refused["error"]["message"].as_str().unwrap().contains("call the tool again without it"), "{refused}");
    }

    // Without a state it is a new call, whose answers are there already.
    let anew = client.request("tools/call", with(json!({ "inputResponses": responses })));
    assert_eq!(text(&anew["result"]), "true");
}

#[test]
fn over_http_too() {
    let server = HttpServer::start(OUTSIDE, &["--no-auth"], None);
    let arguments = json!({ "kind": "confirm" });
    let call = json!({ "name": "ask", "arguments": arguments });
    let asked = server.modern("tools/call", call, &forms()).result();
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let retry = json!({
        "name": "ask", "arguments": arguments, "requestState": asked["requestState"],
        "inputResponses": { key: accept(true) },
    });
    assert_eq!(text(&server.modern("tools/call", retry, &forms()).result()), "true");

    // A legacy client is asked on the stream of its call.
    let session = server.session(&forms());
    let headers = [("Mcp-Session-Id", &*session)];
    let call = crate::client::request(1, "tools/call", &json!({ "name": "ask", "arguments": arguments }));
    let mut stream = std::io::BufReader::new(server.open("POST", "/mcp", &headers, &call.to_string()));
    let mut message = || loop {
        let mut line = String::new();
        assert!(std::io::BufRead::read_line(&mut stream, &mut line).unwrap() > 0, "the stream has ended");
        if let Some(message) = line.strip_prefix("data:").and_then(|data| serde_json::from_str::<Value>(data).ok()) {
            break message;
        }
    };
    let asked = message();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": accept(true) });
    assert_eq!(server.post(&headers, &answer).status, 202);
    assert_eq!(text(&message()["result"]), "true");
}
