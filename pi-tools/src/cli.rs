//! The command line of a bundle executable.

mod arguments;
mod call;
mod check;
#[cfg(feature = "mcp")]
mod mcp;
mod recording;
mod terminal;

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::error::ToolError;
use crate::hint;
use crate::policy::{Policy, Tools};
use crate::schema::Dialect;
use crate::tool::ToolRef;
use crate::toolbox::{Toolbox, ToolboxBuilder};

/// The exit status of a call whose result is an error.
const FAILED: u8 = 1;
/// The exit status of a command line that makes no sense.
const USAGE: u8 = 2;

/// The linker drops a crate that nobody names.
const NO_TOOLS: &str =
    "no tools are linked into this executable: name the crate that has them, with `pi_tools::bundle!(my_tools);`";

/// A bundle executable: what `pi_tools::main!()` knows about it.
#[derive(Clone, Copy, Debug)]
pub struct Bundle {
    /// The executable's name.
    pub name: &'static str,
    /// The package's version.
    pub version: &'static str,
}

/// What the `setup` of `pi_tools::main!(provide = setup)` may return.
pub trait Setup {
    /// The builder with the application's values.
    ///
    /// # Errors
    ///
    /// What went wrong while they were built.
    fn builder(self) -> Result<ToolboxBuilder, ToolError>;
}

impl Setup for ToolboxBuilder {
    fn builder(self) -> Result<ToolboxBuilder, ToolError> {
        Ok(self)
    }
}

impl<E: Into<ToolError>> Setup for Result<ToolboxBuilder, E> {
    fn builder(self) -> Result<ToolboxBuilder, ToolError> {
        self.map_err(Into::into)
    }
}

/// The grammar of a policy, for the help of commands that run tools.
const POLICY: &str = "\
Policies (all must agree; in one --policy they stand with spaces between them):
  read-only    Run only tools that say they change nothing
  allow=TOOLS  Run only these
  deny=TOOLS   Do not run these
  yes          Answer the questions of tools with yes
TOOLS, with commas between them:
  NAME, NAMESPACE/, @read-only, @destructive, @idempotent, @open-world";

#[derive(Parser)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the tools
    #[command(after_help = "Example:\n  {name} list")]
    List,
    /// Show what a model is told about a tool
    #[command(after_help = "Example:\n  {name} show {tool}")]
    Show {
        /// The tool's name
        name: String,
    },
    /// Print the JSON Schema of the parameters, as a provider takes it; what that loses goes to stderr
    #[command(after_help = "Examples:\n  {name} schema {tool}\n  {name} schema --for google")]
    Schema {
        /// The tool's name
        name: Option<String>,
        /// The dialect
        #[arg(long = "for", value_name = "DIALECT", default_value = "portable", value_parser = dialect())]
        dialect: Dialect,
    },
    /// Print how each provider takes each tool; exit status 1 if something must be mended
    #[command(
        after_help = "Examples:\n  {name} check\n  {name} check --for openai --format json\n  {name} check --against manifest.json"
    )]
    Check(check::Check),
    /// Call a tool: progress on stderr, the result on stdout; exit status 1 for an error result
    #[command(
        after_help = "Examples:\n  {name} call {tool} '{arguments}'\n  {name} call {tool} @arguments.json\n  {name} call {tool} - < arguments.json{pairs}\n\n{policy}"
    )]
    Call(call::Call),
    /// Print what Pi must know to register the tools, as JSON
    #[cfg(feature = "pi")]
    #[command(after_help = "Example:\n  {name} manifest")]
    Manifest,
    /// Answer calls over standard input and output, as Pi's extension makes them
    #[cfg(feature = "pi")]
    #[command(after_help = "Example (Pi's extension does this):\n  {name} serve\n\n{policy}")]
    Serve {
        /// What may run
        #[arg(long, value_name = "POLICY")]
        policy: Vec<Policy>,
    },
    /// Serve the tools to a client of the Model Context Protocol, over standard input and output
    #[cfg(feature = "mcp")]
    #[command(
        after_help = "Examples:\n  {name} mcp\n  {name} mcp --print-config claude-code --policy read-only\n\n{policy}"
    )]
    Mcp(mcp::Mcp),
    /// Work with the Pi coding agent
    #[cfg(feature = "pi")]
    #[command(subcommand)]
    Pi(Pi),
}

#[cfg(feature = "pi")]
#[derive(Subcommand)]
enum Pi {
    /// Start Pi with these tools
    #[command(after_help = "Examples:\n  {name} pi run\n  {name} pi run -- --print \"What can you do?\"\n\n{policy}")]
    Run {
        /// What may run of these tools
        #[arg(long, value_name = "POLICY", value_parser = policy_text)]
        policy: Vec<String>,
        /// Pi's own arguments
        #[arg(last = true)]
        arguments: Vec<std::ffi::OsString>,
    },
}

/// Runs the command line of this process.
pub fn main<S: Setup>(bundle: Bundle, setup: impl FnOnce(ToolboxBuilder) -> S) -> ExitCode {
    let tools = Toolbox::builder().linked();
    let toolbox = match tools.build_unprovided() {
        Ok(toolbox) => toolbox,
        Err(error) => return fail(bundle, FAILED, error),
    };
    let command_line = match command_line(bundle, &toolbox).try_get_matches() {
        Ok(matches) => CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
        Err(error) => error.exit(),
    };
    // Only now, and only where tools run: `list` and `manifest` must have no effects.
    let provided = |policies: Vec<Policy>| {
        let builder = setup(Toolbox::builder().linked()).builder()?;
        policies.into_iter().fold(builder, ToolboxBuilder::policy).build().map_err(ToolError::from)
    };
    if toolbox.tools().len() == 0 {
        return fail(bundle, FAILED, NO_TOOLS);
    }
    match command_line.command {
        Command::List => print(&list(&toolbox)),
        Command::Show { name } => match find(&toolbox, &name) {
            Ok(tool) => print(&show(tool)),
            Err(error) => fail(bundle, USAGE, error),
        },
        Command::Schema { name, dialect } => match name.map(|name| find(&toolbox, &name)).transpose() {
            Ok(tool) => schema(bundle, &toolbox, tool, dialect),
            Err(error) => fail(bundle, USAGE, error),
        },
        Command::Check(command) => check::check(bundle, &toolbox, &command),
        Command::Call(command) => match command.prepare(&toolbox) {
            Ok(prepared) => prepared.run(provided).unwrap_or_else(|error| fail(bundle, FAILED, error)),
            Err(error) => fail(bundle, USAGE, error),
        },
        #[cfg(feature = "pi")]
        Command::Manifest => match crate::hosts::pi::manifest::manifest(&toolbox, bundle.name, bundle.version) {
            Ok(manifest) => print(&format!("{}\n", serde_json::json!(manifest))),
            Err(error) => fail(bundle, FAILED, error),
        },
        #[cfg(feature = "pi")]
        Command::Serve { policy } => match check_policies(&toolbox, &policy) {
            Ok(()) => provided(policy)
                .and_then(|toolbox| Ok(runtime().block_on(crate::hosts::pi::serve::serve(toolbox))?))
                .unwrap_or_else(|error| fail(bundle, FAILED, error)),
            Err(error) => fail(bundle, USAGE, error),
        },
        #[cfg(feature = "mcp")]
        Command::Mcp(command) => match command.check(&toolbox) {
            Ok(()) => command.run(bundle, provided).unwrap_or_else(|error| fail(bundle, FAILED, error)),
            Err(error) => fail(bundle, USAGE, error),
        },
        #[cfg(feature = "pi")]
        Command::Pi(Pi::Run { policy, arguments }) => {
            let policies: Vec<Policy> = policy.iter().filter_map(|text| text.parse().ok()).collect();
            match check_policies(&toolbox, &policies) {
                Ok(()) => crate::hosts::pi::launch::run(bundle.name, &policy, &arguments)
                    .unwrap_or_else(|error| fail(bundle, FAILED, error)),
                Err(error) => fail(bundle, USAGE, error),
            }
        }
    }
}

/// The grammar, with this bundle's name and one of its tools in the examples.
fn command_line(bundle: Bundle, toolbox: &Toolbox) -> clap::Command {
    fn fill(command: clap::Command, texts: &[(&str, &str)]) -> clap::Command {
        let help = command.get_after_help().map(|help| {
            texts.iter().fold(help.to_string(), |help, (placeholder, text)| help.replace(placeholder, text))
        });
        let command = command.mut_subcommands(|subcommand| fill(subcommand, texts));
        match help {
            Some(help) => command.after_help(help),
            None => command,
        }
    }
    let tool = toolbox.tools().next();
    let arguments = tool.map_or_else(|| "{}".to_owned(), example_arguments);
    let tool = tool.map_or("NAME", |tool| tool.spec().name);
    let pairs =
        example_pairs(&arguments).map_or_else(String::new, |pairs| format!("\n  {} call {tool}{pairs}", bundle.name));
    let texts = [
        ("{policy}", POLICY),
        ("{pairs}", &pairs),
        ("{name}", bundle.name),
        ("{tool}", tool),
        ("{arguments}", &arguments),
    ];
    let command = CommandLine::command().name(bundle.name).version(bundle.version).about("Tools for LLM agents");
    fill(command, &texts)
}

/// Arguments that the tool's schema accepts, for the help.
fn example_arguments(tool: ToolRef<'_>) -> String {
    let Ok(parameters) = tool.parameters() else { return "{}".to_owned() };
    let schema = parameters.schema();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    let arguments: serde_json::Map<_, _> = required
        .map(|name| {
            let parameter = &schema["properties"][name];
            let value = match parameter["type"].as_str() {
                _ if parameter["enum"].is_array() => parameter["enum"][0].clone(),
                Some("integer" | "number") => 1.into(),
                Some("boolean") => true.into(),
                Some("array") => serde_json::json!([]),
                Some("object") => serde_json::json!({}),
                _ => "…".into(),
            };
            (name.to_owned(), value)
        })
        .collect();
    serde_json::Value::from(arguments).to_string()
}

/// The same arguments one by one, if they are all single values that a shell leaves as they are.
fn example_pairs(arguments: &str) -> Option<String> {
    let arguments: serde_json::Map<_, _> = serde_json::from_str(arguments).ok()?;
    let pair = |(name, value): (&String, &serde_json::Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_plain = text.chars().all(|letter| letter.is_alphanumeric() || "-_.…".contains(letter));
        is_plain.then(|| format!(" --arg {name}={text}"))
    };
    let pairs: String = arguments.iter().map(pair).collect::<Option<_>>()?;
    (!pairs.is_empty()).then_some(pairs)
}

fn list(toolbox: &Toolbox) -> String {
    let width = toolbox.tools().map(|tool| tool.spec().name.len()).max().unwrap_or(0);
    toolbox
        .tools()
        .map(|tool| {
            let spec = tool.spec();
            let summary = tool.description().lines().next().unwrap_or_default();
            format!("{:width$}  {summary}\n", spec.name)
        })
        .collect()
}

fn show(tool: ToolRef<'_>) -> String {
    use std::fmt::Write as _;

    let spec = tool.spec();
    let mut text = format!("{} ({})\n\n{}\n", spec.name, spec.label, tool.description());
    if let Some(snippet) = spec.prompt_snippet {
        let _ = write!(text, "\nSnippet: {snippet}\n");
    }
    if !spec.guidelines.is_empty() {
        let _ = write!(text, "\nGuidelines:\n");
        for guideline in spec.guidelines {
            let _ = writeln!(text, "- {guideline}");
        }
    }
    if !tool.state_keys().is_empty() {
        let _ = write!(text, "\nSession state: {}\n", tool.state_keys().join(", "));
    }
    let _ = match tool.parameters() {
        Ok(parameters) => write!(text, "\nParameters:\n{:#}\n", parameters.schema()),
        Err(error) => write!(text, "\nThe parameters cannot be published: {error}\n"),
    };
    let _ = match tool.output_schema() {
        Ok(None) => Ok(()),
        Ok(Some(schema)) => write!(text, "\nStructured content:\n{schema:#}\n"),
        Err(error) => write!(text, "\nThe schema of the structured content cannot be published: {error}\n"),
    };
    let _ = write!(text, "\nDefined at {}\n", spec.location);
    text
}

fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names = PossibleValuesParser::new(Dialect::ALL.map(Dialect::name));
    names.map(|name| Dialect::from_name(&name).unwrap_or(Dialect::Portable))
}

/// Prints the schema of a tool, or an object with those of all.
fn schema(bundle: Bundle, toolbox: &Toolbox, only: Option<ToolRef<'_>>, dialect: Dialect) -> ExitCode {
    let mut schemas = serde_json::Map::new();
    let mut problems = Vec::new();
    for tool in toolbox.tools().filter(|tool| only.is_none_or(|only| only.spec().name == tool.spec().name)) {
        let name = tool.spec().name;
        match tool.schema(dialect) {
            Ok((schema, report)) => {
                for warning in report.warnings {
                    say(format_args!("{name}: {warning}"));
                }
                for loss in report.losses {
                    say(format_args!("{name}: {loss}"));
                }
                schemas.insert(name.to_owned(), schema);
            }
            Err(error) => problems.push(format!("{name} has no schema for {}: {error}", dialect.name())),
        }
    }
    if !problems.is_empty() {
        return fail(bundle, FAILED, problems.join("\n"));
    }
    match only {
        Some(tool) => print(&format!("{:#}\n", schemas[tool.spec().name])),
        None => print(&format!("{:#}\n", serde_json::Value::from(schemas))),
    }
}

fn find<'a>(toolbox: &'a Toolbox, name: &str) -> Result<ToolRef<'a>, ToolError> {
    toolbox.get(name).ok_or_else(|| {
        let names: Vec<&str> = toolbox.tools().map(|tool| tool.spec().name).collect();
        let hint = hint::nearest(name, names.iter().copied());
        let hint = hint.map_or_else(String::new, |nearest| format!("\ndid you mean `{nearest}`?"));
        ToolError::new(format!("there is no tool `{name}`; there is: {}{hint}", names.join(", ")))
    })
}

/// A rule about a tool that is not there is a mistake, and one that denies it would go unnoticed.
fn check_policies(toolbox: &Toolbox, policies: &[Policy]) -> Result<(), ToolError> {
    check_tools(toolbox, policies.iter().flat_map(Policy::named))
}

fn check_tools<'a>(toolbox: &Toolbox, named: impl IntoIterator<Item = &'a Tools>) -> Result<(), ToolError> {
    for tools in named {
        match tools {
            Tools::Name(name) => drop(find(toolbox, name)?),
            tools if toolbox.tools().any(|tool| tools.has(tool.spec())) => {}
            tools => return Err(ToolError::new(format!("no tool is in the namespace `{tools}`"))),
        }
    }
    Ok(())
}

/// The text of a policy.
#[cfg(any(feature = "mcp", feature = "pi"))]
fn policy_text(text: &str) -> Result<String, crate::policy::PolicyError> {
    text.parse::<Policy>().map(|_| text.to_owned())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the system grants an event queue")
}

/// A reader that has seen enough is no failure.
fn print(text: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(FAILED),
        _ => ExitCode::SUCCESS,
    }
}

fn fail(bundle: Bundle, status: u8, error: impl fmt::Display) -> ExitCode {
    say(format_args!("{}: {error}", bundle.name));
    ExitCode::from(status)
}

/// A line on stderr, if anybody is there to read it: `eprintln!` would panic.
fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}
