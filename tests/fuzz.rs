//! The fuzz targets of `fuzz/`, driven without a fuzzer: golden data, changed at random.
//!
//! `PI_TOOLS_FUZZ_SECONDS=600 cargo test -p pi-tools-tests --test fuzz` runs each for that long, from a new start; by
//! default it is a second, always from the same one. With `PI_TOOLS_FUZZ_CORPUS=FOLDER` the seeds are written there instead.

#[allow(missing_docs, unreachable_pub)]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::hash::{BuildHasher as _, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use pi_tools_tests::random::Random;
use pi_tools_tests::workspace;
use serde_json::{Map, Value, json};

/// How long one input may take, in a debug build on a busy machine: more is not linear any more.
const LONGEST: Duration = Duration::from_secs(10);

/// What changes are made of: all values and keys of the seeds.
struct Words {
    values: Vec<Value>,
    keys: Vec<String>,
}

impl Words {
    fn of(seeds: &[Vec<Value>]) -> Self {
        fn collect(value: &Value, words: &mut Words) {
            words.values.push(value.clone());
            match value {
                Value::Object(map) => {
                    for (key, value) in map {
                        words.keys.push(key.clone());
                        collect(value, words);
                    }
                }
                Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
                _ => {}
            }
        }
        let extremes =
            json!([null, true, 0, -1, 1.5, 1e308, u64::MAX, i64::MIN, "", "\u{0}", "😀", [], {}, "#", "^a|b$"]);
        let mut words = Self { values: Vec::new(), keys: vec![String::new(), "__proto__".to_owned()] };
        collect(&extremes, &mut words);
        seeds.iter().flatten().for_each(|seed| collect(seed, &mut words));
        words.keys.sort();
        words.keys.dedup();
        words.values.sort_by_cached_key(ToString::to_string);
        words.values.dedup();
        words
    }

    /// Changes a value somewhere.
    fn change(&self, value: &mut Value, random: &mut Random) {
        let is_here = random.below(3) == 0;
        match value {
            Value::Object(map) if !is_here && !map.is_empty() => self.change_object(map, random),
            Value::Array(items) if !is_here && !items.is_empty() => {
                let index = random.below(items.len());
                match random.below(6) {
                    0 => drop(items.remove(index)),
                    1 => items.insert(index, random.one_of(&self.values).clone()),
                    2 => items.push(items[index].clone()),
                    _ => self.change(&mut items[index], random),
                }
            }
            value => *value = random.one_of(&self.values).clone(),
        }
    }

    fn change_object(&self, map: &mut Map<String, Value>, random: &mut Random) {
        let key = map.keys().nth(random.below(map.len())).unwrap().clone();
        match random.below(8) {
            0 => drop(map.shift_remove(&key)),
            1 => {
                let value = map.shift_remove(&key).unwrap();
                map.insert(random.one_of(&self.keys).clone(), value);
            }
            2 => drop(map.insert(random.one_of(&self.keys).clone(), random.one_of(&self.values).clone())),
            3 => drop(map.insert(random.one_of(&self.keys).clone(), map[&key].clone())),
            _ => self.change(&mut map[&key], random),
        }
    }
}

/// Changes the text itself, as a fuzzer does.
fn change_bytes(text: &mut Vec<u8>, random: &mut Random) {
    if text.is_empty() {
        return text.push(b'\n');
    }
    let at = random.below(text.len());
    match random.below(5) {
        0 => text[at] = u8::try_from(random.below(256)).unwrap(),
        1 => drop(text.remove(at)),
        2 => text.truncate(at),
        3 => text.insert(at, *random.one_of(b"\n\r \"\\{}[],:0\xFF\xEF\xBB\xBF")),
        _ => {
            let end = (at + random.below(40)).min(text.len());
            text.extend_from_within(at..end);
        }
    }
}

fn text_of(lines: &[Value]) -> String {
    lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"))
}

/// Changes seeds, each a list of lines, and gives them to a target for a while.
fn drive(name: &str, target: fn(&[u8]), seeds: &[Vec<Value>]) {
    assert!(seeds.len() > 1, "there are seeds for {name}");
    if let Some(corpus) = std::env::var_os("PI_TOOLS_FUZZ_CORPUS") {
        let folder = Path::new(&corpus).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (index, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{index}")), text_of(seed)).unwrap();
        }
        return;
    }
    let seconds = std::env::var("PI_TOOLS_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let start = if seconds.is_some() { RandomState::new().hash_one(name) | 1 } else { 0x2545_F491_4F6C_DD1D };
    let mut random = Random(start);
    let words = Words::of(seeds);
    let began = Instant::now();
    let mut count = 0_u64;
    while began.elapsed() < Duration::from_secs(seconds.unwrap_or(1)) {
        let mut lines = random.one_of(seeds).clone();
        for _ in 0..random.below(8) {
            let index = random.below(lines.len());
            match random.below(20) {
                0 => {
                    let other: &Vec<Value> = random.one_of(seeds);
                    lines.insert(index, random.one_of(other).clone());
                }
                _ => words.change(&mut lines[index], &mut random),
            }
        }
        let mut text = text_of(&lines).into_bytes();
        if random.below(4) == 0 {
            (0..=random.below(4)).for_each(|_| change_bytes(&mut text, &mut random));
        }
        // A target that hangs is found by what is running.
        let running = std::env::temp_dir().join(format!("pi-tools-fuzz-{name}-{}", std::process::id()));
        if seconds.is_some() {
            std::fs::write(&running, &text).unwrap();
        }
        let input_began = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| target(&text)));
        let took = input_began.elapsed();
        let shown = String::from_utf8_lossy(&text);
        assert!(result.is_ok(), "{name} fails, from {start:#x}, for:\n{shown}");
        assert!(took < LONGEST, "{name} takes {took:?}, from {start:#x}, for:\n{shown}");
        if seconds.is_some() {
            std::fs::remove_file(&running).unwrap();
        }
        count += 1;
    }
    eprintln!("{name}: {count} inputs from {start:#x}");
    assert!(count > 10, "{name}: only {count} inputs");
}

/// The cases of a file of golden data.
fn cases(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(workspace().join("tests/vectors").join(file)).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let cases = if file.is_array() { &mut file } else { &mut file["cases"] };
    match cases.take() {
        Value::Array(cases) => cases,
        _ => panic!("there are no cases"),
    }
}

/// Definitions that each hold the next one twice: written out, they would be more than fit anywhere.
fn doubling(depth: usize) -> Value {
    let next = |level: usize| json!({ "$ref": format!("#/$defs/D{level}") });
    let definition = |level: usize| match level {
        _ if level == depth => json!({ "type": "string" }),
        _ => json!({ "type": "object", "properties": { "a": next(level + 1), "b": next(level + 1) } }),
    };
    let definitions: Map<String, Value> = (0..=depth).map(|level| (format!("D{level}"), definition(level))).collect();
    json!({ "type": "object", "properties": { "a": next(0) }, "$defs": definitions })
}

#[test]
fn arguments() {
    let mut seeds: Vec<Vec<Value>> =
        cases("pi/validate.json").iter().map(|case| vec![case["schema"].clone(), case["args"].clone()]).collect();
    seeds.push(vec![doubling(6), json!({ "a": { "a": {}, "b": { "a": 1 } } })]);
    drive("arguments", targets::arguments, &seeds);
}

#[test]
fn schema() {
    let of = |file: &str, key: &str| cases(file).iter().map(|case| vec![case[key].clone()]).collect::<Vec<_>>();
    let mut seeds = of("schema/cases.json", "input");
    seeds.extend(of("schema/realworld.json", "schema"));
    seeds.extend(of("pi/provider_schema.json", "schema"));
    seeds.extend(of("pi/validate.json", "schema"));
    seeds.push(vec![doubling(6)]);
    let fields = json!([{ "type": "object", "properties": { "a": { "const": "b" } } }]);
    seeds.push(vec![json!({ "type": "object", "oneOf": fields, "anyOf": fields })]);
    drive("schema", targets::schema, &seeds);
}

/// What random changes would take long to find.
#[test]
fn what_doubles_with_each_level_takes_no_exponential_time() {
    let start = Instant::now();
    for depth in [9, 40] {
        targets::schema(doubling(depth).to_string().as_bytes());
    }
    let schema = pi_tools::schemars::Schema::try_from(doubling(40)).unwrap();
    let error = pi_tools::schema::Parameters::normalise(schema).unwrap_err();
    assert_eq!(error.reason(), pi_tools::schema::Reason::TooLarge);
    let mut value = json!("x");
    for _ in 0..20 {
        value = json!({ "a": value, "b": value });
        if value.to_string().len() > 10_000 {
            break;
        }
    }
    targets::arguments(format!("{}\n{value}", doubling(40)).as_bytes());
    assert!(start.elapsed() < 3 * LONGEST, "{:?}", start.elapsed());
}

#[test]
fn session() {
    let lines = |case: &Value| {
        let entries = case["entries"].as_array().unwrap().iter().cloned();
        std::iter::once(case["header"].clone()).chain(entries).collect::<Vec<_>>()
    };
    drive("session", targets::session, &cases("pi/session_restore.json").iter().map(lines).collect::<Vec<_>>());
}

#[test]
fn wire() {
    let request = |id: u32, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let call = |id: u32, params: Value| {
        request(id, "tools/call", json!({ "callId": "c", "name": "say", "params": params, "cwd": "/", "hasUI": true }))
    };
    let notification = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let answer = |id: &str, result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    let text = json!({ "content": [{ "type": "text", "text": "so far" }] });
    let consult = json!({ "callId": "c", "name": "consult", "params": { "topic": "tea" }, "cwd": "/", "hasUI": true });
    let consult = request(1, "tools/call", consult);
    let seeds = [
        vec![request(1, "initialize", json!({ "protocolVersion": 1 })), request(2, "shutdown", Value::Null)],
        vec![call(1, json!({ "words": ["tea"], "how": "loud" })), call(2, json!({ "words": "tea", "times": "2" }))],
        vec![
            call(1, json!({ "words": [] })),
            call(1, json!({ "tone": 7 })),
            notification("$/cancel", json!({ "id": 1 })),
        ],
        vec![notification("session/state", json!({ "reason": "startup", "states": { "todos": [] }, "entries": [] }))],
        vec![
            notification("session/info", json!({ "id": "s", "file": null, "name": "n" })),
            consult.clone(),
            answer("b0", json!(true)),
            answer("b1", json!("red")),
            answer("b2", json!("slowly")),
            notification("host/executeTool/update", json!({ "id": "b3", "output": text })),
            answer("b3", text.clone()),
            answer("b4", json!([{ "type": "custom" }])),
            answer("b5", json!({ "lockId": 1 })),
        ],
        vec![
            consult.clone(),
            answer("b0", Value::Null),
            json!({ "jsonrpc": "2.0", "id": "b0", "error": { "code": -32000, "message": "gone" } }),
        ],
        vec![
            consult,
            answer("b0", json!(true)),
            answer("b0", json!(true)),
            notification("$/cancel", json!({ "id": 1 })),
            notification("$/cancel", json!({ "id": "b1" })),
            answer("b1", json!("red")),
        ],
    ];
    // The whole way is gone, so that changes meet all of it.
    let lines = seeds[4].iter().map(|line| format!("{line}\n")).collect::<String>();
    let said: Vec<String> = targets::answers(lines.as_bytes())
        .iter()
        .map(|message| message["method"].as_str().unwrap_or("an answer").to_owned())
        .collect();
    let expected = [
        "ui/confirm",
        "ui/select",
        "ui/input",
        "session/appendEntry",
        "host/executeTool",
        "tools/update",
        "session/branch",
        "host/lock",
        "host/unlock",
        "an answer",
    ];
    assert_eq!(said, expected);
    drive("wire", targets::wire, &seeds);
}

/// A panic of the generator itself would pass for one of a target.
#[test]
fn what_is_changed_stays_what_it_is_elsewhere() {
    let seeds = [vec![json!({ "a": [1, { "b": null }] })], vec![json!({})]];
    let (words, mut random) = (Words::of(&seeds), Random(7));
    let changed = (0..200).map(|_| {
        let mut value = seeds[0][0].clone();
        words.change(&mut value, &mut random);
        value.to_string()
    });
    let changed: std::collections::BTreeSet<String> = changed.collect();
    assert!(changed.len() > 20, "{changed:?}");
    assert!(changed.iter().any(|text| text.starts_with(r#"{"a":[1,{"#)), "{changed:?}");
}
