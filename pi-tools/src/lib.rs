//! Write tools for LLM agents in Rust: one function, one attribute.
//!
//! ```
//! use pi_tools::prelude::*;
//!
//! /// Greet someone by name.
//! #[pi_tool(prompt_snippet = "Greet someone")]
//! async fn greet(
//!     /// Whom to greet.
//!     name: String,
//!     /// How often; once if left out.
//!     times: Option<u32>,
//! ) -> String {
//!     vec![format!("Hello, {name}!"); times.unwrap_or(1) as usize].join("\n")
//! }
//!
//! pi_tools::main!();
//! ```
//!
//! The executable is a *bundle*. `pi run` starts the [Pi coding agent](https://pi.dev) with its tools registered
//! natively; `list`, `show` and `call` work with them on the command line. In another program, [`Toolbox`] calls them,
//! and [`Batch`] answers all calls of one message of a model.
//!
//! # The rules
//!
//! 1. **An owned parameter is an argument from the model. `&T` comes from the host or the application. `&mut T` is
//!    session state.** See [`pi_tool`], [`FromContext`] and [`SessionState`].
//! 2. The function stays an ordinary function: a unit test calls it.
//! 3. The doc comment is the tool's description, a parameter's doc comment is the parameter's. Both are required.
//! 4. The function is `async fn`, or `fn`, which may block: it runs off the async threads. What it may return says
//!    [`IntoToolOutput`].
//! 5. Anything that serde and schemars know works as a parameter; [`StringEnum`] is for a choice of words.
//!
//! An `async fn` must not block: while it keeps its thread, no other call goes on, and neither a cancellation nor the
//! end of the host is noticed. Write `fn` for work that blocks.
//!
//! # Files
//!
//! A path from the model is a [`ToolPath`]: `@src/main.rs`, `~/notes` and `file:///tmp/x` mean what they mean to Pi's own
//! tools. Calls run beside each other, so two that read a file, change it and write it would lose a change:
//! `#[arg(mutates)]` makes those of one file wait for each other before they begin, [`ToolContext::mutate_file`] does it
//! inside of a call, and [`path::replace_file`] writes so that nobody reads a part.
//!
//! # Features
//!
//! | feature | brings |
//! | --- | --- |
//! | `cli` (default) | [`main!`] and the command line |
//! | `pi` (default) | the commands `pi …`, `manifest` and `serve` |
//! | `mcp` | `hosts::mcp`: the Model Context Protocol; with `cli`, the command `mcp` |
//! | `mcp-http` | the same over HTTP |
//! | `command` (with `cli`) | [`ToolContext::command`]: child processes that end with their call |
//! | `tracing` | a span for each call: which tool, how it ended and how long it took, but no arguments |
//! | `bytes`, `chrono`, `jiff`, `url`, `uuid` | parameters of the types of these crates, which need their own `serde` features |
//!
//! # Types of parameters
//!
//! What a schema accepts decodes, and what decodes the schema accepts: [`check!`] shows it for your types. Where types go
//! further than schemas:
//!
//! | type | what only decoding finds out |
//! | --- | --- |
//! | maps with other keys than texts | a key that is none of the type |
//! | texts that a type parses by itself | what does not parse: publish a `pattern` or a format |
//! | `#[serde(other)]` | nothing: what the schema refuses is refused where something else must be checked, too |
//! | `u128`, `i128` | a number beyond 64 bits, which no JSON value holds |
//! | `Duration`, `SystemTime` | seconds that overflow |
//! | `f32` | a number beyond it |
//! | `Uuid` | nothing: other spellings than the usual one are refused |
//! | types with a `deserialize_with` or `try_from` of their own | whatever that refuses |
//!
//! It is an error with its path then, like any other. Sets are narrower than their types: an item given twice is refused.
//! Serde's derives are wider: a struct may be an array of its fields; a call is refused for it only where something else
//! must be checked, too.

mod argument;
mod batch;
pub mod builtin;
mod check;
mod context;
mod declaration;
mod error;
mod hooks;
mod host;
pub mod hosts;
mod linked;
mod links;
mod output;
pub mod path;
mod pipeline;
mod policy;
pub mod prompt;
mod queue;
mod run;
pub mod schema;
mod session;
mod spec;
mod spill;
mod string_enum;
mod template;
pub mod testing;
mod tool;
mod toolbox;
pub mod truncate;

#[cfg(feature = "command")]
mod children;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "command")]
mod command;
#[cfg(any(feature = "cli", feature = "mcp"))]
mod hint;
#[cfg(feature = "pi")]
mod protocol;

/// For [`Host`]s that answer questions.
pub use async_trait::async_trait;
pub use batch::{Batch, BatchEvent, BatchOutput, ToolCall, ToolResult};
#[cfg(feature = "command")]
pub use command::{Command, CommandOutput};
pub use context::{ExecuteTool, FromContext, ToolContext, Ui};
pub use declaration::{Declaration, Declarations};
pub use error::{ToolError, ToolboxError};
pub use hooks::Hook;
pub use host::{Dialog, FileLock, Form, Host, Level, Mode, Model, NestedCall};
pub use output::{Audio, Content, Image, IntoToolOutput, Json, OutputSchema, Resource, ToolOutput};
/// Makes a function a tool.
///
/// ```
/// use pi_tools::prelude::*;
///
/// /// Welcome someone by name.
/// #[pi_tool(label = "Welcome", prompt_snippet = "Welcome someone", guidelines = ["Use welcome for every newcomer"])]
/// async fn welcome(
///     /// Whom to welcome.
///     #[arg(alias = "who")]
///     name: String,
/// ) -> String {
///     format!("Welcome, {name}!")
/// }
/// ```
pub use pi_tools_macros::pi_tool;
pub use pi_tools_macros::{SessionEntry, SessionState, StringEnum};
// Derives with `crate = "pi_tools::serde"` need no dependency of their own.
pub use {schemars, serde, serde_json};

pub use argument::{FromText, Length, Number};
pub use path::{FilePaths, ToolPath};
pub use pipeline::validate_arguments;
pub use policy::{Decision, Policy, PolicyError, Tools};
pub use queue::with_file_mutation_queue;
pub use session::{
    Locked, Session, SessionEntry, SessionError, SessionFile, SessionInfo, SessionState, StateForm, StateSet,
};
pub use spec::{Execution, Exposure, Need, Prepare, Prepared, Rename, ToolSpec, Truncate};
pub use string_enum::{StringEnum, UnknownValue};
/// Cancels a call: for [`ToolContext::with_cancellation`].
pub use tokio_util::sync::CancellationToken;
pub use tool::{Arguments, IntoTool, Tool, ToolRef};
pub use toolbox::{Toolbox, ToolboxBuilder};

/// What a file with tools needs: `use pi_tools::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Json, Level, SessionState, StringEnum, ToolContext, ToolError, ToolOutput, ToolPath, Toolbox, pi_tool,
    };
    pub use serde::{Deserialize, Serialize};
}

/// What the macros expand to. Not for other use, and not stable.
#[doc(hidden)]
pub mod __private {
    pub use crate::argument::{
        Argument, FromText, Keyword, check_default, check_length, check_range, of_field, of_value, to_json,
    };
    pub use crate::builtin::{self, check_details};
    pub use crate::context::FromContext;
    pub use crate::linked::check_linked;
    pub use crate::output::IntoToolOutput;
    pub use crate::pipeline::decode::{Slots, decode, decode_flattened, field, filled, is_optional, or_default};
    pub use crate::session::{DrawnEntry, SessionEntry, SessionState, StateForm};
    pub use crate::spec::{Execution, Exposure, Need, Prepared, Rename, ToolSpec, Truncate};
    pub use crate::string_enum::{
        StringEnum, UnknownValue, deserialize as deserialize_string_enum, schema as string_enum_schema,
        unknown as unknown_value,
    };
    pub use crate::tool::{
        Bundled, Call, End, ErasedTool, Finished, FunctionTool, IntoTool, Registration, StartError, Started,
    };
    pub use core;
    pub use inventory::submit;
    pub use schemars::{self, JsonSchema};
    pub use serde::{self, Deserialize, Deserializer};
    pub use std::borrow::Cow;
    pub use std::boxed::Box;
    pub use std::sync::OnceLock;

    #[cfg(feature = "cli")]
    pub use crate::cli::{Bundle, main};
    #[cfg(feature = "pi")]
    pub use crate::hosts::pi::serve::answer_lines;
    #[cfg(feature = "cli")]
    pub use std::process::ExitCode;
}

/// Links crates of tools: a crate that nobody names is not linked, and its tools are missing without a word.
///
/// [`Toolbox::collect`] and the command line fail, and name the crate, when one of them contributes no tool. Write it
/// once, beside [`main!`] or in a library that brings others along. A dependency that is renamed is named by
/// `extern crate renamed as its_own_name;` and bundled by its own name.
///
/// # Example
///
/// ```
/// # extern crate self as my_tools;
/// # /// Do something.
/// # #[pi_tools::pi_tool]
/// # fn bundled() {}
/// pi_tools::bundle!(my_tools);
/// ```
#[macro_export]
macro_rules! bundle {
    ($($krate:ident),+ $(,)?) => {$(
        const _: () = {
            #[allow(unused_imports)]
            use $krate as _;
            $crate::__private::submit! {
                $crate::__private::Bundled {
                    krate: $crate::__private::core::stringify!($krate),
                    by: $crate::__private::core::module_path!(),
                    is_executable: $crate::__private::core::option_env!("CARGO_BIN_NAME").is_some(),
                }
            }
        };
    )+};
}

/// Makes a test of the crate that checks all linked tools: see [`Toolbox::check`].
///
/// Written once in a bundle or in a library of tools. `cargo test` then fails, with all that must be mended, when one of
/// the tools would be refused by a provider. What the providers' dialects lose is printed: with `--nocapture`, or when the
/// test fails. `check!(OpenAi, Anthropic)` is for these [dialects](schema::Dialect) only.
///
/// # Example
///
/// ```
/// pi_tools::check!();
/// ```
#[macro_export]
macro_rules! check {
    () => {
        $crate::check!(Portable, Google, GoogleJsonSchema, OpenAi, OpenAiStrict, Anthropic, AnthropicStrict);
    };
    ($($dialect:ident),+ $(,)?) => {
        #[cfg(test)]
        mod __pi_tools_check {
            #[test]
            fn every_tool_is_accepted_everywhere() {
                $crate::__private::check_linked(&[$($crate::schema::Dialect::$dialect),+]);
            }
        }
    };
}

/// Makes the crate a bundle executable: its `main` is the command line of all linked tools.
///
/// `main!(provide = setup)` first runs `setup`, for those commands that run tools: it gets a [`ToolboxBuilder`] and
/// returns it, or a `Result` of it, with the values for `&T` parameters. It runs outside of any async runtime.
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::ToolboxBuilder;
///
/// struct Config {
///     greeting: String,
/// }
///
/// /// Greet someone by name.
/// #[pi_tool]
/// fn greet(
///     /// Whom to greet.
///     name: String,
///     config: &Config,
/// ) -> String {
///     format!("{}, {name}!", config.greeting)
/// }
///
/// fn setup(toolbox: ToolboxBuilder) -> Result<ToolboxBuilder, std::env::VarError> {
///     Ok(toolbox.provide(Config { greeting: std::env::var("GREETING")? }))
/// }
///
/// pi_tools::main!(provide = setup);
/// ```
#[cfg(feature = "cli")]
#[macro_export]
macro_rules! main {
    () => {
        $crate::main!(provide = |toolbox| toolbox);
    };
    (provide = $setup:expr $(,)?) => {
        fn main() -> $crate::__private::ExitCode {
            let __pi_name = match $crate::__private::core::option_env!("CARGO_BIN_NAME") {
                $crate::__private::core::option::Option::Some(__pi_name) => __pi_name,
                $crate::__private::core::option::Option::None => $crate::__private::core::env!("CARGO_PKG_NAME"),
            };
            let __pi_bundle = $crate::__private::Bundle {
                name: __pi_name,
                version: $crate::__private::core::env!("CARGO_PKG_VERSION"),
                about: &[
                    ("description", $crate::__private::core::env!("CARGO_PKG_DESCRIPTION")),
                    ("license", $crate::__private::core::env!("CARGO_PKG_LICENSE")),
                    ("repository", $crate::__private::core::env!("CARGO_PKG_REPOSITORY")),
                ],
            };
            $crate::__private::main(__pi_bundle, $setup)
        }
    };
}

/// The examples of the README are tests, too.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
