//! A bundle with a tool for each field of a definition in Pi.

use std::time::Duration;

use pi_tools::prelude::*;
use pi_tools::schemars;
use serde_json::{Value, json};

/// What the weather is like.
#[derive(Serialize, schemars::JsonSchema)]
struct Weather {
    /// In degrees.
    temperature: f64,
    /// In words.
    sky: String,
}

/// Tell the weather of a place.
#[pi_tool(exposure = "codemode", namespace = "sky", read_only, open_world, guidelines = ["Use weather for today"])]
fn weather(
    /// The place.
    place: String,
) -> (String, Json<Weather>) {
    (format!("it is fine in {place}"), Json(Weather { temperature: 21.5, sky: format!("blue over {place}") }))
}

/// Be found by a search.
#[pi_tool(exposure = "deferred", namespace = "sky", destructive = false, idempotent)]
fn tides() -> String {
    "high".to_owned()
}

/// Be called by the model alone.
#[pi_tool(exposure = "model-only", destructive)]
fn alone() -> String {
    "alone".to_owned()
}

/// Be called by nobody.
#[pi_tool(exposure = "hidden")]
fn hidden() -> String {
    "hidden".to_owned()
}

/// Wait to be asked for.
#[pi_tool(default_active = false, prompt_snippet = "Wait to be asked for")]
fn spare() -> String {
    "spare".to_owned()
}

/// Take a while.
#[pi_tool(execution = "parallel", prompt_snippet = "Take  a while ", guidelines = [" Use slow for what takes a while "])]
async fn slow() -> String {
    tokio::time::sleep(Duration::from_millis(50)).await;
    "slow".to_owned()
}

/// Take a while, alone.
#[pi_tool(execution = "sequential")]
async fn orderly() -> String {
    tokio::time::sleep(Duration::from_millis(50)).await;
    "orderly".to_owned()
}

/// Which way.
#[derive(Clone, Copy, StringEnum)]
enum Way {
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// Go somewhere: what a strict mode says as well as any other.
#[pi_tool]
fn go(
    /// Where.
    place: String,
    /// Which way.
    way: Option<Way>,
    /// What to pass.
    stops: Option<Vec<String>>,
) -> String {
    format!("{place}, {}, {stops:?}", way.map_or("any way".to_owned(), |way| way.to_string()))
}

/// Go so far: a bound that strict modes refuse.
#[pi_tool]
fn far(
    /// How far.
    steps: u8,
) -> String {
    format!("{steps} steps")
}

/// Whoever runs it twice has two exclamation marks.
#[expect(clippy::print_stdout, reason = "it must not break what the command prints")]
fn wrap(mut arguments: Value) -> Result<Value, ToolError> {
    println!("wrapping");
    match arguments["text"].as_str() {
        Some("refuse") => Err(ToolError::new("text: say something else")),
        Some("panic") => panic!("on purpose"),
        Some("exit") => std::process::exit(7),
        Some("wait") => {
            std::thread::sleep(Duration::from_secs(600));
            Ok(arguments)
        }
        Some(text) => Ok(json!({ "oldParts": [format!("<{text}>")], "loud": "create" })),
        None => {
            if let Some(Value::Array(parts)) = arguments.get_mut("parts") {
                parts.push("!".into());
            }
            Ok(arguments)
        }
    }
}

/// How loud.
#[derive(Clone, Copy, StringEnum)]
enum Loud {
    /// Very.
    #[string_enum(alias = "create")]
    Very,
}

/// Say what was prepared.
#[pi_tool(prepare = wrap)]
fn say(
    /// What.
    #[arg(alias = "oldParts")]
    parts: Vec<String>,
    /// How loud.
    loud: Loud,
) -> String {
    format!("{} {loud}", parts.join("+"))
}

pi_tools::main!();
