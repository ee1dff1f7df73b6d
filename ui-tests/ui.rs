//! Each program under `ui/` must not compile, and the compiler must say what stands beside it.
//!
//! `TRYBUILD=overwrite cargo test -p pi-tools-ui-tests` writes the messages anew; read them before you commit.

use std::io::Write;
use std::process::Command;

/// The compiler whose words are recorded: messages differ between versions.
const RECORDED_WITH: &str = "rustc 1.95.";

#[test]
fn ui() {
    let version = Command::new("rustc").arg("--version").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    if !version.starts_with(RECORDED_WITH) {
        // Past the test runner, which hides what a passing test prints.
        let notice = format!("\nNOT TESTED: the messages were recorded with {RECORDED_WITH}x, this is {version}\n");
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}
