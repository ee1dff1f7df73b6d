//! The Pi coding agent.
//!
//! Pi runs `pi -e EXTENSION`. The extension ([`launch`]) asks the executable for its [`manifest`], registers each tool
//! with Pi, and starts the executable once more to [`serve`] the calls.

mod host;
pub(crate) mod launch;
pub(crate) mod manifest;
pub(crate) mod prepare;
mod requests;
mod sampling;
pub(crate) mod serve;
mod stdio;

/// Ends the process, whatever its tools still do.
fn exit(status: i32) -> ! {
    crate::children::kill_all();
    crate::spill::remove_all();
    std::process::exit(status)
}
