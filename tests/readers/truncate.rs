//! What Pi makes of texts that are too long.

use std::borrow::Cow;

use pi_tools::builtin::Truncation;
use pi_tools::truncate::{
    GREP_MAX_LINE_LENGTH, Limits, format_size, slice_head, slice_tail, truncate_head, truncate_line, truncate_tail,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::equal;

/// `truncateHead` of a text with limits.
pub(crate) fn head(case: &Value) -> Result<(), String> {
    cut(case, truncate_head)
}

/// `truncateTail` of a text with limits.
pub(crate) fn tail(case: &Value) -> Result<(), String> {
    cut(case, truncate_tail)
}

fn cut(case: &Value, cut: fn(&str, Limits) -> Truncation) -> Result<(), String> {
    let default = Limits::default();
    let options = &case["options"];
    let limits = [(&options["maxLines"], default.max_lines), (&options["maxBytes"], default.max_bytes)];
    let [Some(max_lines), Some(max_bytes)] = limits.map(|(limit, default)| number(limit, default)) else {
        return only_javascript(case);
    };
    let mut got = json!(cut(&text(&case["content"]), Limits { max_lines, max_bytes }));
    let mut expected = case["result"].clone();
    agree(got["content"].take().as_str().unwrap(), &expected["content"].take())?;
    equal(&got.to_string(), &expected.to_string())
}

/// `truncateLine`, `sliceHead` and `sliceTail`.
pub(crate) fn line(case: &Value) -> Result<(), String> {
    let (text, limit) = match case["fn"].as_str() {
        Some("truncateLine") => (text(&case["line"]), number(&case["maxChars"], GREP_MAX_LINE_LENGTH)),
        _ => (text(&case["text"]), number(&case["maxUnits"], usize::MAX)),
    };
    let Some(limit) = limit else { return only_javascript(case) };
    let result = &case["result"];
    match case["fn"].as_str() {
        Some("truncateLine") => {
            let got = truncate_line(&text, limit);
            let is_cut = matches!(got, Cow::Owned(_));
            agree(&got, &result["text"])?;
            equal(&is_cut.to_string(), &result["wasTruncated"].to_string())
        }
        Some("sliceHead") => agree(slice_head(&text, limit), result),
        Some("sliceTail") => agree(slice_tail(&text, limit), result),
        unknown => Err(format!("unknown function {unknown:?}")),
    }
}

/// `formatSize`.
pub(crate) fn size(case: &Value) -> Result<(), String> {
    let Some(bytes) = case["bytes"].as_u64() else { return only_javascript(case) };
    equal(&format_size(bytes), case["result"].as_str().unwrap())
}

/// A limit, or its default; `None` for what is no number of things.
fn number(value: &Value, default: usize) -> Option<usize> {
    if value.is_null() { Some(default) } else { usize::try_from(value.as_u64()?).ok() }
}

/// Fractions and negative numbers cannot be passed on.
fn only_javascript(case: &Value) -> Result<(), String> {
    if case["js_only"] == true { Ok(()) } else { Err("a number that no integer type takes".to_owned()) }
}

/// A text, or how it is made. A surrogate without the other becomes U+FFFD, which is as long in both encodings.
fn text(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        text.to_owned()
    } else if let Some(part) = value.get("repeat") {
        text(part).repeat(value["times"].as_u64().unwrap().try_into().unwrap())
    } else if let Some(parts) = value.get("concat") {
        parts.as_array().unwrap().iter().map(text).collect()
    } else {
        let units = value["utf16"].as_array().unwrap().iter();
        String::from_utf16_lossy(&units.map(|unit| unit.as_u64().unwrap().try_into().unwrap()).collect::<Vec<u16>>())
    }
}

/// A text is as expected: as it stands, or as its digest says.
fn agree(got: &str, expected: &Value) -> Result<(), String> {
    let Some(hash) = expected.get("sha256_utf8") else { return equal(got, &text(expected)) };
    let got_hash: String = Sha256::digest(got).iter().map(|byte| format!("{byte:02x}")).collect();
    if got_hash == hash.as_str().unwrap() { Ok(()) } else { Err(format!("expected {expected}\n     got {got}")) }
}
