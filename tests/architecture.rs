//! The invariants of `ARCHITECTURE.md`, read from the sources.

use std::fs;
use std::path::{Path, PathBuf};

use pi_tools_tests::workspace;

/// The layers of the runtime: a module uses only modules of its own layer and of those before it.
const LAYERS: &[(&str, &[&str])] = &[
    ("data", &["spec", "error", "output", "builtin", "links", "template"]),
    ("schema", &["string_enum", "argument", "schema"]),
    ("contract", &["host", "spill", "session", "context", "children", "path"]),
    ("stages", &["pipeline", "truncate", "prompt"]),
    ("tool", &["tool"]),
    ("running", &["policy", "queue", "run", "command", "declaration", "check", "hooks", "batch", "toolbox"]),
    ("outside", &["protocol", "hint", "hosts", "cli", "linked", "testing"]),
];

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&workspace().join(folder), &mut found);
    assert!(!found.is_empty());
    found
}

/// The lines of code, without comments and docs.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.starts_with("//"))
}

/// The module below the crate's root that a file of the runtime belongs to.
fn module(path: &Path) -> String {
    let path = path.strip_prefix(workspace().join("pi-tools/src")).unwrap();
    path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|(_, modules)| modules.contains(&module))
}

#[test]
fn a_layer_uses_only_the_layers_before_it() {
    let mut faults = Vec::new();
    for (path, text) in sources("pi-tools/src") {
        let module = module(&path);
        if module == "lib" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("`{module}` is in no layer: add it to LAYERS"));
        for used in code(&text).filter_map(|line| line.split("crate::").nth(1)) {
            let used = used.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap();
            if let Some(other) = layer(used)
                && other > own
            {
                faults.push(format!(
                    "{}: `{module}` ({}) uses `{used}` ({})",
                    path.display(),
                    LAYERS[own].0,
                    LAYERS[other].0
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_stages_know_no_runtime_and_no_host() {
    let stages = LAYERS[layer("pipeline").unwrap()].1;
    for (path, text) in sources("pi-tools/src").into_iter().filter(|(path, _)| stages.contains(&module(path).as_str()))
    {
        for word in ["tokio", "async ", "ToolContext", "Host"] {
            assert!(code(&text).all(|line| !line.contains(word)), "{}: {word}", path.display());
        }
    }
}

/// A name of somebody else's type in the macro crate would be a guess about what the user means by it. (`ToolContext` is
/// ours.)
#[test]
fn the_macros_guess_no_types() {
    for (path, text) in sources("pi-tools-macros/src") {
        for line in code(&text) {
            for name in ["String", "Option", "Result", "Vec", "Box", "State", "Path"] {
                let quoted = format!("\"{name}\"");
                assert!(!line.contains(&quoted), "{}: {line}", path.display());
            }
        }
    }
}

/// stdout belongs to the protocol: only the command line and the wire name it, and the test that `check!` makes. That of a
/// child process is another.
#[test]
fn only_the_outside_prints() {
    for (path, text) in sources("pi-tools/src") {
        let outside =
            ["cli.rs", "hosts/stdio.rs", "stdio/unix.rs", "src/linked.rs"].iter().any(|name| path.ends_with(name));
        let has_children =
            ["command", "children"].contains(&module(&path).as_str()) || path.ends_with("hosts/pi/doctor.rs");
        let own = if has_children { "io::stdout" } else { "stdout" };
        assert!(outside || code(&text).all(|line| !line.contains(own)), "{}", path.display());
    }
}

/// The library that speaks MCP can be exchanged, and its types are in no signature that others see.
#[test]
fn one_file_names_the_library_of_mcp() {
    let naming = sources("pi-tools/src").into_iter().filter(|(_, text)| code(text).any(|line| line.contains("rmcp::")));
    let mut naming: Vec<(PathBuf, String)> = naming.collect();
    naming.sort();
    let paths: Vec<&Path> = naming.iter().map(|(path, _)| path.as_path()).collect();
    let module = workspace().join("pi-tools/src/hosts/mcp");
    assert_eq!(paths, [module.join("service.rs")]);
    // Nothing of it can be seen outside of the host.
    for (_, text) in &naming {
        let public: Vec<&str> =
            code(text).filter(|line| line.starts_with("pub ") || line.starts_with("pub(crate)")).collect();
        assert_eq!(public, [""; 0]);
    }
}

/// The text between the parentheses of each `#[attribute(..)]`.
fn attributes(text: &str, attribute: &str) -> Vec<String> {
    let marker = format!("[{attribute}(");
    let bodies = text.split(&marker).skip(1).map(|rest| {
        let mut depth = 1;
        rest.chars()
            .take_while(|letter| {
                depth += i32::from(*letter == '(') - i32::from(*letter == ')');
                depth > 0
            })
            .collect()
    });
    bodies.collect()
}

fn uses_key(text: &str, attribute: &str, key: &str) -> bool {
    attributes(text, attribute).iter().any(|body| {
        let words = body.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.into_iter().any(|word| word == key)
    })
}

/// The reference is written from the table, so it knows every key.
#[test]
fn every_key_has_a_passing_and_a_failing_example_and_a_doc() {
    let reference = fs::read_to_string(workspace().join("pi-tools-macros/keys.md")).unwrap();
    let all = |folder| -> String { sources(folder).into_iter().map(|(_, text)| text).collect() };
    let (passing, failing) = (all("tests"), all("ui-tests/ui"));
    let mut lacking = Vec::new();
    let mut keys = 0;
    for section in format!("\n{reference}").split("\n`#[").skip(1) {
        let attribute = section.split('(').next().unwrap();
        for row in section.lines().filter(|line| line.starts_with("| `")) {
            let key = row.trim_start_matches("| `").split(' ').next().unwrap();
            let doc = row.split(" | ").nth(1).unwrap_or_default();
            keys += 1;
            for (what, is_there) in [
                ("passing example", uses_key(&passing, attribute, key)),
                ("failing example", uses_key(&failing, attribute, key)),
                ("doc", doc.len() > 20),
            ] {
                if !is_there {
                    lacking.push(format!("`{key}` of `#[{attribute}]` has no {what}"));
                }
            }
        }
    }
    assert!(keys > 30, "{keys}");
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}
