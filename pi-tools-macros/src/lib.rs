//! The procedural macros of [`pi-tools`](https://docs.rs/pi-tools), which re-exports and documents them.
//!
//! Attribute tokens → model → expansion. Each step is one file with one entry function, and nothing flows back. No
//! name of a type that this crate does not own appears in it: it reads syntax, the traits of the runtime answer for
//! types.

mod args;
mod bounds;
mod builtins;
mod case;
mod check;
mod errors;
mod expand;
mod fallback;
mod item;
mod model;
mod session_entry;
mod session_state;
#[cfg(test)]
mod snapshots;
mod string_enum;
mod template;
mod waits;

use proc_macro::TokenStream;

use crate::errors::Errors;

/// # Keys
#[doc = include_str!("../keys.md")]
///
/// `#[serde(..)]` and `#[schemars(..)]` on an argument are forwarded to the field that it decodes from.
///
/// # What it expands to
///
/// The function, as it was written, and an anonymous constant: code that decodes each argument, a `static` with all that
/// is known of the tool and a closure that calls the function, and its registration. Only `handle` adds a name.
#[proc_macro_attribute]
pub fn pi_tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    tool(attribute.into(), &item.into()).into()
}

fn tool(attribute: proc_macro2::TokenStream, item: &proc_macro2::TokenStream) -> proc_macro2::TokenStream {
    let mut errors = Errors::new();
    let args = args::read(attribute, "pi_tool", args::keys::TOOL, &mut errors);
    let Some(function) = item::Function::read(item, &mut errors) else {
        return fallback::other(item, errors);
    };
    let model = model::ToolModel::build(args, &function, &mut errors);
    check::check(&model, &mut errors);
    match errors.finish() {
        Ok(()) => expand::expand(&model),
        Err(error) => fallback::function(&function, &error),
    }
}

/// Makes an enum without data a choice of words: see the trait of this name.
#[proc_macro_derive(StringEnum, attributes(string_enum, serde))]
pub fn derive_string_enum(item: TokenStream) -> TokenStream {
    string_enum::derive(item.into()).into()
}

/// Makes a type session state: see the trait of this name.
#[proc_macro_derive(SessionState, attributes(session_state))]
pub fn derive_session_state(item: TokenStream) -> TokenStream {
    session_state::derive(item.into()).into()
}

/// Makes a type a session entry: see the trait of this name.
#[proc_macro_derive(SessionEntry, attributes(session_entry))]
pub fn derive_session_entry(item: TokenStream) -> TokenStream {
    session_entry::derive(item.into()).into()
}
