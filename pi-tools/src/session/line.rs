//! The lines of a session file.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::tree::random;

/// The version that is written. Version 2 differs in the name of a role, which is none of a tool's.
const VERSION: u64 = 3;

/// How deep a line may be nested, for it to be read.
pub(super) const DEEPEST: usize = 127;

/// What is wrong, and in which line, counted from 1.
pub(super) type Problem = (usize, String);

/// The header, `None` in an empty file, and the entries.
pub(super) fn parse(content: &[u8]) -> Result<(Option<Value>, Vec<Value>), Problem> {
    let lines = content.split(|byte| *byte == b'\n').enumerate().map(|(index, line)| (index + 1, line));
    let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let Some((number, line)) = lines.next() else {
        return if content.is_empty() { Ok((None, Vec::new())) } else { Err((1, "no session's header".to_owned())) };
    };
    let header = object(line).and_then(header).map_err(|problem| (number, problem))?;
    let entries = lines.map(|(number, line)| object(line).and_then(entry).map_err(|problem| (number, problem)));
    Ok((Some(header), entries.collect::<Result<_, _>>()?))
}

fn header(line: Value) -> Result<Value, String> {
    if line["type"] != "session" || !line["id"].is_string() {
        return Err("no session's header: it needs `\"type\": \"session\"` and an `id`".to_owned());
    }
    match line["version"].as_u64() {
        Some(2 | VERSION) => Ok(line),
        _ if line["version"].is_null() || line["version"] == 1 => {
            Err("a session of version 1, without a tree: open it in Pi once, which brings it up to date".to_owned())
        }
        _ => Err(format!("a session of version {}, which is not known here", line["version"])),
    }
}

fn entry(line: Value) -> Result<Value, String> {
    if !line["type"].is_string() || !line["id"].is_string() {
        return Err("no entry: it needs a `type` and an `id`".to_owned());
    }
    Ok(line)
}

fn object(line: &[u8]) -> Result<Value, String> {
    let parsed = serde_json::from_slice(line);
    let parsed = parsed.or_else(|error| whole_pairs(line).map_or(Err(error), |line| serde_json::from_slice(&line)));
    match parsed {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("expected an object".to_owned()),
        Err(error) => {
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&place).unwrap_or(&message);
            Err(format!("not JSON: {message} at column {}", error.column()))
        }
    }
}

/// JavaScript's texts may hold half a surrogate pair, and its JSON then has the escape of it: read as U+FFFD. `None`
/// when there is none.
fn whole_pairs(line: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut whole = line.to_vec();
    let mut at = 0;
    while at < line.len() {
        at += match (line[at], unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            (b'\\', Some(0xd800..=0xdfff)) => {
                whole[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    (whole != line).then_some(whole)
}

/// The header of a new session.
pub(super) fn new_header(cwd: &Path) -> Value {
    json!({ "type": "session", "version": VERSION, "id": new_session_id(), "timestamp": timestamp(), "cwd": cwd.to_string_lossy() })
}

/// A UUID of version 7, as Pi's: the time, and enough that is random.
fn new_session_id() -> String {
    let (time, high, low) = (milliseconds(), random(), random());
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        time >> 16,
        time & 0xffff,
        high & 0xfff,
        0x8000 | (high >> 16) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

/// Now, as entries have it.
pub(super) fn timestamp() -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_millis(milliseconds())).to_string()
}

/// Now, as messages have it.
pub(super) fn milliseconds() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
