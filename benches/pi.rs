//! What a call costs in the real Pi, beside the same tool in Pi's own JavaScript, with an echo of another process, and behind
//! Pi's MCP client; and what the manifest of 100 tools adds to the start of Pi.
//!
//! It prints two tables and never fails because of a time. `ROUNDS` in the environment is the number of rounds. Pi must be
//! installed, as the tests do it: `cargo test -p pi-tools-tests --test pi`.
#![expect(clippy::print_stdout, reason = "it prints its tables")]

#[path = "pi/mcp.rs"]
mod mcp;

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use serde_json::json;

mod bundle {
    pi_tools::bundle!(pi_tools_benches);
    pi_tools::main!();

    pub(super) fn run() -> std::process::ExitCode {
        main()
    }
}

fn main() -> ExitCode {
    // The measured processes are this executable, too.
    match env::args().nth(1).as_deref() {
        Some("mcp") => mcp::serve(),
        Some("echo") => echo(),
        Some(command) if !command.starts_with('-') => return bundle::run(),
        _ => measure(),
    }
    ExitCode::SUCCESS
}

fn measure() {
    let programs = workspace().join("target/pi/node_modules/.bin");
    assert!(programs.join("pi").exists(), "Pi is not installed: run `cargo test -p pi-tools-tests --test pi` once");
    let rounds: u32 = env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(300);

    let mut times = calls(&programs, rounds);
    let mut row = |name: &str| spread(times.remove(name).expect("every tool was called"));
    let (javascript, ours, mcp) = (row("add_javascript"), row("add"), row("mcp__bench__add"));
    let echo = row("add_echo");
    println!("| a call, of {} each | fastest tenth | median | slowest tenth | to JavaScript | to MCP |", rounds * 10);
    println!("| --- | --: | --: | --: | --: | --: |");
    for (name, times) in [("JavaScript", javascript), ("echo", echo), ("bundle", ours), ("MCP", mcp)] {
        let [fast, middle, slow] = times.map(|time| format!("{time:.0} µs"));
        let (to_javascript, to_mcp) = (times[1] / javascript[1], times[1] / mcp[1]);
        println!("| {name} | {fast} | {middle} | {slow} | {to_javascript:.2} | {to_mcp:.2} |");
    }

    let (mut manifest, mut node) = (Vec::new(), Vec::new());
    for _ in 0..101 {
        manifest.push(taken(Command::new(env::current_exe().expect("it runs")).arg("manifest")));
        node.push(taken(Command::new(programs.join("node")).args(["-e", "0"])));
    }
    println!("\n| a process, of 101 each | fastest tenth | median | slowest tenth |\n| --- | --: | --: | --: |");
    for (name, times) in [("`manifest` of 100 tools", manifest), ("`node -e 0`", node)] {
        let [fast, middle, slow] = spread(times).map(|time| format!("{time:.1} ms"));
        println!("| {name} | {fast} | {middle} | {slow} |");
    }
}

/// The first decile, the median and the last decile.
fn spread(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [1, 5, 9].map(|tenths| times[times.len() * tenths / 10])
}

/// Gives back each line: what no tool in another process costs less than.
fn echo() {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        writeln!(output, "{}", line.expect("the host writes UTF-8")).expect("the host reads");
        output.flush().expect("the host reads");
    }
}

/// The microseconds of each call, by tool.
fn calls(programs: &Path, rounds: u32) -> HashMap<String, Vec<f64>> {
    let executable = env::current_exe().expect("it runs");
    let home = env::temp_dir().join(format!("pi-tools-compare-{}", std::process::id()));
    let (agent, result) = (home.join("agent"), home.join("times.json"));
    fs::create_dir_all(&agent).expect("a folder for Pi");
    let server = json!({ "command": executable, "args": ["mcp"], "exposure": "direct" });
    let write = |path: PathBuf, json: serde_json::Value| fs::write(path, json.to_string()).expect("a file for Pi");
    write(agent.join("mcp.json"), json!({ "mcpServers": { "bench": server } }));
    write(home.join("script.json"), json!([{ "calls": [{ "name": "compare", "arguments": { "rounds": rounds } }] }]));

    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([programs.to_owned()].into_iter().chain(env::split_paths(&path))).expect("a PATH");
    let status = Command::new(executable)
        .args(["pi", "run", "--", "--print", "--offline", "--no-session", "--provider", "scripted"])
        .args(["--model", "scripted-1", "--no-skills", "--no-prompt-templates", "--no-themes", "--no-context-files"])
        .arg("--extension")
        .arg(workspace().join("tests/pi/scripted-provider.ts"))
        .arg("--extension")
        .arg(workspace().join("benches/pi/compare.ts"))
        .arg("go")
        .env("PATH", path)
        .env("HOME", &home)
        .env("PI_CODING_AGENT_DIR", &agent)
        .envs([("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")])
        .env("PI_SCRIPT", home.join("script.json"))
        .env("PI_RECORD", home.join("record.jsonl"))
        .env("PI_COMPARE", &result)
        .env("PI_COMPARE_ECHO", env::current_exe().expect("it runs"))
        .env_remove("XDG_CACHE_HOME")
        .current_dir(&home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("the bundle starts Pi");
    let record = || fs::read_to_string(home.join("record.jsonl")).unwrap_or_default();
    let times =
        fs::read_to_string(result).unwrap_or_else(|_| panic!("{status}: no times. The model was told: {}", record()));
    let _ = fs::remove_dir_all(&home);
    serde_json::from_str(&times).expect("times by tool")
}

/// The milliseconds from the start of a process to its end.
fn taken(command: &mut Command) -> f64 {
    let begin = Instant::now();
    assert!(command.stdout(Stdio::null()).status().is_ok_and(|status| status.success()), "{command:?}");
    begin.elapsed().as_secs_f64() * 1e3
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package stands in the workspace")
}
