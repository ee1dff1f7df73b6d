//! How long a small call takes over MCP, beside a minimal server by hand on the same library, over standard input and
//! output.
//!
//! Both are this executable once more. They are asked in turn, and the ratio is the median of those of all rounds.
#![expect(clippy::print_stdout, reason = "it prints its table")]

use std::borrow::Cow;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use pi_tools::Toolbox;
use pi_tools::hosts::mcp::Server;
use pi_tools::prelude::*;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};

/// Calls of each round.
const CALLS: u32 = 200;

/// Add two integers.
#[pi_tool(handle = Sum, register = false)]
async fn sum(
    /// One.
    a: i64,
    /// The other.
    b: i64,
) -> String {
    (a + b).to_string()
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Numbers {
    /// One.
    a: i64,
    /// The other.
    b: i64,
}

struct ByHand;

impl ServerHandler for ByHand {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let Value::Object(schema) = schemars::schema_for!(Numbers).to_value() else { unreachable!() };
        let tool = Tool::new(Cow::Borrowed("sum"), Cow::Borrowed("Add two integers."), Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "sum" {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        }
        let numbers = serde_json::from_value::<Numbers>(Value::Object(request.arguments.unwrap_or_default()));
        Ok(match numbers {
            Ok(Numbers { a, b }) => CallToolResult::success(vec![ContentBlock::text((a + b).to_string())]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
        .into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve(kind: &str) {
    match kind {
        "ours" => {
            let toolbox = Toolbox::builder().tool(Sum).build().unwrap();
            Server::new(toolbox).serve_stdio().await.unwrap();
        }
        "threads" => drop(ByHand.serve(rmcp::transport::stdio()).await.unwrap().waiting().await),
        _ => drop(ByHand.serve(rmcp::transport::stdio_pipes()).await.unwrap().waiting().await),
    }
}

struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Client {
    fn start(kind: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg(kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut client = Self { process, input, output, line: String::new() };
        let initialize = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" },
            },
        });
        client.ask(&initialize.to_string());
        client
    }

    fn ask(&mut self, message: &str) {
        self.input.write_all(message.as_bytes()).unwrap();
        self.input.write_all(b"\n").unwrap();
        self.line.clear();
        self.output.read_line(&mut self.line).unwrap();
    }

    /// Nanoseconds a call.
    fn round(&mut self) -> f64 {
        let call =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"a":2,"b":3}}}"#;
        let begin = Instant::now();
        for _ in 0..CALLS {
            self.ask(call);
            assert!(self.line.contains(r#""text":"5""#), "{}", self.line);
        }
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    if let Some(kind @ ("ours" | "threads" | "pipes")) = std::env::args().nth(1).as_deref() {
        return serve(kind);
    }
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(101);
    println!("| a small call over MCP | ours | by hand | ratio | target |\n| --- | --: | --: | --: | --: |");
    for (name, kind) in [("beside rmcp's `stdio()`", "threads"), ("beside rmcp's `stdio_pipes()`", "pipes")] {
        let (mut ours, mut theirs) = (Client::start("ours"), Client::start(kind));
        // What happens once is no call.
        (ours.round(), theirs.round());
        let pairs: Vec<(f64, f64)> = (0..rounds)
            .map(|round| {
                if round % 2 == 0 {
                    let first = ours.round();
                    (first, theirs.round())
                } else {
                    let first = theirs.round();
                    (ours.round(), first)
                }
            })
            .collect();
        let ratio = median(pairs.iter().map(|(ours, theirs)| ours / theirs).collect());
        let of = |pick: fn(&(f64, f64)) -> f64| median(pairs.iter().map(pick).collect()) / 1e3;
        println!("| {name} | {:.1} µs | {:.1} µs | {ratio:.2} | 1.10 |", of(|pair| pair.0), of(|pair| pair.1));
    }
}
