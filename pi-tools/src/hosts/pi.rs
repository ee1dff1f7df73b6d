//! The Pi coding agent.
//!
//! Pi loads the [`extension`] that [`launch`], [`install`] or [`package`] has written. It asks the executable for its
//! [`manifest`], registers each tool with Pi, and starts the executable once more to [`serve`] the calls.

pub(crate) mod doctor;
mod extension;
mod host;
pub(crate) mod install;
pub(crate) mod launch;
pub(crate) mod manifest;
pub(crate) mod package;
pub(crate) mod platform;
pub(crate) mod prepare;
mod requests;
mod sampling;
pub(crate) mod serve;

use std::fmt;
use std::io::{self, Write as _};

use super::{exit, stdio};

/// Where a bundle tells what nobody answers to.
type Log = fn(&dyn fmt::Display);

/// A line on stderr, if anybody is there to read it: `eprintln!` would panic.
fn log(problem: &dyn fmt::Display) {
    let _ = writeln!(io::stderr(), "pi-tools: {problem}");
}
