//! What a tool asks of Pi in the terminal, where a user answers by keys.

use pi_tools_tests::pi::{self, Pi};
use pi_tools_tests::terminal::key;
use serde_json::json;

use super::calls;

/// The bundle of tools that ask.
const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");

#[test]
fn a_user_answers_by_keys() {
    if pi::install().is_none() {
        return;
    }
    let mut terminal = Pi::options().bundle(OUTSIDE).start_in_terminal();
    let ask = |kind: &str| calls(&[("ask", json!({ "kind": kind }))]);
    let said = |text: &str| json!({ "text": text });

    terminal.prompt("first", json!([ask("confirm"), said("the first is done")]));
    assert!(terminal.wait_for("Go on?").contains("There are 12 files."));
    terminal.press(key::ENTER);
    terminal.wait_for("the first is done");
    assert_eq!(terminal.last_result(), "true");

    terminal.prompt("second", json!([ask("select"), said("the second is done")]));
    terminal.wait_for("Which colour?");
    terminal.press(key::DOWN);
    terminal.press(key::ENTER);
    terminal.wait_for("the second is done");
    assert_eq!(terminal.last_result(), "\"green\"");
    terminal.quit();
}
