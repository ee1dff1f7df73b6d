//! Standard input and output where descriptors can be moved.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::signal::unix::SignalKind;

use super::super::signals;
use super::{Input, Output, Source, thread};

pub(super) fn keep_output() -> io::Result<File> {
    let output = File::from(stdout().try_clone_to_owned()?);
    dup2_stdout(stderr())?;
    Ok(output)
}

pub(super) fn take() -> io::Result<(Input, Arc<Output>)> {
    let input = File::from(stdin().try_clone_to_owned()?);
    let output = keep_output()?;
    let shared_with_stderr = same_file(&output, stderr())?;
    dup2_stdin(File::open("/dev/null")?)?;

    exit_when_closed(input.try_clone()?);
    exit_when_terminated()?;
    let input =
        if non_blocking(&input)? { Source::Reactor(Receiver::from_file_unchecked(input)?) } else { thread(input) };
    // Non-blocking is a property of the pipe, not of the descriptor: stderr must not get it, since printing to it
    // would panic when it is full.
    let writable = if !shared_with_stderr && non_blocking(&output)? {
        Some(Sender::from_file_unchecked(output.try_clone()?)?)
    } else {
        None
    };
    let output = Arc::new(Output::new(output));
    if let Some(writable) = writable {
        tokio::spawn(drain(Arc::clone(&output), writable));
    }
    Ok((Input::new(input), output))
}

/// Writes the backlog whenever there is room.
async fn drain(output: Arc<Output>, writable: Sender) {
    loop {
        output.blocked.notified().await;
        while writable.writable().await.is_ok() {
            // What is not taken is reported to the reactor, which then waits for room.
            let all = || if output.queue().flush() { Ok(()) } else { Err(io::ErrorKind::WouldBlock.into()) };
            if writable.try_io(all).is_ok() {
                break;
            }
        }
    }
}

/// Switches a pipe or a socket to non-blocking; anything else stays as it is. (Node's pipes are sockets. tokio's
/// pipes only read and write, so they serve both.)
fn non_blocking(file: &File) -> io::Result<bool> {
    let kind = FileType::from_raw_mode(fstat(file)?.st_mode);
    if !matches!(kind, FileType::Fifo | FileType::Socket) {
        return Ok(false);
    }
    fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
    Ok(true)
}

fn same_file(one: impl AsFd, other: impl AsFd) -> io::Result<bool> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// No orphans: the reader sees the end of its input only between two steps of the tools. When a tool keeps the
/// thread to itself, this one ends the process.
fn exit_when_closed(input: File) {
    std::thread::spawn(move || {
        let mut descriptors = [PollFd::new(&input, PollFlags::empty())];
        while poll(&mut descriptors, None).is_err() {}
        if descriptors[0].revents().contains(PollFlags::HUP) {
            std::thread::sleep(Duration::from_secs(1));
            super::super::exit(0);
        }
    });
}

/// The children of the calls end with this process. On a thread of its own, as a tool may keep that of the reactor.
pub(super) fn exit_when_terminated() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let ended = {
        let _context = runtime.enter();
        signals::watch(&[SignalKind::terminate(), SignalKind::interrupt()])?
    };
    std::thread::spawn(move || super::super::exit(128 + runtime.block_on(ended)));
    Ok(())
}
