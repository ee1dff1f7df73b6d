//! Programs of other packages: `fixtures/` is a workspace of its own, and each of its packages says what it proves.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use pi_tools_tests::{target_folder, workspace};

/// Everything, without features.
static DEBUG: LazyLock<PathBuf> = LazyLock::new(|| build("debug", &[]));

/// What a linker that leaves out unused code could break, and the feature of `conditional`.
static RELEASE: LazyLock<PathBuf> = LazyLock::new(|| {
    let packages = ["bundle-good", "bundle-bad", "unbundled", "conditional"];
    let packages = packages.iter().flat_map(|package| ["--package", package]);
    build("release", &packages.chain(["--release", "--features", "conditional/extra"]).collect::<Vec<_>>())
});

fn build(profile: &str, arguments: &[&str]) -> PathBuf {
    let target = target_folder().join("fixtures");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--target-dir"])
        .arg(&target)
        .args(arguments)
        .current_dir(workspace().join("tests/fixtures"))
        .status()
        .expect("cargo runs");
    assert!(build.success(), "the fixtures do not build");
    target.join(profile)
}

fn debug(name: &str, arguments: &[&str]) -> Result<String, String> {
    run(&DEBUG, name, arguments)
}

fn release(name: &str, arguments: &[&str]) -> Result<String, String> {
    run(&RELEASE, name, arguments)
}

/// What the executable prints, or what it says when it fails.
fn run(folder: &Path, name: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(folder.join(name).with_extension(std::env::consts::EXE_EXTENSION))
        .args(arguments)
        .output()
        .expect("it is built");
    let text = |bytes| String::from_utf8(bytes).expect("it is text").trim_end().to_owned();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text([output.stdout, output.stderr].concat())) }
}

fn call(name: &str, tool: &str, arguments: &str) -> String {
    debug(name, &["call", tool, arguments]).unwrap()
}

fn names(list: &str) -> Vec<&str> {
    list.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn bundle_links_the_tools_of_libraries() {
    for run in [debug, release] {
        let list = run("bundle-good", &["list"]).unwrap();
        assert_eq!(names(&list), ["alpha", "alpha_inner", "beta"]);
    }
}

#[test]
fn bundle_names_a_library_without_tools() {
    for run in [debug, release] {
        let error = run("bundle-bad", &["list"]).unwrap_err();
        assert!(error.contains("`gamma`"), "{error}");
        assert!(!error.contains("`alpha`"), "{error}");
    }
}

#[test]
fn bundle_tells_a_library_from_its_namesake() {
    let error = debug("namesake", &["list"]).unwrap_err();
    assert!(error.contains("the crate `namesake` of `bundle!` contributes no tool"), "{error}");
}

#[test]
fn without_bundle_it_says_what_to_write() {
    for run in [debug, release] {
        for command in [&["list"][..], &["call", "alpha"]] {
            let error = run("unbundled", command).unwrap_err();
            assert!(error.contains("`pi_tools::bundle!(my_tools);`"), "{error}");
        }
    }
}

#[test]
fn no_other_dependency_is_needed() {
    let arguments = r#"{"name":"mass","amount":1.5,"unit":"metre"}"#;
    assert_eq!(call("bare", "measure", arguments), "mass = 1.5 metre");
    let arguments = r#"{"files":["a","b"],"numbers":{"one":1},"letters":["x","y","z"],"units":["second"]}"#;
    assert_eq!(call("bare", "count", arguments), "[2,1,3,1]");
}

#[test]
fn pi_tools_has_another_name() {
    assert_eq!(call("renamed", "counter", "{}"), "cli: up to 1");
    assert_eq!(call("renamed", "counter", r#"{"action":"reset","step":5}"#), "cli: reset to 0");
    assert_eq!(call("renamed", "point", r#"{"x":3}"#), "3");
}

#[test]
fn pi_tools_comes_through_another_library() {
    assert_eq!(call("through", "greet", r#"{"name":"Ada","style":"long"}"#), "Hello, Ada!");
    assert_eq!(call("through", "echo", r#"{"text":"hello"}"#), "hello");
}

#[test]
fn errors_of_other_crates_say_their_causes() {
    for tool in ["fail_anyhow", "fail_eyre"] {
        let error = debug("errors", &["call", tool, r#"{"number":"x"}"#]).unwrap_err();
        assert_eq!(error, "bad number: invalid digit found in string", "{tool}");
    }
}

#[test]
fn instrument_stands_on_either_side() {
    for tool in ["instrumented_before", "instrumented_after"] {
        assert_eq!(call("errors", tool, r#"{"old":"text"}"#), "text cli", "{tool}");
    }
    assert_eq!(call("errors", "instrumented_blocking", r#"{"text":"text"}"#), "text");
}

#[test]
fn what_a_feature_removes_is_not_there() {
    assert_eq!(names(&debug("conditional", &["list"]).unwrap()), ["paint", "plain"]);
    assert_eq!(call("conditional", "paint", r#"{"colour":"red","name":"door"}"#), "door red");
    let error = debug("conditional", &["call", "paint", r#"{"colour":"green","name":"door","times":1}"#]).unwrap_err();
    assert!(error.contains("- colour: expected one of [\"red\"]\n  - times: unknown field"), "{error}");

    assert_eq!(names(&release("conditional", &["list"]).unwrap()), ["extra", "paint"]);
    let output = release("conditional", &["call", "paint", r#"{"colour":"green","name":"door","count":3}"#]);
    assert_eq!(output.unwrap(), "cli: door green 3");
}

#[test]
fn a_strict_crate_has_tools() {
    assert_eq!(call("strict", "strict", r#"{"number":9}"#), "cli: one 9");
}
