//! The examples and the README, replayed: what they show is what happens.
//!
//! `TRYCMD=overwrite cargo test -p pi-tools-tests --test transcripts` writes the outputs anew.

use pi_tools_tests::{example, workspace};

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    for name in ["greet", "todo"] {
        cases.register_bin(name, example(name));
    }
    cases.case(workspace().join("examples/*.md")).case(workspace().join("README.md"));
    cases.run();
}
