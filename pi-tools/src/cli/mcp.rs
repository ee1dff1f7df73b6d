//! The command `mcp`: serves the tools, or prints what a client must be told to start it.

#[cfg(feature = "mcp-http")]
use std::io;
use std::process::ExitCode;

use serde_json::json;

use super::{Bundle, check_policies, check_tools, policy_text, print, runtime};
use crate::error::ToolError;
use crate::hosts::mcp::Server;
use crate::policy::{Policy, Tools};
use crate::toolbox::Toolbox;

/// Where clients find the server if no address is named.
#[cfg(feature = "mcp-http")]
const ADDRESS: &str = "127.0.0.1:8717";
/// Where the token of the HTTP server is taken from.
#[cfg(feature = "mcp-http")]
const TOKEN: &str = "PI_TOOLS_MCP_TOKEN";

#[derive(clap::Args)]
pub(super) struct Mcp {
    /// Serve over HTTP at this address; clients need the token in `PI_TOOLS_MCP_TOKEN`, or the one that is printed
    #[cfg(feature = "mcp-http")]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = ADDRESS)]
    http: Option<String>,
    /// Take every program of this machine as a client, without a token
    #[cfg(feature = "mcp-http")]
    #[arg(long, requires = "http", conflicts_with = "print_config")]
    no_auth: bool,
    /// What may run
    #[arg(long, value_name = "POLICY", value_parser = policy_text)]
    policy: Vec<String>,
    /// Serve only these tools, also those that are inactive unless they are named
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', value_parser = str::parse::<Tools>)]
    only: Vec<Tools>,
    /// Do not serve these tools
    #[arg(long, value_name = "TOOLS", value_delimiter = ',', value_parser = str::parse::<Tools>)]
    except: Vec<Tools>,
    /// The server's name; the executable's if left out
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    name: Option<String>,
    /// Print what this client must be told to start the server with these options, and serve nothing
    #[cfg_attr(feature = "mcp-http", arg(conflicts_with = "http"))]
    #[arg(long, value_name = "CLIENT", value_enum)]
    print_config: Option<Client>,
}

/// A client, by the way in which it is told of servers.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Client {
    Pi,
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    Vscode,
}

impl Mcp {
    /// # Errors
    ///
    /// What makes no sense. Nothing has happened then.
    pub(super) fn check(&self, toolbox: &Toolbox) -> Result<(), ToolError> {
        check_policies(toolbox, &self.policies())?;
        check_tools(toolbox, self.only.iter().chain(&self.except))
    }

    /// # Errors
    ///
    /// When it cannot serve.
    pub(super) fn run(
        self,
        bundle: Bundle,
        provided: impl FnOnce(Vec<Policy>) -> Result<Toolbox, ToolError>,
    ) -> Result<ExitCode, ToolError> {
        let name = self.name.as_deref().unwrap_or(bundle.name);
        if let Some(client) = self.print_config {
            let executable = std::env::current_exe()?;
            let Some(executable) = executable.to_str() else {
                let executable = executable.display();
                return Err(ToolError::new(format!("the executable's path is not Unicode: {executable}")));
            };
            return Ok(print(&client.config(name, executable, &self.arguments())));
        }
        let server = Server::new(provided(self.policies())?).name(name).version(bundle.version).except(self.except);
        let server = if self.only.is_empty() { server } else { server.only(self.only) };
        #[cfg(feature = "mcp-http")]
        if let Some(address) = self.http {
            runtime().block_on(serve_http(server, &address, self.no_auth))?;
            return Ok(ExitCode::SUCCESS);
        }
        runtime().block_on(server.serve_stdio())?;
        Ok(ExitCode::SUCCESS)
    }

    fn policies(&self) -> Vec<Policy> {
        // They are checked when the command line is read.
        self.policy.iter().filter_map(|text| text.parse().ok()).collect()
    }

    /// What the executable must be started with to do the same.
    fn arguments(&self) -> Vec<String> {
        let list = |tools: &[Tools]| tools.iter().map(Tools::to_string).collect::<Vec<_>>().join(",");
        let mut arguments = vec!["mcp".to_owned()];
        let mut add = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
        for policy in &self.policy {
            add("--policy", policy.clone());
        }
        if !self.only.is_empty() {
            add("--only", list(&self.only));
        }
        if !self.except.is_empty() {
            add("--except", list(&self.except));
        }
        if let Some(name) = &self.name {
            // In one, as it may begin with a hyphen.
            arguments.push(format!("--name={name}"));
        }
        arguments
    }
}

/// Serves until Ctrl-C, or until the process is told to end.
#[cfg(feature = "mcp-http")]
async fn serve_http(server: Server, address: &str, no_auth: bool) -> Result<(), ToolError> {
    use std::env::VarError;

    use crate::hosts::mcp::{Access, random};

    let failed = |error: io::Error| ToolError::new(format!("cannot serve at {address}: {error}"));
    let listener = tokio::net::TcpListener::bind(address).await.map_err(failed)?;
    let address_here = listener.local_addr().map_err(failed)?;
    let (access, told) = if no_auth {
        (Access::Open, String::new())
    } else {
        match std::env::var(TOKEN) {
            Ok(token) => {
                let told = format!("\nAuthorization: Bearer, with the token of {TOKEN}");
                (Access::Token(token.trim().to_owned()), told)
            }
            Err(VarError::NotPresent) => {
                let token = random();
                let told = format!("\nAuthorization: Bearer {token}");
                (Access::Token(token), told)
            }
            Err(VarError::NotUnicode(_)) => return Err(ToolError::new(format!("{TOKEN} is not Unicode"))),
        }
    };
    access.check(address_here).map_err(failed)?;
    crate::hosts::exit_when_terminated().map_err(failed)?;
    super::say(format_args!("http://{address_here}/mcp{told}"));
    server.serve_http(listener, access).await.map_err(failed)
}

impl Client {
    /// What it must be told, and where that goes.
    fn config(self, name: &str, executable: &str, arguments: &[String]) -> String {
        let server = json!({ "command": executable, "args": arguments });
        let words: Vec<String> =
            std::iter::once(executable).chain(arguments.iter().map(String::as_str)).map(shell_word).collect();
        let (command, name_word) = (words.join(" "), shell_word(name));
        match self {
            Self::Pi => format!("pi mcp add {name_word} -- {command}\n"),
            Self::ClaudeCode => format!("claude mcp add {name_word} -- {command}\n"),
            Self::ClaudeDesktop | Self::Cursor => format!("{:#}\n", json!({ "mcpServers": { name: server } })),
            Self::Vscode => {
                let server = json!({ "type": "stdio", "command": executable, "args": arguments });
                format!("{:#}\n", json!({ "servers": { name: server } }))
            }
            // TOML's texts in double quotes are those of JSON, but for a character that JSON leaves as it is.
            Self::Codex => {
                format!("[mcp_servers.{}]\ncommand = {}\nargs = {}\n", json!(name), server["command"], server["args"])
                    .replace('\u{7f}', "\\u007f")
            }
        }
    }
}

/// The text as one word of a shell.
fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=,@:+".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else if cfg!(windows) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
