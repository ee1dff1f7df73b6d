//! The same tool behind the Model Context Protocol: as little as a server can do, one thread that reads and answers, so that
//! any other server costs more.

use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

pub(crate) fn serve() {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.expect("the host writes UTF-8")).expect("the host writes JSON");
        // A notification has no answer.
        let Some(id) = message.get("id") else { continue };
        let params = &message["params"];
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": params["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "bench", "version": "1" },
            }),
            Some("tools/list") => {
                let number = json!({ "type": "integer" });
                let schema = json!({
                    "type": "object", "properties": { "a": number, "b": number }, "required": ["a", "b"],
                    "additionalProperties": false,
                });
                json!({ "tools": [{ "name": "add", "description": "Add two numbers.", "inputSchema": schema }] })
            }
            Some("tools/call") => {
                let number = |name: &str| params["arguments"][name].as_i64().expect("Pi has checked the arguments");
                json!({ "content": [{ "type": "text", "text": (number("a") + number("b")).to_string() }] })
            }
            _ => json!({}),
        };
        writeln!(output, "{}", json!({ "jsonrpc": "2.0", "id": id, "result": result })).expect("the host reads");
        output.flush().expect("the host reads");
    }
}
