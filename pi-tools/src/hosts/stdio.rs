//! The executable's own standard input and output, kept for the protocol.
//!
//! Before any tool runs, descriptor 1 is pointed at stderr and descriptor 0 at nothing: a tool's `println!`, or a child
//! process that inherits both, cannot break the wire. Pipes and sockets are read by the reactor itself, which saves two
//! thread hops a message; anything else (a file, a terminal, Windows) is read by a thread.

use std::io::{self, Read, Write};
#[cfg(unix)]
use std::pin::Pin;
#[cfg(feature = "mcp")]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
#[cfg(unix)]
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::sync::mpsc;

/// Past this many bytes a line without an end is no message.
const MAX_LINE: usize = 256 << 20;
/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;

/// Takes both streams over. Call it once, before any tool runs, in a runtime with I/O enabled.
pub(super) fn take() -> io::Result<(Input, Arc<Output>)> {
    #[cfg(unix)]
    {
        unix::take()
    }
    #[cfg(not(unix))]
    {
        Ok((Input::new(thread(io::stdin())), Arc::new(Output::new(io::stdout()))))
    }
}

/// Any stream as the input, and any as the output.
#[cfg(feature = "mcp")]
pub(super) fn over(
    input: impl tokio::io::AsyncRead + Unpin + Send + 'static,
    mut output: impl tokio::io::AsyncWrite + Unpin + Send + 'static,
) -> (Input, Arc<Output>) {
    /// The lines, and how many are not written yet.
    struct Channel(mpsc::UnboundedSender<Vec<u8>>, Arc<AtomicUsize>);

    impl Write for Channel {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.fetch_add(1, Ordering::Relaxed);
            if self.0.send(bytes.to_vec()).is_err() {
                // Who does not read any more has ended its input, too.
                self.1.store(0, Ordering::Relaxed);
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            if self.1.load(Ordering::Relaxed) == 0 { Ok(()) } else { Err(io::ErrorKind::WouldBlock.into()) }
        }
    }

    let (sender, mut lines) = mpsc::unbounded_channel::<Vec<u8>>();
    let waiting = Arc::<AtomicUsize>::default();
    let channel = Channel(sender, Arc::clone(&waiting));
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt as _;

        while let Some(line) = lines.recv().await {
            if output.write_all(&line).await.and(output.flush().await).is_err() {
                break;
            }
            waiting.fetch_sub(1, Ordering::Relaxed);
        }
    });
    (Input::new(Source::Stream(Box::new(input))), Arc::new(Output::new(channel)))
}

/// These lines as the input, and a buffer as the output.
#[cfg(feature = "pi")]
pub(super) fn in_memory(lines: &[u8]) -> (Input, Arc<Output>, Arc<Mutex<Vec<u8>>>) {
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let (sender, receiver) = mpsc::channel(1);
    let _ = sender.try_send(Ok(lines.to_vec()));
    let written = Arc::<Mutex<Vec<u8>>>::default();
    (Input::new(Source::Thread(receiver)), Arc::new(Output::new(Buffer(Arc::clone(&written)))), written)
}

/// Lines, split at LF only.
pub(super) struct Input {
    source: Source,
    buffer: Vec<u8>,
    #[cfg(unix)]
    chunk: Box<[u8]>,
    /// How much of `buffer` is known to have no LF.
    scanned: usize,
}

enum Source {
    #[cfg(unix)]
    Reactor(tokio::net::unix::pipe::Receiver),
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
    #[cfg(feature = "mcp")]
    Stream(Box<dyn tokio::io::AsyncRead + Unpin + Send>),
}

impl Input {
    fn new(source: Source) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            #[cfg(unix)]
            chunk: vec![0; CHUNK].into(),
            scanned: 0,
        }
    }

    /// The next line that is not empty, without its LF; `None` at the end.
    pub(super) async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(end) = self.buffer[self.scanned..].iter().position(|byte| *byte == b'\n') {
                let rest = self.buffer.split_off(self.scanned + end + 1);
                let mut line = std::mem::replace(&mut self.buffer, rest);
                self.scanned = 0;
                line.pop();
                if !line.is_empty() {
                    return Ok(Some(line));
                }
                continue;
            }
            self.scanned = self.buffer.len();
            if self.scanned > MAX_LINE {
                return Err(io::Error::other(format!("a line of more than {MAX_LINE} bytes on standard input")));
            }
            if !self.fill().await? {
                return Ok(None);
            }
        }
    }

    async fn fill(&mut self) -> io::Result<bool> {
        match &mut self.source {
            #[cfg(unix)]
            Source::Reactor(descriptor) => {
                // Unlike `try_read` it takes a pipe for empty that gave less than there is room for, which saves a call.
                let read = std::future::poll_fn(|task| {
                    let mut read = ReadBuf::new(&mut self.chunk);
                    Pin::new(&mut *descriptor).poll_read(task, &mut read).map_ok(|()| read.filled().len())
                });
                let read = read.await?;
                self.buffer.extend_from_slice(&self.chunk[..read]);
                Ok(read > 0)
            }
            Source::Thread(chunks) => match chunks.recv().await {
                Some(chunk) => {
                    self.buffer.extend(chunk?);
                    Ok(true)
                }
                None => Ok(false),
            },
            #[cfg(feature = "mcp")]
            Source::Stream(stream) => Ok(tokio::io::AsyncReadExt::read_buf(stream, &mut self.buffer).await? > 0),
        }
    }
}

/// Reads on a thread of its own.
fn thread(mut input: impl Read + Send + 'static) -> Source {
    let (sender, receiver) = mpsc::channel(4);
    std::thread::spawn(move || {
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = input.read(&mut chunk).map(|read| {
                chunk.truncate(read);
                chunk
            });
            let end = read.as_ref().is_ok_and(Vec::is_empty);
            let failed = read.is_err();
            if end || sender.blocking_send(read).is_err() || failed {
                break;
            }
        }
    });
    Source::Thread(receiver)
}

/// Messages, each on its line. Any thread may send.
pub(super) struct Output {
    queue: Mutex<Queue>,
    /// Wakes the task that writes what the host had no room for.
    #[cfg(unix)]
    blocked: tokio::sync::Notify,
}

struct Queue {
    descriptor: Box<dyn Write + Send>,
    pending: Vec<u8>,
    /// How much of `pending` is written.
    written: usize,
}

impl Output {
    fn new(descriptor: impl Write + Send + 'static) -> Self {
        Self {
            queue: Mutex::new(Queue { descriptor: Box::new(descriptor), pending: Vec::new(), written: 0 }),
            #[cfg(unix)]
            blocked: tokio::sync::Notify::new(),
        }
    }

    /// Sends one message: at once, or behind those that the host has not taken yet.
    pub(super) fn send(&self, message: &impl Serialize) {
        let mut line = serde_json::to_vec(message).expect("messages have string keys and no fallible types");
        line.push(b'\n');
        let mut queue = self.queue();
        queue.pending.append(&mut line);
        if !queue.flush() {
            #[cfg(unix)]
            self.blocked.notify_one();
        }
    }

    /// Waits until the host has taken all, but no longer than this.
    #[cfg(feature = "mcp")]
    pub(super) async fn written(&self, limit: std::time::Duration) {
        let all = async {
            while !self.queue().is_written() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        _ = tokio::time::timeout(limit, all).await;
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Writes what there is room for; whether that was all, and it has arrived.
    #[cfg(feature = "mcp")]
    fn is_written(&mut self) -> bool {
        self.flush() && self.descriptor.flush().is_ok()
    }

    /// Writes what there is room for; whether that was all. Without a host there is nothing left to do.
    fn flush(&mut self) -> bool {
        while self.written < self.pending.len() {
            match self.descriptor.write(&self.pending[self.written..]) {
                Ok(written) if written > 0 => self.written += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                _ => super::exit(0),
            }
        }
        self.pending.clear();
        self.written = 0;
        true
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsFd;
    use std::sync::Arc;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
    use rustix::stdio::{dup2_stdin, dup2_stdout, stderr, stdin, stdout};
    use tokio::net::unix::pipe::{Receiver, Sender};

    use super::{Input, Output, Source, thread};

    pub(super) fn take() -> io::Result<(Input, Arc<Output>)> {
        let input = File::from(stdin().try_clone_to_owned()?);
        let output = File::from(stdout().try_clone_to_owned()?);
        let shared_with_stderr = same_file(&output, stderr())?;
        dup2_stdin(File::open("/dev/null")?)?;
        dup2_stdout(stderr())?;

        exit_when_closed(input.try_clone()?);
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
}
