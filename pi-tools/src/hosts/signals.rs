//! Signals that end a process.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::signal::unix::{SignalKind, signal};

/// Waits for one of these signals, or a hang-up, and returns its number. They end the process no longer by themselves.
/// Call it in a runtime with I/O enabled.
pub(crate) fn watch(kinds: &[SignalKind]) -> io::Result<impl Future<Output = i32> + Send + use<>> {
    let kinds = kinds.iter().copied().chain(hangup_ends().then(SignalKind::hangup));
    let mut signals = kinds.map(|kind| Ok((kind, signal(kind)?))).collect::<io::Result<Vec<_>>>()?;
    Ok(poll_fn(move |cx| {
        let mut ready = signals.iter_mut().filter_map(|(kind, signal)| signal.poll_recv(cx).is_ready().then_some(kind));
        ready.next().map_or(Poll::Pending, |kind| Poll::Ready(kind.as_raw_value()))
    }))
}

/// Whether it is known that a hang-up is not ignored, as it is under `nohup`: then it must stay so.
fn hangup_ends() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit stands for signal 1, which it is.
    ignored.is_some_and(|mask| mask & 1 == 0)
}
