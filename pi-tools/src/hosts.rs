//! The hosts a bundle executable works in.

#[cfg(any(feature = "cli", feature = "mcp"))]
pub(crate) mod lock;
#[cfg(feature = "mcp")]
pub mod mcp;
#[cfg(feature = "pi")]
pub(crate) mod pi;
#[cfg(all(unix, any(feature = "cli", feature = "mcp")))]
pub(crate) mod signals;
#[cfg(any(feature = "mcp", feature = "pi"))]
#[cfg_attr(not(feature = "pi"), expect(dead_code, reason = "Pi has updates, and a pipe of its own"))]
mod stdio;

#[cfg(all(feature = "cli", feature = "mcp-http"))]
pub(crate) use stdio::exit_when_terminated;

/// Ends the process, whatever its tools still do.
#[cfg(any(feature = "mcp", feature = "pi"))]
pub(crate) fn exit(status: i32) -> ! {
    #[cfg(feature = "command")]
    crate::children::kill_all();
    crate::spill::remove_all();
    std::process::exit(status)
}
