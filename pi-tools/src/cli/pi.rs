//! The commands `pi …`, which bring the tools into the Pi coding agent.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};

use super::{Bundle, FAILED, USAGE, check_policies, fail, policy_text, print, say};
use crate::error::ToolError;
use crate::hosts::pi::doctor::{self, Finding, State};
use crate::hosts::pi::install::{self, Done};
use crate::hosts::pi::launch;
use crate::hosts::pi::package::Package;
use crate::hosts::pi::platform::Platform;
use crate::policy::Policy;
use crate::toolbox::Toolbox;

#[derive(Subcommand)]
pub(super) enum Pi {
    /// Start Pi with these tools
    #[command(after_help = "Examples:\n  {name} pi run\n  {name} pi run -- --print \"What can you do?\"\n\n{policy}")]
    Run {
        /// What may run of these tools
        #[arg(long, value_name = "POLICY", value_parser = policy_text)]
        policy: Vec<String>,
        /// Pi's own arguments
        #[arg(last = true)]
        arguments: Vec<OsString>,
    },
    /// Install the tools into Pi: every start of it has them, with this executable
    #[command(after_help = "Examples:\n  {name} pi install\n  {name} pi install --policy read-only\n\n{policy}")]
    Install {
        #[command(flatten)]
        place: Place,
        /// What may run of these tools
        #[arg(long, value_name = "POLICY", value_parser = policy_text)]
        policy: Vec<String>,
    },
    /// Remove what `pi install` has written
    #[command(after_help = "Example:\n  {name} pi uninstall")]
    Uninstall {
        #[command(flatten)]
        place: Place,
    },
    /// Write npm packages that `pi install npm:NAME` takes: one for each platform, and the main one
    #[command(
        after_help = "Examples:\n  {name} pi package --out npm\n  {name} pi package --out npm --name @me/{name} \\\n    --binary linux-x64=build/linux/{name} --binary darwin-arm64=build/mac/{name}"
    )]
    Package {
        /// The folder that they are written into
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// The executable for a platform, as npm names it; this executable, unless any is given
        #[arg(long, value_name = "PLATFORM=PATH", value_parser = binary)]
        binary: Vec<(Platform, PathBuf)>,
        /// The main package's name, perhaps with a scope; the bundle's, unless given
        #[arg(long)]
        name: Option<String>,
    },
    /// Look whether everything is there for the tools to work in Pi; exit status 1 if something must be mended
    #[command(after_help = "Example:\n  {name} pi doctor")]
    Doctor {
        /// How to print it
        #[arg(long, default_value = "text")]
        format: Format,
    },
}

#[derive(clap::Args)]
pub(super) struct Place {
    /// In .pi/extensions of the current folder, which Pi loads only in trusted projects
    #[arg(long)]
    local: bool,
    /// Also where the file was edited, or runs another executable
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

fn binary(text: &str) -> Result<(Platform, PathBuf), String> {
    let (platform, path) = text.split_once('=').ok_or("it has no `=`: write it as linux-x64=PATH")?;
    Ok((platform.parse()?, path.into()))
}

pub(super) fn run(bundle: Bundle, toolbox: &Toolbox, command: Pi) -> ExitCode {
    if let Pi::Run { policy, .. } | Pi::Install { policy, .. } = &command {
        let policies: Vec<Policy> = policy.iter().filter_map(|text| text.parse().ok()).collect();
        if let Err(error) = check_policies(toolbox, &policies) {
            return fail(bundle, USAGE, error);
        }
    }
    let result = match command {
        Pi::Run { policy, arguments } => {
            for path in install::installed(bundle.name) {
                let path = path.display();
                say(format_args!(
                    "{0}: installed, too ({path}): Pi takes the tools from here, and says that the names of those are taken",
                    bundle.name
                ));
            }
            launch::run(bundle.name, &policy, &arguments)
        }
        // A bundle that Pi could not load is not worth installing.
        Pi::Install { place: Place { local, force }, policy } => toolbox
            .verify()
            .map_err(ToolError::from)
            .and_then(|()| install::install(bundle.name, &policy, local, force))
            .map(|done| report(bundle, &done)),
        Pi::Uninstall { place: Place { local, force } } => {
            install::uninstall(bundle.name, local, force).map(|done| report(bundle, &done))
        }
        Pi::Package { out, binary, name } => {
            let name = name.as_deref().unwrap_or(bundle.name);
            toolbox.verify().map_err(ToolError::from).and_then(|()| package(bundle, toolbox, &out, name, &binary))
        }
        Pi::Doctor { format } => Ok(examine(bundle, toolbox, format)),
    };
    result.unwrap_or_else(|error| fail(bundle, FAILED, error))
}

fn report(bundle: Bundle, done: &Done) -> ExitCode {
    let status = print(&done.text);
    for note in &done.notes {
        say(format_args!("{}: {note}", bundle.name));
    }
    status
}

fn package(
    bundle: Bundle,
    toolbox: &Toolbox,
    out: &std::path::Path,
    name: &str,
    binaries: &[(Platform, PathBuf)],
) -> Result<ExitCode, ToolError> {
    let package = Package { bundle: bundle.name, name, version: bundle.version, about: bundle.about, out };
    let folders = package.write(toolbox, binaries)?;
    if binaries.is_empty() && cfg!(debug_assertions) {
        say(format_args!(
            "{}: this is a debug build, large and slow: publish what `cargo build --release` makes",
            bundle.name
        ));
    }
    let access = if name.starts_with('@') { " --access public" } else { "" };
    let publish: String =
        folders.iter().map(|folder| format!("  npm publish{access} {}\n", folder.display())).collect();
    Ok(print(&format!(
        "Wrote {name} {}. To publish it, in this order:\n{publish}Then it is installed with:\n  pi install npm:{name}\n",
        bundle.version
    )))
}

fn examine(bundle: Bundle, toolbox: &Toolbox, format: Format) -> ExitCode {
    let findings = doctor::examine(bundle.name, toolbox);
    let printed = print(&match format {
        Format::Json => format!("{:#}\n", serde_json::json!(findings)),
        Format::Text => findings
            .iter()
            .map(|Finding { about, state, text }| {
                let state = match state {
                    State::Ok => "ok",
                    State::Note => "note",
                    State::Mend => "mend",
                };
                format!("{state:<4}  {about:<9}  {text}\n")
            })
            .collect(),
    });
    if findings.iter().any(|finding| finding.state == State::Mend) { ExitCode::from(FAILED) } else { printed }
}
