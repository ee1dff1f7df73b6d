//! A tool that is asked about before it runs, takes its time, and shows how far it is.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use pi_tools::prelude::*;

/// Where to.
#[derive(Clone, Copy, StringEnum)]
enum Target {
    /// For a look at it.
    Staging,
    /// For everybody.
    Production,
}

/// Deploy a version: run the scripts of the folder `deploy`, one after another.
#[pi_tool(
    destructive,
    open_world,
    confirm = "Deploy {version} to {target}?",
    timeout = "10m",
    truncate = "tail",
    execution = "sequential",
    prompt_snippet = "Deploy a version of the project"
)]
async fn deploy(
    /// The version.
    #[arg(pattern = "^v[0-9]+([.][0-9]+)*$", examples = ["v1.2"])]
    version: String,
    /// Where to.
    target: Target,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let scripts = scripts(&cx.cwd().join("deploy"))?;
    let status = Status(cx);
    for (script, number) in scripts.iter().zip(1..) {
        let step = script.file_stem().unwrap_or_default().display();
        status.show(format!("{number} of {}: {step}", scripts.len()));
        let run = cx.command("sh").arg(script).env("VERSION", &version).env("TARGET", target.to_string());
        run.output().await?.into_result().map_err(|error| {
            ToolError::new(format!("{step} failed, and nothing was run behind it:\n{}", error.message()))
        })?;
    }
    Ok(format!("{version} is on {target}: {} steps", scripts.len()))
}

/// In the order of their names.
fn scripts(folder: &Path) -> Result<Vec<PathBuf>, ToolError> {
    let failed = |why: &dyn Display| ToolError::new(format!("{}: no scripts to run: {why}", folder.display()));
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut scripts: Vec<PathBuf> = entries.map_err(|error| failed(&error))?;
    scripts.sort();
    if scripts.is_empty() { Err(failed(&"the folder is empty")) } else { Ok(scripts) }
}

/// What is going on, in the footer and in the call. However that ends, the footer is free again.
struct Status<'a>(&'a ToolContext);

impl Status<'_> {
    fn show(&self, text: String) {
        self.0.ui().set_status("deploy", &text);
        self.0.update(text);
    }
}

impl Drop for Status<'_> {
    fn drop(&mut self) {
        self.0.ui().clear_status("deploy");
    }
}

pi_tools::main!();
pi_tools::check!();
