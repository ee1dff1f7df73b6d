//! The Pi coding agent.
//!
//! Pi runs `pi -e EXTENSION`. The extension ([`launch`]) asks the executable for its [`manifest`], registers each tool
//! with Pi, and starts the executable once more to [`serve`] the calls.

mod host;
pub(crate) mod launch;
pub(crate) mod manifest;
mod requests;
pub(crate) mod serve;

use super::{exit, stdio};
