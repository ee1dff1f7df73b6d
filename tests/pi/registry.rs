//! A registry of npm packages on this machine, for as long as a test runs.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

#[derive(Default)]
struct Served {
    /// By the path of the request.
    files: HashMap<String, Vec<u8>>,
    /// Requests for what is not here.
    strangers: Vec<String>,
}

pub(super) struct Registry {
    url: String,
    served: Arc<Mutex<Served>>,
}

impl Registry {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let registry = Self { url, served: Arc::default() };
        let (url, served) = (registry.url.clone(), Arc::clone(&registry.served));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (url, served) = (url.clone(), Arc::clone(&served));
                // A client that goes away is no failure of the registry.
                thread::spawn(move || answer(&stream, &url, &served));
            }
        });
        registry
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Requests for what nobody has published, such as those to other machines.
    pub(super) fn strangers(&self) -> Vec<String> {
        self.served.lock().unwrap().strangers.clone()
    }

    /// Offers what `npm pack --json` has packed into this folder.
    pub(super) fn publish(&self, folder: &Path, packed: &str) {
        let packed: Value = serde_json::from_str(packed).unwrap();
        let packed = packed.as_array().map_or_else(|| packed.as_object().unwrap().values().next(), |list| list.first());
        let packed = packed.unwrap();
        let (name, version) = (packed["name"].as_str().unwrap(), packed["version"].as_str().unwrap());
        let file = packed["filename"].as_str().unwrap();
        let archive = folder.join(file);
        let manifest = Command::new("tar").arg("-xzOf").arg(&archive).arg("package/package.json").output().unwrap();
        let mut manifest: Value = serde_json::from_slice(&manifest.stdout).unwrap();
        let tarball = format!("{}/{file}", self.url);
        manifest["dist"] = json!({ "tarball": tarball, "integrity": packed["integrity"], "shasum": packed["shasum"] });
        let document = json!({ "name": name, "dist-tags": { "latest": version }, "versions": { version: manifest } });
        let mut served = self.served.lock().unwrap();
        served.files.insert(format!("/{}", name.replace('/', "%2f")), document.to_string().into_bytes());
        served.files.insert(format!("/{file}"), fs::read(archive).unwrap());
    }
}

fn answer(mut stream: &TcpStream, url: &str, served: &Mutex<Served>) -> Option<()> {
    let mut lines = BufReader::new(stream).lines();
    while let Some(request) = lines.next().and_then(Result::ok) {
        while !lines.next()?.ok()?.is_empty() {}
        let mut served = served.lock().unwrap();
        // As a proxy it is asked for whole addresses, of itself, too.
        let path = request.split(' ').nth(1)?;
        let path = path.strip_prefix(url).unwrap_or(path);
        let (status, body) = match served.files.get(path) {
            Some(body) => ("200 OK", body.clone()),
            None => {
                served.strangers.push(request);
                ("404 Not Found", b"{}".to_vec())
            }
        };
        write!(stream, "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len()).ok()?;
        stream.write_all(&body).ok()?;
    }
    Some(())
}
