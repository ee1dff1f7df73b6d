//! Forms, which Pi asks for field by field.

use pi_tools_tests::pi::{self, Pi, tool_results};
use serde_json::{Value, json};

use super::calls;

/// The bundle whose tools ask with forms.
const FIXTURE: &str = env!("CARGO_BIN_EXE_mcp_fixture");

/// The result of the call when the user answers its dialogs like this, and the dialogs.
fn filled_in(pi: &mut Pi, tool: &str, answers: &[Value]) -> (Vec<Value>, String) {
    pi.start_prompt("go", json!([calls(&[(tool, json!({}))])]));
    let mut asked = Vec::new();
    for answer in answers {
        let is_dialog = |event: &Value| {
            event["type"] == "extension_ui_request"
                && ["input", "select", "confirm"].iter().any(|m| event["method"] == *m)
        };
        let question = pi.wait_event(is_dialog);
        pi.answer(&question, answer.clone());
        asked.push(question);
    }
    (asked, tool_results(&pi.wait_settled()).remove(0).text)
}

#[test]
fn a_form_is_asked_for_field_by_field() {
    if pi::install().is_none() {
        return;
    }
    let mut pi = Pi::options().bundle(FIXTURE).start();
    let tool = "test_elicitation_sep1034_defaults";
    let value = |text: &str| json!({ "value": text });
    let answers = [value("Ada"), value(""), value("7"), value("pending"), json!({ "confirmed": false })];
    let (asked, text) = filled_in(&mut pi, tool, &answers);
    let titles: Vec<&Value> = asked.iter().map(|question| &question["title"]).collect();
    let names = ["name", "age", "score", "status", "verified"];
    assert_eq!(titles, names.map(|name| json!(format!("Your account: {name}"))).iter().collect::<Vec<_>>());
    assert_eq!((&asked[0]["placeholder"], &asked[1]["placeholder"]), (&json!("John Doe"), &json!("30")));
    assert_eq!(asked[3]["options"], json!(["active", "inactive", "pending"]));
    assert_eq!(asked[4]["message"], "By default yes.");
    let expected = r#"Some(Account { name: "Ada", age: 30, score: 7.0, status: Pending, verified: false })"#;
    assert_eq!(text, expected);

    // A field that does not fit is told of, and one that is refused ends the form.
    let answers = [value("Ada"), value("old"), value("7"), value("pending"), json!({ "confirmed": true })];
    let (_, text) = filled_in(&mut pi, tool, &answers);
    assert!(
        text.starts_with("the user's answer for `age`: expected integer") && text.ends_with("got \"old\""),
        "{text}"
    );
    let (_, text) = filled_in(&mut pi, tool, &[value("Ada"), json!({ "cancelled": true })]);
    assert_eq!(text, "None");

    // Choices have titles, and lists are written.
    let tool = "test_elicitation_sep1330_enums";
    let answers = [
        value("option1"),
        value("Second Option"),
        value("Option Three"),
        value("option1, option3"),
        value("First Option"),
    ];
    let (asked, text) = filled_in(&mut pi, tool, &answers);
    assert_eq!(asked[2]["options"], json!(["Option One", "Option Two", "Option Three"]));
    assert_eq!(asked[3]["placeholder"], "option1, option2, option3");
    let expected = "Some(Choices { untitled_single: Option1, titled_single: Value2, legacy_enum: Opt3, \
                    untitled_multi: [Option1, Option3], titled_multi: [Value1] })";
    assert_eq!(text, expected);
    assert!(pi.quit().success());
}
