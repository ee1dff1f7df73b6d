//! What Pi draws of calls, results and entries by the templates of a bundle.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine as _;
use pi_tools_tests::pi::{self, Pi};
use pi_tools_tests::workspace;
use serde_json::{Value, json};

use super::{call, calls, embedding, extension_of};

/// The bundle of tools that are drawn by templates.
const DRAWN: &str = env!("CARGO_BIN_EXE_drawn");

/// What the registered renderers make of these cases, line by line.
fn drawn(cases: &[Value]) -> Vec<Value> {
    let home = tempfile::tempdir().unwrap();
    let mut command = embedding("renderers.mjs", home.path());
    command.arg(extension_of(DRAWN, home.path()));
    let mut node = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    write!(node.stdin.take().unwrap(), "{}", json!(cases)).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

/// The renderers as Pi calls them, with a theme that writes its styles out.
#[test]
#[expect(clippy::too_many_lines, reason = "one start of Pi for a table")]
fn as_pi_calls_them() {
    if pi::install().is_none() {
        return;
    }
    let search = |args: Value| json!({ "tool": "search", "args": args });
    let expanded = |mut case: Value| {
        case["expanded"] = json!(true);
        case
    };
    let with = |mut case: Value, key: &str, value: Value| {
        case[key] = value;
        case
    };
    let result = |content: Value, details: Value| json!({ "tool": "search", "args": {}, "result": { "content": content, "details": details } });
    let log = |lines: u32| {
        let log = (1..=lines).map(|line| format!("line {line}\n")).collect::<String>();
        json!({ "tool": "log", "result": { "content": text(&log) } })
    };
    let count =
        |details: Value| json!({ "tool": "count", "result": { "content": text("counted"), "details": details } });
    let entry = |data: Value| json!({ "entry": "drawn-bookmark", "data": data });
    let title = "<toolTitle bold>search </>";
    let more = "<muted>... (1 more lines, </>[app.tools.expand to expand]<muted>)</>";
    let cases: Vec<(Value, Value)> = vec![
        // Calls.
        (
            search(json!({ "query": "tea", "at": { "line": 3 }, "paths": ["a", "b"] })),
            json!([format!("{title}<accent bold>tea</><toolOutput> </><warning>3</><toolOutput> </><dim>a, b</>")]),
        ),
        (
            search(json!({ "query": "tea", "paths": ["a"] })),
            json!([format!("{title}<accent bold>tea</><toolOutput> </><dim>a</>")]),
        ),
        // The old name, which is drawn before Pi prepares the arguments.
        (search(json!({ "q": "tea" })), json!([format!("{title}<accent bold>tea</>")])),
        (search(json!({})), json!(["<toolTitle bold>search</>"])),
        (search(json!({ "query": " one\n\ttwo ", "at": null })), json!([format!("{title}<accent bold>one two</>")])),
        (
            expanded(search(json!({ "query": "one\ntwo" }))),
            json!([format!("{title}<accent bold>one</>"), "<accent bold>two</>"]),
        ),
        (search(json!({ "query": "é".repeat(101) })), json!([format!("{title}<accent bold>{}…</>", "é".repeat(100))])),
        (
            with(expanded(search(json!({ "query": "é".repeat(101) }))), "width", json!(400)),
            json!([format!("{title}<accent bold>{}</>", "é".repeat(101))]),
        ),
        // No value paints by itself.
        (
            search(json!({ "query": "\u{1b}[31mred\u{1b}]0;title\u{7}\u{8}" })),
            json!([format!("{title}<accent bold>red</>")]),
        ),
        // Shapes that no schema allows.
        (search(Value::Null), json!(["<toolTitle bold>search</>"])),
        (search(json!("text")), json!(["<toolTitle bold>search</>"])),
        (search(json!([1])), json!(["<toolTitle bold>search</>"])),
        (
            search(json!({ "query": { "a": [1] }, "at": 3, "paths": [{}, null] })),
            json!([format!("{title}<accent bold>{{\"a\":[1]}}</><toolOutput> </><dim>[{{}},null]</>")]),
        ),
        (
            search(json!({ "query": true, "paths": 0 })),
            json!([format!("{title}<accent bold>true</><toolOutput> </><dim>0</>")]),
        ),
        (with(search(json!({ "query": "tea" })), "theme", json!("poor")), json!(["search tea"])),
        (json!({ "tool": "count", "args": {} }), json!(["<toolTitle bold>{count}</>"])),
        // Results.
        (
            result(text("see above"), json!({ "count": 2, "best": { "name": "tea" } })),
            json!(["<success>2</><toolOutput> found </><toolOutput italic>tea</>"]),
        ),
        (result(text("see above"), json!({ "count": 0 })), json!(["<success>0</><toolOutput> found</>"])),
        // Nothing of the template is there.
        (result(text("see above"), json!({})), json!(["<toolOutput>see above</>"])),
        (result(text("see above"), Value::Null), json!(["<toolOutput>see above</>"])),
        (result(Value::Null, json!([1])), json!([])),
        (
            result(json!([{ "type": "image" }, null, { "type": "text", "text": 1 }]), json!("x")),
            json!(["<toolOutput>1</>"]),
        ),
        (
            with(result(text("one\ntwo"), json!({ "count": 2 })), "isError", json!(true)),
            json!(["<error>one</>", "<error>two</>"]),
        ),
        (with(result(text("half way"), json!({ "count": 2 })), "isPartial", json!(true)), json!(["<dim>half way</>"])),
        // So many lines, from the end where that is kept.
        (log(2), json!(["<toolOutput>line 1</>", "<toolOutput>line 2</>"])),
        (
            log(4),
            json!([
                "<muted>... (2 earlier lines, </>[app.tools.expand to expand]<muted>)</>",
                "<toolOutput>line 3</>",
                "<toolOutput>line 4</>",
            ]),
        ),
        (
            with(log(3), "isPartial", json!(true)),
            json!([
                "<muted>... (1 earlier lines, </>[app.tools.expand to expand]<muted>)</>",
                "<dim>line 2</>",
                "<dim>line 3</>",
            ]),
        ),
        (expanded(log(3)), json!(["<toolOutput>line 1</>", "<toolOutput>line 2</>", "<toolOutput>line 3</>"])),
        // State is in the details.
        (count(json!({ "tally": 3 })), json!(["<accent>3</><toolOutput> so far</>", more])),
        (expanded(count(json!({ "tally": 3 }))), json!(["<accent>3</><toolOutput> so far</>", "<dim>counted</>"])),
        // A line that is wrapped is several.
        (
            with(with(count(json!({ "tally": "9".repeat(50) })), "theme", json!("plain")), "width", json!(40)),
            json!(["9".repeat(40), "... (2 more lines, [app.tools.expand to", "expand])"]),
        ),
        // Entries.
        (
            entry(json!({ "title": "Tea", "url": "https://tea.example" })),
            json!([" <customMessageText>→ </><accent>Tea</><customMessageText> </><dim>https://tea.example</>"]),
        ),
        (entry(json!({ "title": "Tea", "url": null })), json!([" <customMessageText>→ </><accent>Tea</>"])),
        (entry(Value::Null), json!([" <customMessageText>→</>"])),
        // Pi draws what has no template, and its own tools.
        (json!({ "tool": "bookmark", "args": {} }), Value::Null),
        (json!({ "tool": "log", "args": {} }), Value::Null),
        (json!({ "entry": "another", "data": {} }), Value::Null),
    ];
    let inputs: Vec<Value> = cases.iter().map(|(case, _)| case.clone()).collect();
    let found = drawn(&inputs);
    assert_eq!(found.len(), cases.len());
    for ((case, expected), found) in cases.iter().zip(&found) {
        assert_eq!(found, expected, "{case}");
    }
}

/// A page with the session, in the colours of the theme.
#[test]
fn exported_as_html() {
    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut pi = Pi::options().bundle(DRAWN).session(folder.path().join("session.jsonl")).start();
    let result = call(&mut pi, "search", json!({ "query": "tea", "paths": ["a", "b"] }));
    assert_eq!(result.details["count"], 2);
    assert!(call(&mut pi, "search", json!({ "query": "" })).is_error);
    assert_eq!(call(&mut pi, "count", json!({})).details, json!({ "tally": 1 }));
    assert_eq!(call(&mut pi, "bookmark", json!({ "title": "Tea" })).text, "Tea");
    assert_eq!(call(&mut pi, "bookmark", json!({ "title": "Milk", "url": "b" })).text, "Tea, Milk");
    let entries = pi.entries();
    let kept = entries.iter().filter(|entry| entry["customType"] == "drawn-bookmark");
    let kept: Vec<&Value> = kept.map(|entry| &entry["data"]).collect();
    assert_eq!(kept, [&json!({ "title": "Tea", "url": null }), &json!({ "title": "Milk", "url": "b" })]);

    let page = folder.path().join("session.html");
    pi.request(json!({ "type": "export_html", "outputPath": page }));
    let html = std::fs::read_to_string(page).unwrap();
    let (_, data) = html.split_once("id=\"session-data\"").unwrap();
    let data = data.split(['>', '<']).nth(1).unwrap();
    let session: Value =
        serde_json::from_slice(&base64::engine::general_purpose::STANDARD.decode(data.trim()).unwrap()).unwrap();
    let calls = entries.iter().flat_map(|entry| entry["message"]["content"].as_array().into_iter().flatten());
    let ids: Vec<&str> = calls.filter_map(|block| block["id"].as_str()).collect();
    let rendered = &session["renderedTools"];
    let [found, failed, counted, ..] = ids[..] else { panic!("{ids:?}") };
    let span = |html: &Value, text: &str| -> String {
        let html = html.as_str().unwrap();
        let (before, _) = html.split_once(&format!(">{text}</span>")).unwrap_or_else(|| panic!("no {text} in {html}"));
        before.rsplit_once("<span ").unwrap().1.to_owned()
    };
    let call_html = &rendered[found]["callHtml"];
    let (title, query, paths) = (span(call_html, "search "), span(call_html, "tea"), span(call_html, "a, b"));
    assert!(query.contains("color") && query.contains("bold") && title.contains("bold"), "{title} {query}");
    assert!(query != title && paths != query && !paths.contains("bold"), "{title} {query} {paths}");
    let result = &rendered[found]["resultHtmlExpanded"];
    assert!(span(result, "2") != span(result, " found ") && span(result, "tea").contains("italic"), "{result}");
    let error = span(&rendered[failed]["resultHtmlExpanded"], "query: must not be empty");
    assert!(error.contains("color") && error != span(result, " found "), "{error}");
    let (collapsed, whole) = (&rendered[counted]["resultHtmlCollapsed"], &rendered[counted]["resultHtmlExpanded"]);
    span(collapsed, " so far");
    assert!(
        collapsed.to_string().contains("1 more lines") && !collapsed.to_string().contains("counted"),
        "{collapsed}"
    );
    span(whole, "counted");
    assert!(pi.quit().success());
}

/// How the first letter of a text looks that the terminal shows: its colour, and whether it is bold and italic.
#[cfg(target_os = "linux")]
fn looks(terminal: &pi_tools_tests::terminal::Terminal, text: &str) -> (String, bool, bool) {
    terminal.look(|screen| {
        let (_, columns) = screen.size();
        let place = screen.rows(0, columns).zip(0..).find_map(|(row, line)| Some((line, row.find(text)?, row)));
        let (line, at, row) = place.unwrap_or_else(|| panic!("no {text} in\n{}", screen.contents()));
        let column = u16::try_from(row[..at].chars().count()).unwrap();
        let cell = screen.cell(line, column).unwrap();
        (format!("{:?}", cell.fgcolor()), cell.bold(), cell.italic())
    })
}

/// What a user sees, while a call runs and after it, and when the session is opened again.
#[cfg(target_os = "linux")]
#[test]
fn in_the_terminal() {
    use pi_tools_tests::terminal::key;

    if pi::install().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    let start = || Pi::options().bundle(DRAWN).session(&session).start_in_terminal();
    let other = folder.path().join("other.jsonl");
    let said = |text: &str| json!({ "text": text });
    let mut terminal = start();
    let first = [
        ("search", json!({ "query": "tea", "paths": ["a", "b"] })),
        ("bookmark", json!({ "title": "Tea", "url": "tea.example" })),
    ];
    terminal.prompt("first", json!([calls(&first), said("the first is done")]));
    let drawn = ["search tea a, b", "2 found tea", "→ Tea tea.example"];
    let screen = terminal.wait_for("the first is done");
    assert!(drawn.iter().all(|text| screen.contains(text)), "{screen}");
    assert!(terminal.quit().success());

    let mut terminal = start();
    let screen = terminal.wait_for("the first is done");
    assert!(drawn.iter().all(|text| screen.contains(text)), "{screen}");
    let [title, query, paths] = ["search tea", "tea a, b", "a, b"].map(|text| looks(&terminal, text));
    assert!(title.1 && query.1 && !paths.1 && title != query && query.0 != paths.0, "{title:?} {query:?} {paths:?}");
    assert_ne!(looks(&terminal, "2 found").0, looks(&terminal, "found tea").0);
    assert_ne!(looks(&terminal, "→ Tea").0, looks(&terminal, "Tea tea.example").0);

    // Meanwhile, and then.
    let until = folder.path().join("until");
    let log = ("log", json!({ "lines": 7, "until": until }));
    terminal.prompt("second", json!([calls(&[log]), said("the second is done")]));
    terminal.wait_for("(5 earlier lines, ctrl+o to expand)");
    let meanwhile = looks(&terminal, "line 7");
    std::fs::write(&until, "now").unwrap();
    let screen = terminal.wait_for("the second is done");
    assert!(screen.contains("line 6") && !screen.contains("line 5"), "{screen}");
    assert_ne!(looks(&terminal, "line 7").0, meanwhile.0);
    terminal.press(key::CTRL_O);
    terminal.wait_for("line 1");
    terminal.press(key::CTRL_O);
    terminal.wait_gone("line 1");

    // An error, and an override that is drawn as the built-in is.
    let third = [("search", json!({ "query": "" })), ("write", json!({ "path": "a.txt", "content": "let it be" }))];
    terminal.prompt("third", json!([calls(&third), said("the third is done")]));
    let screen = terminal.wait_for("the third is done");
    assert!(screen.contains("write a.txt") && !screen.contains("pretended"), "{screen}");
    assert_ne!(looks(&terminal, "query: must not be empty").0, looks(&terminal, "line 7").0);
    assert!(terminal.quit().success());

    // In place of another session.
    let mut terminal = Pi::options().bundle(DRAWN).session(&other).start_in_terminal();
    terminal.press(&format!("/switch {}", session.display()));
    terminal.press(key::ENTER);
    let screen = terminal.wait_for("the third is done");
    assert!(
        ["→ Tea tea.example", "(5 earlier lines", "write a.txt"].iter().all(|text| screen.contains(text)),
        "{screen}"
    );
    assert!(!screen.contains("\"query\""), "{screen}");
    assert!(terminal.quit().success());
}

/// The macro and the runtime know the colours of this version of Pi, and no others.
#[test]
fn the_colours_are_pis() {
    let Some(programs) = pi::install() else { return };
    let package = programs.parent().unwrap().join("@earendil-works/pi-coding-agent");
    let tokens = package.join("dist/modes/interactive/theme/theme-tokens.js");
    let script = format!(
        "import {{ THEME_TOKENS }} from {:?}; console.log(JSON.stringify(Object.entries(THEME_TOKENS)
           .filter(([_, {{ slot }}]) => slot === \"foreground\").map(([name]) => name)))",
        tokens.to_str().unwrap()
    );
    let output = Command::new(programs.join("node")).args(["--input-type=module", "--eval", &script]).output().unwrap();
    let mut theirs: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
    theirs.sort_unstable();
    for source in ["pi-tools/src/template.rs", "pi-tools-macros/src/template.rs"] {
        let source = std::fs::read_to_string(workspace().join(source)).unwrap();
        let (_, list) = source.split_once("COLOURS: &[&str] = &[").unwrap();
        let names = list.split(']').next().unwrap().split('"').skip(1).step_by(2);
        let mut ours: Vec<&str> = names.collect();
        ours.sort_unstable();
        assert_eq!(ours, theirs);
    }
}
