//! The tools by hand: a `match` on the name, and a type to decode.

use std::sync::{Mutex, PoisonError};

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tools::{Action, Plan, Total, Two, add, deploy, modernise, todo, write};

include!(concat!(env!("OUT_DIR"), "/hand.rs"));

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Todo {
    action: Action,
    text: Option<String>,
    due: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deploy {
    plan: Plan,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Write {
    text: String,
}

#[expect(clippy::unused_async, reason = "as the tools are")]
async fn added(a: i64, b: i64, n: i64) -> String {
    (a + b + n).to_string()
}

fn decode<'a, T: Deserialize<'a>>(arguments: &'a str) -> Result<T, String> {
    serde_json::from_str(arguments).map_err(|error| error.to_string())
}

/// `limited` by hand.
///
/// # Errors
///
/// What is wrong with the arguments.
pub fn limited(arguments: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Limited {
        text: String,
        limit: u32,
    }
    let Limited { text, limit } = decode(arguments)?;
    if (1..=100).contains(&limit) { Ok(format!("{text}: {limit}")) } else { Err("limit: from 1 to 100".to_owned()) }
}

/// `prepared` by hand.
///
/// # Errors
///
/// What is wrong with the arguments.
pub fn prepared(arguments: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Prepared {
        text: String,
    }
    let Prepared { text } = serde_json::from_value(modernise(decode(arguments)?)).map_err(|error| error.to_string())?;
    Ok(text)
}

/// `count` by hand: what it says, and what the result stores.
///
/// # Errors
///
/// What is wrong with the arguments.
pub fn count(arguments: &str, total: &Mutex<Total>) -> Result<(String, Value), String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Count {
        by: i64,
    }
    let Count { by } = decode(arguments)?;
    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
    total.0 = total.0.wrapping_add(by);
    Ok((total.0.to_string(), json!({ "total": *total })))
}

/// One of a thousand tools, called by its name.
///
/// # Errors
///
/// What serde says of the arguments, or that there is no such tool.
pub async fn call_numbered(name: &str, arguments: &str) -> Result<String, String> {
    let Some(_) = find(name) else { return Err(format!("Tool {name} not found")) };
    let Two { a, b } = decode(arguments)?;
    Ok(added(a, b, 0).await)
}

/// The list of the hundred tools, with schemas as schemars makes them.
#[must_use]
pub fn list() -> String {
    let two = NAMES.iter().map(|name| tool(name, &schema_for!(Two)));
    let others =
        [tool("todo", &schema_for!(Todo)), tool("deploy", &schema_for!(Deploy)), tool("write", &schema_for!(Write))];
    two.chain(others).collect::<Value>().to_string()
}

fn tool(name: &str, schema: &Schema) -> Value {
    json!({ "name": name, "description": "What it does.", "inputSchema": schema })
}
