//! The client's side of the wire, without any library for it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(60);

pub(crate) const LAB: &str = env!("CARGO_BIN_EXE_lab");
pub(crate) const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");
pub(crate) const FIXTURE: &str = env!("CARGO_BIN_EXE_mcp_fixture");

pub(crate) const MODERN: &str = "2026-07-28";

/// What a client that can show forms says of itself.
pub(crate) fn forms() -> Value {
    json!({ "elicitation": {} })
}

pub(crate) fn initialize(version: &str, capabilities: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": "initialize", "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
}

/// What every request says since 2026-07-28.
pub(crate) fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    })
}

pub(crate) fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}"))
}

/// A bundle that serves over its standard input and output.
pub(crate) struct Client {
    pub(crate) process: Child,
    pub(crate) input: Option<ChildStdin>,
    output: Receiver<Value>,
    last_id: u32,
    /// What a modern client says with each request.
    meta: Option<Value>,
}

impl Client {
    /// Starts it, and says nothing yet.
    pub(crate) fn start(bundle: &str, options: &[&str]) -> Self {
        let mut process = Command::new(bundle)
            .arg("mcp")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
                let _ = sender.send(message);
            }
        });
        Self { input: process.stdin.take(), process, output: receiver, last_id: 0, meta: None }
    }

    /// A client of before 2026-07-28.
    pub(crate) fn legacy(bundle: &str, options: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::start(bundle, options);
        client.send(&initialize("2025-11-25", capabilities));
        assert_eq!(client.receive()["result"]["protocolVersion"], "2025-11-25");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// A client of 2026-07-28.
    pub(crate) fn modern(bundle: &str, options: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::start(bundle, options);
        client.meta = Some(meta(capabilities));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    pub(crate) fn send_text(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    pub(crate) fn receive(&self) -> Value {
        self.output.recv_timeout(LONG).expect("the server says something")
    }

    /// Whether it says nothing for a while.
    pub(crate) fn is_silent(&self, time: Duration) -> bool {
        self.output.recv_timeout(time).is_err()
    }

    /// Sends a request, and returns its id.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> u32 {
        self.last_id += 1;
        if let Some(meta) = &self.meta {
            let mut all = meta.clone();
            all.as_object_mut().unwrap().extend(params["_meta"].as_object().cloned().unwrap_or_default());
            params["_meta"] = all;
        }
        self.send(&request(self.last_id, method, &params));
        self.last_id
    }

    /// The answer to a request, and what came before it.
    pub(crate) fn answer(&self, id: u32) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.receive();
            if message["id"] == id && message["method"].is_null() {
                return (message, before);
            }
            before.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id).0
    }

    pub(crate) fn start_call(&mut self, name: &str, arguments: &Value) -> u32 {
        self.ask("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// The result of a call.
    pub(crate) fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let id = self.start_call(name, arguments);
        let mut answer = self.answer(id).0;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Ends the input, and waits for the process.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.input = None;
        self.process.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A bundle that serves over HTTP.
pub(crate) struct HttpServer {
    process: Child,
    pub(crate) address: String,
    /// What it says of the token.
    pub(crate) access: Option<String>,
}

/// An answer: its status, its headers in lower case, and its body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Answer {
    /// The messages in the body, which is JSON or a stream of events.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.headers.contains("application/json") {
            return vec![serde_json::from_str(&self.body).unwrap()];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    pub(crate) fn result(&self) -> Value {
        let mut last = self.messages().pop().unwrap_or_else(|| panic!("{} {}", self.status, self.body));
        assert!(last["error"].is_null(), "{last}");
        last["result"].take()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned()))
    }
}

impl HttpServer {
    pub(crate) fn start(bundle: &str, options: &[&str], token: Option<&str>) -> Self {
        let mut command = Command::new(bundle);
        command.args(["mcp", "--http", "127.0.0.1:0"]).args(options).stdin(Stdio::null()).stderr(Stdio::piped());
        match token {
            Some(token) => command.env("PI_TOOLS_MCP_TOKEN", token),
            None => command.env_remove("PI_TOOLS_MCP_TOKEN"),
        };
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let url = lines.next().unwrap();
        let address = url.strip_prefix("http://").and_then(|url| url.strip_suffix("/mcp")).unwrap().to_owned();
        let access = if options.contains(&"--no-auth") { None } else { lines.next() };
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address, access }
    }

    /// Opens a connection and sends a request on it.
    pub(crate) fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let length = body.len().to_string();
        let defaults = [
            ("Host", &*self.address),
            ("Content-Length", &length),
            ("Connection", "close"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let defaults = defaults.iter().filter(|(name, _)| !headers.iter().any(|(other, _)| other == name));
        let lines = defaults.chain(headers).map(|(name, value)| format!("{name}: {value}\r\n"));
        let head = format!("{method} {path} HTTP/1.1\r\n{}", lines.collect::<String>());
        // A server that refuses a request does not read all of it.
        let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
        stream
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut bytes = Vec::new();
        let _ = self.open(method, path, headers, body).read_to_end(&mut bytes);
        let answer = String::from_utf8_lossy(&bytes);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let headers: String = head
            .lines()
            .map(|line| match line.split_once(':') {
                Some((name, value)) => format!("{}:{value}\n", name.to_lowercase()),
                None => format!("{line}\n"),
            })
            .collect();
        // The sizes of chunks stand on lines of their own, where nobody looks for messages, and a chunk is a whole event.
        Answer { status, headers, body: body.to_owned() }
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.send("POST", "/mcp", headers, &message.to_string())
    }

    /// A request of 2026-07-28, which stands for itself.
    pub(crate) fn modern(&self, method: &str, mut params: Value, capabilities: &Value) -> Answer {
        params["_meta"] = meta(capabilities);
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        if !name.is_empty() {
            headers.push(("Mcp-Name", &name));
        }
        self.post(&headers, &request(1, method, &params))
    }

    /// A session of before 2026-07-28.
    pub(crate) fn session(&self, capabilities: &Value) -> String {
        let answer = self.post(&[], &initialize("2025-11-25", capabilities));
        let session = answer.header("mcp-session-id").unwrap_or_else(|| panic!("{} {}", answer.status, answer.body));
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&[("Mcp-Session-Id", &session)], &initialized).status, 202);
        session
    }

    pub(crate) fn call(&self, session: &str, name: &str, arguments: &Value) -> Value {
        let call = request(1, "tools/call", &json!({ "name": name, "arguments": arguments }));
        self.post(&[("Mcp-Session-Id", session)], &call).result()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
