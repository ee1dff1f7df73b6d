//! The examples and the README, replayed: what they show is what happens.
//!
//! `TRYCMD=overwrite cargo test -p pi-tools-tests --test transcripts` writes the outputs anew.

use std::process::Command;

use pi_tools_tests::{example, pi, workspace};

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    let folder = workspace().join("examples");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    for source in files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let name = source.file_stem().unwrap().to_str().unwrap();
        let transcript = source.with_extension("md");
        assert!(transcript.is_file(), "{} is missing", transcript.display());
        cases.register_bin(name, example(name)).case(transcript);
    }
    // One of the examples runs ripgrep.
    match pi::install() {
        Some(programs) => cases.env("PATH", pi::path_with(programs).into_string().unwrap()),
        None => cases.skip(folder.join("ripgrep.md")),
    };
    cases.case(workspace().join("README.md"));
    cases.run();
}

#[test]
fn a_program_that_is_not_installed() {
    let folder = tempfile::tempdir().unwrap();
    let mut call = Command::new(example("ripgrep"));
    let output = call.args(["call", "ripgrep", "--arg", "pattern=tea"]).env("PATH", folder.path()).output().unwrap();
    let expected = "Failed to run rg: it is not on the PATH. Install it, or add its folder there.\n";
    assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.status.code()), (expected, Some(1)));
}
