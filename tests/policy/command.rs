//! The command line: `--policy`, `--arg`, questions on the terminal, and "did you mean".

use std::process::Command;

const LAB: &str = env!("CARGO_BIN_EXE_lab");

fn lab(arguments: &[&str]) -> Command {
    pi_tools_tests::command(LAB, arguments)
}

fn output(arguments: &[&str]) -> (String, String, Option<i32>) {
    pi_tools_tests::output(LAB, arguments)
}

fn ran(arguments: &[&str], text: &str) {
    assert_eq!(output(arguments), (format!("{text}\n"), String::new(), Some(0)), "{arguments:?}");
}

/// The command line makes no sense.
fn refused(arguments: &[&str], problem: &str) {
    let (stdout, stderr, status) = output(arguments);
    assert!(stdout.is_empty() && stderr.contains(problem) && status == Some(2), "{arguments:?}: {stdout}{stderr}");
}

#[test]
fn policies() {
    let erase = ["call", "erase", r#"{"paths":["a","b"]}"#];
    let with = |policies: &[&'static str]| -> Vec<&str> { [&erase[..], policies].concat() };
    ran(&with(&["--policy", "yes"]), "erased 2 files, 1 deep");
    ran(&with(&["--policy", "deny=@read-only yes", "--policy", "allow=erase,lab/"]), "erased 2 files, 1 deep");
    for (policies, reason) in [
        (&[][..], ": it needs the answer yes to \"Erase [\"a\",\"b\"], 1 deep?\", and nobody is there to give it."),
        (&["--policy", "read-only", "--policy", "yes"], " by the policy `read-only`\n"),
        (&["--policy", "yes deny=@destructive"], " by the policy `deny=@destructive`\n"),
        (&["--policy", "yes", "--policy", "allow=views/"], " by the policy `allow=views/`\n"),
    ] {
        let (stdout, stderr, status) = output(&with(policies));
        assert!(stdout.starts_with(&format!("Tool execution was blocked{reason}")), "{stdout}");
        assert_eq!((stderr.as_str(), status), ("", Some(1)));
    }
    refused(&with(&["--policy", "deny=eras"]), "there is no tool `eras`; there is: ");
    refused(&with(&["--policy", "deny=eras"]), "\ndid you mean `erase`?\n");
    refused(&with(&["--policy", "allow=erase,nowhere/"]), "no tool is in the namespace `nowhere/`");
    refused(&with(&["--policy", "none"]), "`none` is no rule: write ");
    refused(&["serve", "--policy", "deny=eras"], "did you mean `erase`?");
    refused(&["pi", "run", "--policy", "deny=eras"], "did you mean `erase`?");
    refused(&["pi", "run", "--policy", "eras"], "`eras` is no rule");
}

#[test]
fn arguments_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.txt");
    std::fs::write(&path, "two\nlines\n").unwrap();
    let from_file = format!("text=@{}", path.display());

    ran(&["call", "erase", "--arg", "paths=a", "--policy", "yes"], "erased 1 files, 1 deep");
    ran(
        &["call", "erase", "--arg", "paths=a", "--arg", "oldDepth=3", "--arg", "paths=b", "--policy=yes"],
        "erased 2 files, 3 deep",
    );
    let look = ["call", "look", "--arg", "place.line=7"];
    let with = |pairs: &[&'static str]| -> Vec<&str> { [&look[..], pairs].concat() };
    ran(&with(&[]), "line 7 of None");
    ran(&with(&["--arg", "text="]), r#"line 7 of Some("")"#);
    ran(&with(&["--arg", "text=a=b"]), r#"line 7 of Some("a=b")"#);
    ran(&with(&["--arg", "text=@@a"]), r#"line 7 of Some("@a")"#);
    ran(&with(&["--arg=text=-x"]), r#"line 7 of Some("-x")"#);
    ran(&[&look[..], &["--arg", &from_file]].concat(), r#"line 7 of Some("two\nlines\n")"#);

    let (stdout, _, status) = output(&["call", "look", "--arg", "place.line=x"]);
    assert!(stdout.contains("\n  - place.line: ") && status == Some(1), "{stdout}");
    refused(&with(&["--arg", "text"]), "`text` is no argument: write NAME=VALUE");
    refused(&with(&["--arg", "place=7"]), "`place=7`: `place` is both a value and an object");
    refused(&with(&["--arg", "text=x", "--arg", "text.x=1"]), "`text.x` is both a value and an object");
    refused(&with(&["--arg", "place..line=7"]), "a name is empty");
    refused(&with(&["--arg", "=7"]), "a name is empty");
    refused(&with(&["--arg", "text=@"]), "a file's name is missing");
    refused(&with(&["--arg", "text=@/nowhere.txt"]), "/nowhere.txt: ");
    refused(&["call", "look", "{}", "--arg", "text=x"], "cannot be used with");
}

#[test]
fn did_you_mean() {
    for command in ["call", "show", "schema"] {
        refused(&[command, "remembr"], "\ndid you mean `remember`?\n");
        let (_, stderr, _) = output(&[command, "xyzzy"]);
        assert!(!stderr.contains("did you mean"), "{stderr}");
    }
    for (name, arguments, hints) in [
        ("chatter", r#"{"tetx":"x"}"#, "did you mean `text` in place of `tetx`?\n"),
        (
            "look",
            r#"{"Place":{"line":1},"txt":"x"}"#,
            "did you mean `place` in place of `Place`?\ndid you mean `text` in place of `txt`?\n",
        ),
        ("look", r#"{"place":{"lin":1}}"#, "did you mean `place.line` in place of `place.lin`?\n"),
        ("look", r#"{"place":{"line":1},"text":"x","xyzzy":1}"#, ""),
        // It has its value already, or is an old name.
        ("chatter", r#"{"text":"x","texts":"y"}"#, ""),
        ("erase", r#"{"oldDepth":2}"#, ""),
    ] {
        let (stdout, stderr, status) = output(&["call", name, arguments]);
        assert!(stdout.starts_with("Validation failed for tool "), "{stdout}");
        assert!(!stdout.contains("did you mean"));
        assert_eq!((stderr.as_str(), status), (hints, Some(1)), "{arguments}");
    }
}

/// A call whose standard input and error are a terminal that `answer` is typed into, or that is interrupted.
#[cfg(unix)]
fn asked(answer: Option<&str>) -> (String, String) {
    use std::fs::{File, OpenOptions};
    use std::io::{Read, Write};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let open = || OpenOptions::new().read(true).write(true).open(&name).unwrap();
    let mut command = lab(&["call", "erase", "--arg", "paths=a\u{1b}[2K"]);
    let mut call = command.stdin(open()).stderr(open()).spawn().unwrap();
    // It has them still, and who reads would wait for more.
    drop(command);

    let mut terminal = File::from(terminal);
    let mut shown = Vec::new();
    let mut buffer = [0; 1024];
    while !shown.ends_with(b"[y/N] ") {
        let length = terminal.read(&mut buffer).unwrap();
        shown.extend_from_slice(&buffer[..length]);
    }
    match answer {
        Some(answer) => terminal.write_all(answer.as_bytes()).unwrap(),
        None => assert!(Command::new("kill").args(["-INT", &call.id().to_string()]).status().unwrap().success()),
    }
    let mut result = String::new();
    call.stdout.take().unwrap().read_to_string(&mut result).unwrap();
    call.wait().unwrap();
    (String::from_utf8(shown).unwrap(), result)
}

#[cfg(unix)]
#[test]
fn a_terminal_is_asked() {
    for (answer, is_yes) in
        [("y\n", true), ("YES\n", true), ("n\n", false), ("\n", false), ("yesterday\n", false), ("\u{4}", false)]
    {
        let (shown, result) = asked(Some(answer));
        assert_eq!(shown, "Erase [\"a\\u001b[2K\"], 1 deep? [y/N] ");
        assert_eq!(result == "erased 1 files, 1 deep\n", is_yes, "{answer:?}: {result}");
        assert_eq!(result.starts_with("Tool execution was blocked: the user said no to \"Erase "), !is_yes);
    }
    assert_eq!(asked(None).1, "Operation aborted\n");
}
