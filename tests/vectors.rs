//! Golden data: what the real Pi and the providers do, case by case, through the public API.
//!
//! Reads `vectors/{pi,schema}/*.json`, or the same folders below `PI_TOOLS_VECTORS` (relative to the workspace). A case that `disputed.json` lists
//! with its proof is skipped, and printed.

mod readers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pi_tools::builtin;
use pi_tools::schema::{Change, Dialect, Parameters, Report, string_enum};
use pi_tools::schemars::Schema;
use pi_tools_tests::{provider, workspace};
use serde_json::Value;

/// What reads the cases of a file: `Err` tells how a case differs.
type Reader = fn(&Value) -> Result<(), String>;

const READERS: &[(&str, Reader)] = &[
    ("pi/builtins.json", builtin),
    ("pi/edit_prepare_arguments.json", readers::arguments::edit),
    ("pi/format_size.json", readers::truncate::size),
    ("pi/mutation_queue.json", readers::queue::mutation),
    ("pi/path_normalize.json", readers::queue::path),
    ("pi/pipeline.json", readers::batch::scenario),
    ("pi/prompt.json", readers::prompt::prompt),
    ("pi/provider_schema.json", provider_schema),
    ("pi/session_restore.json", readers::session::restored),
    ("pi/string_enum.json", string_enum_case),
    ("pi/truncate_head.json", readers::truncate::head),
    ("pi/truncate_line.json", readers::truncate::line),
    ("pi/truncate_tail.json", readers::truncate::tail),
    ("pi/validate.json", readers::arguments::validate),
    ("schema/cases.json", schema_case),
    ("schema/realworld.json", refused),
];

/// What a reader says of a case that no Rust program can read.
const SKIPPED: &str = "skipped";

/// Every JSON Schema, and what it is in a dialect.
fn schema_case(case: &Value) -> Result<(), String> {
    let dialect = case["id"].as_str().unwrap().rsplit('/').next().unwrap();
    agrees(&case["input"], dialect, &case["expect"], case["error"]["reason"].as_str())
}

/// A schema that a provider once refused, and what it takes instead; or a name of a tool.
fn refused(case: &Value) -> Result<(), String> {
    if let Some(name) = case["tool_name"].as_str() {
        let dialect = match case["provider"].as_str().unwrap().split_whitespace().next().unwrap() {
            "gemini" => Dialect::Google,
            "openai" => Dialect::OpenAi,
            "anthropic" => Dialect::Anthropic,
            _ => Dialect::Portable,
        };
        return if dialect.takes_name(name) { Err(format!("{name} is accepted")) } else { Ok(()) };
    }
    let after = &case["after"];
    agrees(&case["schema"], after["dialect"].as_str().unwrap_or_default(), &after["schema"], after["error"].as_str())
}

/// `json_schema` is the portable form. Of an error, the reason agrees; path and message are ours.
fn agrees(input: &Value, dialect: &str, expected: &Value, reason: Option<&str>) -> Result<(), String> {
    let dialect = match dialect {
        "json_schema" => Dialect::Portable,
        "google" => Dialect::Google,
        "openai_strict" => Dialect::OpenAiStrict,
        "anthropic" => Dialect::Anthropic,
        "anthropic_strict" => Dialect::AnthropicStrict,
        unknown => return Err(format!("unknown dialect {unknown}")),
    };
    let schema = Schema::try_from(input.clone()).map_err(|error| error.to_string())?;
    let rendered = Parameters::normalise(schema).and_then(|parameters| parameters.in_dialect(dialect));
    match (rendered, reason) {
        (Ok((schema, _)), None) if schema == *expected => Ok(()),
        (Ok((schema, _)), None) => equal(&schema.to_string(), &expected.to_string()),
        (Ok((schema, _)), Some(reason)) => equal(&schema.to_string(), reason),
        (Err(error), None) => equal(&error.to_string(), &expected.to_string()),
        (Err(error), Some(reason)) => equal(&snake(&format!("{:?}", error.reason())), reason),
    }
}

/// A built-in tool of Pi: its arguments, whose docs are ours.
fn builtin(case: &Value) -> Result<(), String> {
    let name = case["name"].as_str().unwrap();
    let schema = builtin::parameters(name).ok_or_else(|| format!("there is no built-in {name}"))?;
    let mut parameters = Parameters::normalise(schema).map_err(|error| error.to_string())?.schema().clone();
    let mut expected = case["parameters"].clone();
    remove_descriptions(&mut parameters);
    remove_descriptions(&mut expected);
    if parameters == expected { Ok(()) } else { equal(&parameters.to_string(), &expected.to_string()) }
}

fn remove_descriptions(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|keyword, value| keyword != "description" || !value.is_string());
            map.values_mut().for_each(remove_descriptions);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_descriptions),
        _ => {}
    }
}

/// What Pi makes of a schema on its way to a provider; of the portable form of the same schema it loses nothing.
fn provider_schema(case: &Value) -> Result<(), String> {
    let strict = |schema: &Value| provider::strict(schema).unwrap_or_else(Value::String);
    let made = [
        (provider::google(&case["schema"]), &case["google"]),
        (provider::google_legacy(&case["schema"]), &case["google_legacy"]),
        (strict(&case["schema"]), case.get("strict").unwrap_or(&case["strict_error"])),
    ];
    for (got, expected) in made {
        if got != *expected {
            equal(&got.to_string(), &expected.to_string())?;
        }
    }
    let Ok(parameters) = Parameters::normalise(Schema::try_from(case["schema"].clone()).unwrap()) else {
        return Ok(());
    };
    let (portable, report) = parameters.in_dialect(Dialect::Portable).map_err(|error| error.to_string())?;
    let is_warned = |what: &str| report.warnings.iter().any(|warning| warning.text.contains(what));
    if provider::google(&portable) != portable {
        return Err(format!("Pi changes {portable} for Google"));
    }
    if provider::google_legacy(&portable) != portable && !is_warned("Cloud Code Assist") && !is_warned("itself") {
        return Err(format!("Pi loses a part of {portable} for Cloud Code Assist"));
    }
    match (provider::strict(&portable), parameters.in_dialect(Dialect::OpenAiStrict)) {
        (Err(error), Ok(_)) if !error.contains("unions") => Err(format!("Pi takes {portable} not strictly: {error}")),
        _ => Ok(()),
    }
}

/// `RootUnion` as the cases write it.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

fn string_enum_case(case: &Value) -> Result<(), String> {
    let values: Vec<&str> = case["values"].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect();
    let option = |name: &str| case["options"][name].as_str().unwrap_or_default();
    let schema = string_enum(&values, option("description"), option("default"));
    equal(&serde_json::to_string(&schema).unwrap(), case["json"].as_str().unwrap())
}

fn equal(got: &str, expected: &str) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("expected {expected}\n     got {got}")) }
}

#[test]
fn every_case() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let folder = std::env::var_os("PI_TOOLS_VECTORS").map_or_else(|| own.clone(), |folder| workspace().join(folder));
    let disputed: Vec<Value> = read(&own.join("disputed.json"));
    let mut notices = Vec::new();
    let mut failures = Vec::new();
    let mut passed = 0;
    for (file, path) in files(&folder) {
        let Some((_, reader)) = READERS.iter().find(|(name, _)| file == *name) else {
            notices.push(format!("{file}: nothing reads this file yet"));
            continue;
        };
        let content: Value = read(&path);
        let cases = content.get("cases").unwrap_or(&content).as_array().unwrap_or_else(|| panic!("{file}: no cases"));
        assert!(!cases.is_empty(), "{file}: no cases");
        for case in cases {
            let name = case["name"].as_str().or(case["id"].as_str()).unwrap_or_default();
            if let Some(dispute) = disputed.iter().find(|it| it["file"] == file.as_str() && it["case"] == name) {
                notices.push(format!("{file}: {name}: disputed: {}", dispute["proof"]));
                continue;
            }
            match reader(case) {
                Ok(()) => passed += 1,
                Err(reason) if reason == SKIPPED => {
                    notices.push(format!("{file}: {name}: skipped: only JavaScript reads it"));
                }
                Err(difference) => failures.push(format!("{file}: {name}:\n{difference}")),
            }
        }
    }
    // Past the test runner, which hides what a passing test prints.
    let mut stderr = std::io::stderr().lock();
    for notice in notices {
        writeln!(stderr, "{notice}").unwrap();
    }
    writeln!(stderr, "vectors: {passed} cases passed").unwrap();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    assert!(passed > 0, "no cases in {}", folder.display());
}

/// The files, by names like `pi/string_enum.json`. `pi/vectors/` is read like `pi/`.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    for kind in ["pi", "schema"] {
        for folder in [folder.join(kind), folder.join(kind).join("vectors")] {
            let Ok(entries) = fs::read_dir(folder) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.extension().is_some_and(|extension| extension == "json") {
                    files.insert(format!("{kind}/{}", path.file_name().unwrap().to_str().unwrap()), path);
                }
            }
        }
    }
    files
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A report is complete: a keyword that a dialect says in another way anywhere has an entry, and what has an entry
/// differs. What is said is JSON Schema.
#[test]
fn every_loss() {
    let cases: Vec<Value> = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/schema/cases.json"));
    let mut failures = Vec::new();
    let mut reports = 0;
    for case in &cases {
        let Ok(parameters) = Parameters::normalise(Schema::try_from(case["input"].clone()).unwrap()) else { continue };
        for dialect in Dialect::ALL {
            let Ok((schema, Report { losses, .. })) = parameters.in_dialect(dialect) else { continue };
            reports += losses.len();
            if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
                failures.push(format!("{} as {}: {error}", case["id"], dialect.name()));
            }
            let (own, others) = (tally(parameters.schema()), tally(&schema));
            let keywords = own.iter().chain(&others).map(|((keyword, _), _)| keyword.as_str());
            let differing: BTreeSet<&str> = keywords
                .filter(|keyword| {
                    let of = |tally: &'_ Tally| -> Tally {
                        tally.iter().filter(|((other, _), _)| other == keyword).map(|(k, n)| (k.clone(), *n)).collect()
                    };
                    of(&own) != of(&others)
                })
                .collect();
            let reported: BTreeSet<&str> =
                losses.iter().map(|loss| loss.keyword.as_str()).filter(|keyword| *keyword != "description").collect();
            if differing != reported {
                let form = parameters.schema();
                failures.push(format!(
                    "{} as {}: {differing:?} differ, {reported:?} are reported\n  {form}\n  {schema}",
                    case["id"],
                    dialect.name()
                ));
            }
            for loss in losses {
                if loss.change != Change::Added
                    && parameters.schema().pointer(&format!("{}/{}", loss.pointer, loss.keyword)).is_none()
                {
                    failures.push(format!("{} as {}: nothing is at {loss}", case["id"], dialect.name()));
                }
            }
        }
    }
    assert!(reports > 0);
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

type Tally = BTreeMap<(String, String), usize>;

/// How often each keyword has each value, anywhere in a schema. What a description says is told with its keyword.
fn tally(schema: &Value) -> Tally {
    fn count(schema: &Value, tally: &mut Tally) {
        let Value::Object(map) = schema else { return };
        for (keyword, value) in map {
            let value = match (keyword.as_str(), value) {
                ("description", _) => continue,
                ("type", Value::String(kind)) if kind == "null" => continue,
                ("properties" | "$defs", Value::Object(schemas)) => {
                    schemas.values().for_each(|schema| count(schema, tally));
                    Value::from(schemas.keys().map(String::as_str).collect::<Vec<_>>())
                }
                // Any value at all, where it needs types: one entry.
                ("anyOf", Value::Array(schemas)) if schemas.len() == 5 && schemas[3].get("properties").is_none() => {
                    schemas.len().into()
                }
                ("anyOf", Value::Array(schemas)) => {
                    for schema in schemas {
                        count(schema, tally);
                    }
                    schemas.len().into()
                }
                ("items" | "additionalProperties", schema @ Value::Object(_)) => {
                    count(schema, tally);
                    Value::Null
                }
                (_, value) => value.clone(),
            };
            *tally.entry((keyword.clone(), value.to_string())).or_default() += 1;
        }
    }
    let mut tally = Tally::new();
    count(schema, &mut tally);
    tally
}
