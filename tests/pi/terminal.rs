//! What a tool asks of Pi in the terminal, where a user answers by keys.

use pi_tools_tests::pi::{self, Pi};
use pi_tools_tests::terminal::key;
use serde_json::{Value, json};

use super::calls;
use super::context::OUTSIDE;

#[test]
fn a_user_answers_by_keys() {
    if pi::install().is_none() {
        return;
    }
    let mut terminal = Pi::options().bundle(OUTSIDE).start_in_terminal();
    let ask = |kind: &str| calls(&[("ask", json!({ "kind": kind }))]);
    let said = |text: &str| json!({ "text": text });

    terminal.prompt("first", json!([ask("confirm"), said("the first is done")]));
    terminal.wait_for("Go on?");
    terminal.wait_for("There are 12 files.");
    terminal.press(key::ENTER);
    terminal.wait_for("the first is done");
    assert_eq!(terminal.last_result(), "true");

    terminal.prompt("second", json!([ask("select"), said("the second is done")]));
    terminal.wait_for("Which colour?");
    terminal.press(key::DOWN);
    terminal.press(key::ENTER);
    terminal.wait_for("the second is done");
    assert_eq!(terminal.last_result(), "\"green\"");

    terminal.prompt("third", json!([ask("input"), said("the third is done")]));
    terminal.wait_for("Your name?");
    terminal.press("Grace");
    terminal.press(key::ENTER);
    terminal.wait_for("the third is done");
    assert_eq!(terminal.last_result(), "\"Grace\"");

    terminal.prompt("fourth", json!([ask("editor"), said("the fourth is done")]));
    terminal.wait_for("The message");
    terminal.wait_for("Dear Ada,");
    terminal.press("yours");
    terminal.press(key::ENTER);
    terminal.wait_for("the fourth is done");
    assert_eq!(terminal.last_result(), "\"Dear Ada,\\nyours\"");

    // Nobody answers in time: what was shown goes.
    for (kind, title) in [("confirm", "Go on?"), ("editor", "The message")] {
        let limited = calls(&[("ask", json!({ "kind": kind, "limit": 1500 }))]);
        terminal.prompt(&format!("{kind} in time"), json!([limited, said(&format!("no {kind} any more"))]));
        terminal.wait_for(title);
        terminal.wait_for(&format!("no {kind} any more"));
        terminal.wait_gone(title);
        assert_eq!(terminal.last_result(), "null", "{kind}");
    }

    // Escape closes: nobody chooses.
    terminal.prompt("fifth", json!([ask("select"), said("the fifth is done")]));
    terminal.wait_for("Which colour?");
    terminal.press(key::ESCAPE);
    terminal.wait_for("the fifth is done");
    assert_eq!(terminal.last_result(), "null");

    // Two at once: the second stands before the first.
    let both = calls(&[("ask", json!({ "kind": "confirm" })), ("ask", json!({ "kind": "select" }))]);
    terminal.prompt("sixth", json!([both, said("the sixth is done")]));
    terminal.wait_for("Which colour?");
    terminal.press(key::ENTER);
    terminal.wait_for("Go on?");
    terminal.press(key::ENTER);
    terminal.wait_for("the sixth is done");
    assert_eq!(terminal.last_result(), "\"red\"");
    terminal.quit();
}

#[test]
fn a_user_sees_notices_and_a_status() {
    if pi::install().is_none() {
        return;
    }
    let mut terminal = Pi::options().bundle(OUTSIDE).start_in_terminal();
    let status = |arguments: Value| calls(&[("status", arguments)]);
    let said = |text: &str| json!({ "text": text });
    terminal.prompt("first", json!([status(json!({ "text": "3 of 5 parts" })), said("it is shown")]));
    terminal.wait_for("it is shown");
    // Its call shows it, too.
    let in_footer = |screen: &str| screen.trim_end().lines().rev().take(2).any(|line| line.contains("3 of 5 parts"));
    terminal.wait_until("the status in the footer", in_footer);
    terminal.prompt("second", json!([status(json!({})), said("it is gone")]));
    terminal.wait_for("it is gone");
    terminal.wait_until("the end of the status", |screen| !in_footer(screen));

    terminal.prompt(
        "third",
        json!([calls(&[("notice", json!({ "text": "mind the gap" })), ("surroundings", json!({}))]), said("told")]),
    );
    terminal.wait_for("told");
    terminal.wait_for("mind the gap");
    let request = terminal.recorded().pop().unwrap();
    let result =
        request["messages"].as_array().unwrap().iter().rev().find(|message| message["toolName"] == "surroundings");
    assert_eq!(result.unwrap()["details"]["mode"], "tui");
    terminal.quit();
}
