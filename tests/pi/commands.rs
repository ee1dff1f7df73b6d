//! The commands that bring a bundle into Pi: `pi install`, `pi package`, `pi doctor`, and the tools in Pi's SDK.

#[path = "registry.rs"]
mod registry;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pi_tools_tests::pi::{self, Pi, notifications};
use pi_tools_tests::{example, target_folder, workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{LAB, call};

/// The bundle of tools that ask.
const OUTSIDE: &str = env!("CARGO_BIN_EXE_outside");

/// A user with a home and a project of their own.
struct User {
    home: TempDir,
    programs: &'static Path,
}

/// What a command has ended with.
#[derive(Debug)]
struct Ended {
    stdout: String,
    stderr: String,
    status: Option<i32>,
}

impl User {
    fn new(programs: &'static Path) -> Self {
        let user = Self { home: tempfile::tempdir().unwrap(), programs };
        fs::create_dir_all(user.path("project")).unwrap();
        fs::write(user.path("project/package.json"), r#"{ "type": "module", "private": true }"#).unwrap();
        user
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().canonicalize().unwrap().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path = [self.programs.to_owned()].into_iter().chain(std::env::split_paths(&inherited));
        command
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", self.home.path())
            .env_remove("XDG_CACHE_HOME")
            .env("PI_CODING_AGENT_DIR", self.path("agent"))
            .envs([("PI_OFFLINE", "1"), ("PI_TELEMETRY", "0"), ("PI_SKIP_VERSION_CHECK", "1")])
            .env("PI_SCRIPT", self.path("script.json"))
            .env("PI_RECORD", self.path("record.jsonl"))
            .current_dir(self.path("project"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, bundle: impl AsRef<Path>, arguments: &str) -> Ended {
        ended(&self.command(bundle).args(arguments.split_whitespace()).output().unwrap())
    }

    fn pi(&self) -> Pi {
        let options = Pi::options().env("HOME", self.home.path()).env("PI_CODING_AGENT_DIR", self.path("agent"));
        options.directory(self.path("project")).start()
    }

    /// A bundle that this user has, by the name of the executable.
    fn own(&self, bundle: impl AsRef<Path>, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::hard_link(&bundle, &path).or_else(|_| fs::copy(bundle, &path).map(drop)).unwrap();
        path
    }

    /// Lets the programs of a folder find Pi.
    fn link_pi(&self, folder: &str) {
        let modules = self.path(folder).join("node_modules");
        fs::create_dir_all(&modules).unwrap();
        let scope = self.programs.parent().unwrap().join("@earendil-works");
        std::os::unix::fs::symlink(scope, modules.join("@earendil-works")).unwrap();
    }

    /// What the tools answer in a program with Pi's SDK, and the entries that they have appended.
    fn sdk(&self, tools: &str, session: &str, steps: &Value) -> (Vec<String>, Value) {
        let program = self.path("project/sdk.ts");
        fs::copy(workspace().join("tests/pi/sdk.ts"), &program).unwrap();
        // Where it finds Pi.
        let provider = target_folder().join("pi/scripted-provider.ts");
        fs::copy(workspace().join("tests/pi/scripted-provider.ts"), &provider).unwrap();
        let mut command = self.command(self.programs.join("node"));
        command.arg(program).arg(provider).args([tools, session]).arg(steps.to_string());
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while process.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(30) {
                process.kill().unwrap();
                panic!("the program does not end: {:?}", ended(&process.wait_with_output().unwrap()));
            }
            sleep(Duration::from_millis(20));
        }
        let ended = ended(&process.wait_with_output().unwrap());
        assert_eq!(ended.status, Some(0), "{ended:?}");
        let mut lines: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let entries = lines.pop().unwrap();
        (lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect(), entries)
    }
}

fn ended(output: &Output) -> Ended {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Ended { stdout: text(&output.stdout), stderr: text(&output.stderr), status: output.status.code() }
}

#[track_caller]
fn assert_ended(ended: &Ended, status: i32, words: &[&str]) {
    let all = format!("{}{}", ended.stdout, ended.stderr);
    assert!(ended.status == Some(status) && words.iter().all(|word| all.contains(word)), "{words:?}: {ended:?}");
}

#[test]
fn installed_tools_are_in_every_session() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    let (first, second) = (user.own(example("greet"), "a/greet"), user.own(example("greet"), "b/greet"));
    let file = user.path("agent/extensions/greet.ts");
    let name = file.to_str().unwrap();

    assert_ended(&user.run(&first, "pi uninstall"), 0, &["greet is not installed", name]);
    let installed = user.run(&first, "pi install");
    assert_ended(&installed, 0, &["Installed greet: ", name, "It runs ", "a/greet", "/reload"]);
    assert_eq!(installed.stderr, "");
    assert_ended(&user.run(&first, "pi install"), 0, &["greet is installed already", name]);

    // Another executable of this name, which may be another bundle.
    let refused = user.run(&second, "pi install");
    assert_ended(&refused, 1, &["another executable", "a/greet", "b/greet", "`greet pi install --force`"]);
    assert_ended(&user.run(&second, "pi uninstall"), 1, &["a/greet", "`greet pi uninstall --force`"]);
    // One that was moved has left nobody behind.
    fs::remove_file(&first).unwrap();
    let moved = user.run(&second, "pi install --policy deny=greet");
    assert_ended(&moved, 0, &["Installed greet anew", "b/greet", "It ran ", "a/greet before"]);
    assert_ended(&user.run(&second, "pi install --policy deny=great"), 2, &["great"]);

    // An edited file is the user's.
    let written = fs::read_to_string(&file).unwrap();
    fs::write(&file, written.replace("1_200", "2_400")).unwrap();
    assert_ended(&user.run(&second, "pi install"), 1, &[name, "was edited", "`greet pi install --force`"]);
    assert_ended(&user.run(&second, "pi uninstall"), 1, &[name, "was edited", "`greet pi uninstall --force`"]);
    assert_ended(&user.run(&second, "pi install --force --policy deny=greet"), 0, &["Installed greet anew"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), written);

    // Files that do not fit the executable say what to do, and spoil nothing.
    let beside = |name: &str, text: String| fs::write(file.with_file_name(name), text).unwrap();
    beside("old.ts", written.replace("const PROTOCOL_VERSION = 1;", "const PROTOCOL_VERSION = 0;"));
    beside("new.ts", written.replace("const PROTOCOL_VERSION = 1;", "const PROTOCOL_VERSION = 2;"));
    beside("gone.ts", written.replace("b/greet", "c/greet"));
    let mut pi = user.pi();
    let told = notifications(pi.events());
    for part in [
        "but this extension 0: run `greet pi install`",
        "extension 2: run `greet pi install`",
        "c/greet does not exist: run `greet pi install`",
    ] {
        assert!(told.iter().any(|(level, message)| *level == "error" && message.contains(part)), "{part}: {told:?}");
    }
    assert_eq!(told.len(), 3, "{told:?}");
    let result = call(&mut pi, "greet", json!({ "name": "Ada" }));
    assert!(result.is_error && result.text.contains("blocked"), "{result:?}");
    assert!(pi.quit().success());

    // Whoever writes in another way may do so.
    fs::write(&file, "export default () => {};\n").unwrap();
    for command in ["pi install --force", "pi uninstall --force"] {
        assert_ended(&user.run(&second, command), 1, &[name, "was not written by `greet pi install`"]);
    }
    fs::write(&file, written.replace("tools of greet", "tools of meet")).unwrap();
    assert_ended(&user.run(&second, "pi install --force"), 1, &[name, "another bundle, `meet`"]);
    fs::write(&file, written).unwrap();
    assert_ended(&user.run(&second, "pi uninstall"), 0, &["Uninstalled greet", name]);
    assert!(!file.exists() && file.with_file_name("old.ts").exists());

    fs::remove_dir_all(user.path("agent/extensions")).unwrap();
    fs::write(user.path("agent/extensions"), "").unwrap();
    assert_ended(&user.run(&second, "pi install"), 1, &["cannot ", name]);
}

#[test]
fn a_trusted_project_has_tools_of_its_own() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    let installed = user.run(example("greet"), "pi install --local");
    let file = user.path("project/.pi/extensions/greet.ts");
    assert_ended(&installed, 0, &[file.to_str().unwrap(), "if the folder is trusted", "out of version control"]);
    assert_ended(&installed, 0, &["cargo clean"]);

    let mut pi = user.pi();
    let result = call(&mut pi, "greet", json!({ "name": "Ada" }));
    assert!(result.is_error && result.text.contains("not found"), "{result:?}");
    assert!(pi.quit().success());
    fs::write(user.path("agent/settings.json"), json!({ "defaultProjectTrust": "always" }).to_string()).unwrap();
    let mut pi = user.pi();
    assert_eq!(call(&mut pi, "greet", json!({ "name": "Ada" })).text, "Hello, Ada!");
    assert!(pi.quit().success());
    assert_ended(&user.run(example("greet"), "pi uninstall --local"), 0, &["Uninstalled greet"]);
    assert!(!file.exists());
}

#[test]
fn a_package_from_a_registry() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    let greet = user.path("greet");
    fs::copy(example("greet"), &greet).unwrap();
    // It is packed and unpacked several times: the less the better.
    _ = Command::new("strip").arg(&greet).status();
    // Of another platform the header is enough to be taken for one.
    fs::write(user.path("mac"), b"\xcf\xfa\xed\xfe\x0c\0\0\x01and so on").unwrap();
    let refused = user.run(&greet, "pi package --out ../npm --binary linux-x64=../mac");
    assert_ended(&refused, 1, &["linux-x64=../mac", "Mach-O", "arm64"]);
    assert_ended(&user.run(&greet, "pi package --out ../npm --binary mac=../mac"), 2, &["`mac`", "darwin"]);
    assert_ended(&user.run(&greet, "pi package --out ../npm --name Greet"), 1, &["\"Greet\"", "--name"]);
    let own = format!("{}-{}", node_names().0, node_names().1);
    let binaries = format!("--binary {own}={} --binary darwin-arm64=../mac", greet.display());
    let packaged = user.run(&greet, &format!("pi package --out ../npm --name @me/greet {binaries}"));
    assert_ended(&packaged, 0, &["npm publish --access public ../npm/greet-darwin-arm64", "pi install npm:@me/greet"]);
    assert_ended(&user.run(&greet, "pi package --out ../npm"), 1, &["package.json", "another package than greet"]);
    fs::create_dir_all(user.path("taken/greet")).unwrap();
    fs::write(user.path("taken/greet/package.json"), r#"{ "name": "of-others" }"#).unwrap();
    assert_ended(&user.run(&greet, "pi package --out ../taken"), 1, &["another package than greet"]);
    assert_eq!(fs::read_dir(user.path("taken")).unwrap().count(), 1, "nothing is written");

    let manifest: Value = serde_json::from_str(&user.text("npm/greet/package.json")).unwrap();
    assert_eq!(manifest["keywords"][0], "pi-package");
    assert_eq!(manifest["pi"], json!({ "extensions": ["./extension.ts"] }));
    assert_eq!(
        manifest["peerDependencies"],
        json!({
            "@earendil-works/pi-ai": "*", "@earendil-works/pi-coding-agent": "*", "@earendil-works/pi-tui": "*",
        })
    );
    let version = &manifest["version"];
    let optional = json!({ format!("@me/greet-{own}"): version, "@me/greet-darwin-arm64": version });
    assert_eq!(manifest["optionalDependencies"], optional);

    let registry = registry::Registry::start();
    for folder in [format!("greet-{own}"), "greet-darwin-arm64".into(), "greet".into()] {
        let mut pack = user.command("npm");
        pack.args(["pack", "--json", "--pack-destination"])
            .arg(user.path("npm"))
            .current_dir(user.path("npm").join(folder));
        let packed = ended(&pack.env("npm_config_cache", user.path("cache")).output().unwrap());
        assert_eq!(packed.status, Some(0), "{packed:?}");
        registry.publish(&user.path("npm"), &packed.stdout);
    }
    let mut install = user.command(programs.join("pi"));
    install.args(["install", "npm:@me/greet"]).env_remove("PI_OFFLINE").env("npm_config_cache", user.path("cache"));
    // Whoever wants to go elsewhere comes to the registry, too.
    let addresses = ["npm_config_registry", "HTTPS_PROXY", "https_proxy"].map(|name| (name, registry.url()));
    assert_ended(&ended(&install.envs(addresses).output().unwrap()), 0, &["Installed npm:@me/greet"]);
    assert_eq!(registry.strangers(), Vec::<String>::new());
    let scope = user.path("agent/npm/node_modules/@me");
    assert!(!scope.join("greet-darwin-arm64").exists(), "what is for another platform is not installed");
    let mut pi = user.pi();
    assert_eq!(notifications(pi.events()), []);
    assert_eq!(call(&mut pi, "greet", json!({ "name": "Ada" })).text, "Hello, Ada!");
    assert!(pi.quit().success());
    let doctor = user.run(&greet, "pi doctor");
    assert_ended(&doctor, 0, &["@me/greet/extension.ts runs the executable of its npm package"]);

    // The same package in a program of one's own, which has Pi beside it.
    user.link_pi("agent/npm");
    user.link_pi("project");
    let step = json!([[{ "name": "greet", "arguments": { "name": "Grace" } }]]);
    assert_eq!(user.sdk(scope.join("greet/index.js").to_str().unwrap(), "", &step).0, ["Hello, Grace!"]);

    // Two of one name, of which one lacks its executable.
    fs::remove_dir_all(scope.join(format!("greet-{own}"))).unwrap();
    let mut pi = user.pi();
    let told = notifications(pi.events());
    let expected = format!(
        "No tools from an executable for {own}: an executable for {own} does not exist: install the npm package \
         @me/greet again, with its optional dependencies; it has executables for {own}, darwin-arm64, or put it there and /reload"
    );
    assert_eq!(told, [("error", expected.as_str())]);
    assert!(pi.quit().success());
    assert_ended(&user.run(&greet, "pi install"), 0, &["Installed greet"]);
    assert_ended(
        &user.run(&greet, "pi doctor"),
        1,
        &["mend  conflicts", "installed 2 times", "agent/extensions/greet.ts"],
    );
}

/// Of a package without a word of the author: this executable, and what its tools say of themselves.
#[test]
fn the_readme_of_a_package_tells_what_tools_do() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    let packaged = user.run(OUTSIDE, "pi package --out npm");
    assert_ended(
        &packaged,
        0,
        &[
            concat!("Wrote outside ", env!("CARGO_PKG_VERSION")),
            "  npm publish npm/outside\n",
            "pi install npm:outside",
            "this is a debug build",
        ],
    );
    let executable = user.path(&format!("project/npm/outside-{}-{}/bin/outside", node_names().0, node_names().1));
    assert_eq!(ended(&user.command(executable).arg("list").output().unwrap()).status, Some(0));
    let readme = user.text("project/npm/outside/README.md");
    for part in [
        "# outside\n\nBehaviour, golden vectors, hosts",
        "pi install npm:outside",
        "| `remove` | Do something that has to be allowed. | destructive; asks before it runs: \"Remove {path}?\" |",
        "| `status` | Say in the footer what is going on. | does not say |",
        "import { defineTools } from \"outside\";",
    ] {
        assert!(readme.contains(part), "{part}: {readme}");
    }
    let manifest: Value = serde_json::from_str(&user.text("project/npm/outside/package.json")).unwrap();
    assert_eq!(
        (&manifest["license"], &manifest["version"]),
        (&json!("MIT OR Apache-2.0"), &json!(env!("CARGO_PKG_VERSION")))
    );
}

/// System and processor, as Node names them.
fn node_names() -> (&'static str, &'static str) {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        processor => processor,
    };
    (system, processor)
}

/// The branch of the session is what the tools go by, wherever it is moved.
#[test]
fn tools_in_a_session_of_the_sdk() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    user.link_pi("project");
    let todo = example("todo");
    assert_ended(&user.run(&todo, "pi install --local"), 0, &["Installed todo"]);
    let file = user.path("session.jsonl");
    let first = user.run(&todo, r#"call todo {"action":"add","text":"tea"} --session ../session.jsonl"#);
    assert_ended(&first, 0, &["Added: tea"]);

    let add = |text: &str| json!({ "name": "todo", "arguments": { "action": "add", "text": text } });
    let list = json!([{ "name": "todo", "arguments": { "action": "list" } }]);
    let failing = json!([{ "name": "todo", "arguments": { "action": "add" } }]);
    // 0 is the answer from the command line.
    let steps = json!([[add("milk"), add("bread")], failing, list, 1, list, 0, list, [add("salt")], 2, list]);
    let (answers, _) = user.sdk("./.pi/extensions/todo.ts", file.to_str().unwrap(), &steps);
    let expected = [
        "Added: milk (2 in all)",
        "Added: bread (3 in all)",
        "text: required when action is \"add\"",
        "1. tea\n2. milk\n3. bread",
        "1. tea\n2. milk",
        "1. tea",
        "Added: salt (2 in all)",
        "1. tea\n2. milk\n3. bread",
    ];
    assert_eq!(answers, expected);

    // What a tool appends is in the session, and the next call sees it.
    assert_ended(&user.run(OUTSIDE, "pi install --local"), 0, &["Installed outside"]);
    let keep = |what: &str| json!([{ "name": "keep", "arguments": { "what": what } }]);
    let (answers, entries) = user.sdk("./.pi/extensions/outside.ts", "", &json!([keep("tea"), keep("milk")]));
    assert_eq!(answers, ["tea", "tea, milk"]);
    assert_eq!(entries, json!([["outside", { "what": "tea" }], ["outside", { "what": "milk" }]]));
}

#[test]
fn the_doctor_says_what_to_do() {
    let Some(programs) = pi::install() else { return };
    let user = User::new(programs);
    let greet = user.own(example("greet"), "bin/greet");
    let healthy = user.run(&greet, "pi doctor");
    assert_ended(&healthy, 0, &["ok    pi         1.6.0\n", "ok    node       v22.", "`greet pi install`", " ms\n"]);
    assert_ended(&user.run(&greet, "pi install"), 0, &["Installed greet"]);
    let beside = user.run(&greet, "pi run -- --version");
    assert_ended(
        &beside,
        0,
        &["greet: installed, too (", "agent/extensions/greet.ts): Pi takes the tools from here", "1.6.0"],
    );
    let json = user.run(&greet, "pi doctor --format json");
    let findings: Vec<Value> = serde_json::from_str(&json.stdout).unwrap();
    assert!(findings.iter().all(|finding| finding["state"] == "ok"), "{json:?}");

    // From here on with programs that are quicker.
    fs::create_dir_all(user.path("fake")).unwrap();
    for name in ["pi", "node"] {
        let path = user.path("fake").join(name);
        fs::write(&path, format!("#!/bin/sh\neval \"$FAKE_{name}\"\n")).unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let fake = |bundle: &Path, pi: &str, node: &str| {
        let mut command = user.command(bundle);
        command.args(["pi", "doctor"]).env("PATH", user.path("fake"));
        ended(&command.env("FAKE_pi", pi).env("FAKE_node", node).output().unwrap())
    };
    let doctor = |bundle: &Path| fake(bundle, "echo 1.6.0", "echo v22.19.0");

    // Each thing that can be wrong with the file.
    let file = user.path("agent/extensions/greet.ts");
    let written = fs::read_to_string(&file).unwrap();
    for (from, to, status, words) in [
        (
            "protocol 1",
            "protocol 2",
            1,
            "mend  extension  {file} speaks protocol version 2, and this executable 1: run `greet pi install`",
        ),
        ("bin/greet", "lost/greet", 1, "/lost/greet, which is not there any more: run `greet pi install`"),
        (
            concat!("pi-tools ", env!("CARGO_PKG_VERSION")),
            "pi-tools 0.0.9",
            0,
            "note  extension  {file} runs {greet}; it was written by pi-tools 0.0.9",
        ),
        ("1_200", "1_300", 0, "the file was edited since it was written"),
    ] {
        fs::write(&file, written.replacen(from, to, 1)).unwrap();
        let words = words.replace("{file}", file.to_str().unwrap()).replace("{greet}", greet.to_str().unwrap());
        assert_ended(&doctor(&greet), status, &[&words]);
    }
    fs::write(&file, written).unwrap();
    let other = user.own(&greet, "other/greet");
    assert_ended(&doctor(&other), 0, &["that is another than this executable"]);
    assert_ended(&user.run(&greet, "pi install --local"), 0, &[]);
    assert_ended(&doctor(&greet), 1, &["mend  conflicts  greet is installed 2 times"]);
    assert_ended(&doctor(LAB.as_ref()), 1, &["mend  names      Pi has tools of these names", "`grep`"]);

    // Other programs of these names.
    let text = fake(&other, "echo 1.5.9", "echo v22.19.0");
    assert_ended(&text, 1, &["note  pi         1.5.9 is older than 1.6.0", "ok    node       v22.19.0"]);
    let text = fake(&other, "echo 2.0.0-beta", "echo v20.1.0");
    assert_ended(
        &text,
        1,
        &["note  pi         2.0.0-beta is newer", "mend  node       the `node` on the PATH is v20.1.0"],
    );
    let text = fake(&other, "echo 'SyntaxError: no such export' >&2; exit 1", "echo v22.19.0");
    assert_ended(&text, 1, &["mend  pi         `pi --version` fails: exit status: 1, SyntaxError: no such export"]);
    assert_ended(&fake(&other, "echo 3.14", "exit 1"), 1, &["is not the Pi coding agent", "mend  node"]);
    let none = user.command(&other).args(["pi", "doctor"]).env("PATH", user.path("empty")).output().unwrap();
    assert_ended(&ended(&none), 1, &["mend  pi         `pi` is not on the PATH: install it with `npm install"]);
}
