//! The executable's own standard input and output, kept for the protocol.
//!
//! Before any tool runs, descriptor 1 is pointed at stderr and descriptor 0 at nothing: a tool's `println!`, or a child
//! process that inherits both, cannot break the wire. Pipes and sockets are read by the reactor itself, which saves two
//! thread hops a message; anything else (a file, a terminal, Windows) is read by a thread.

#[cfg(unix)]
mod unix;

use std::future::poll_fn;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::pin::Pin;
#[cfg(feature = "mcp")]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memchr;
use serde::Serialize;
#[cfg(unix)]
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::sync::mpsc;

/// Past this many bytes a line without an end is no message.
const MAX_LINE: usize = 256 << 20;
/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// While so much waits for a host that does not read, no more of its calls are read either.
const MAX_BACKLOG: usize = 32 << 20;
/// How often is looked whether the host has read.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

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

/// Standard output alone: what a tool prints goes to stderr from now on.
pub(super) fn keep_output() -> io::Result<impl Write> {
    #[cfg(unix)]
    {
        unix::keep_output()
    }
    #[cfg(not(unix))]
    {
        Ok(io::stdout())
    }
}

/// Ends the process, with the children of its calls, when it is told to end.
#[cfg(feature = "mcp-http")]
pub(crate) fn exit_when_terminated() -> io::Result<()> {
    #[cfg(unix)]
    {
        unix::exit_when_terminated()
    }
    #[cfg(not(unix))]
    {
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        std::thread::spawn(move || {
            if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
                super::exit(130);
            }
        });
        Ok(())
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
            if let Some(end) = memchr(b'\n', &self.buffer[self.scanned..]) {
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
                // The last line may lack its LF.
                self.scanned = 0;
                let rest = std::mem::take(&mut self.buffer);
                return Ok((!rest.is_empty()).then_some(rest));
            }
        }
    }

    async fn fill(&mut self) -> io::Result<bool> {
        match &mut self.source {
            #[cfg(unix)]
            Source::Reactor(descriptor) => {
                // What leaves room has emptied the pipe, which tokio then does not ask the system again.
                let mut read = ReadBuf::new(&mut self.chunk);
                poll_fn(|cx| Pin::new(&mut *descriptor).poll_read(cx, &mut read)).await?;
                self.buffer.extend_from_slice(read.filled());
                Ok(!read.filled().is_empty())
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
    /// What came while `pending` waits: of each call only the newest, so that a host which does not read costs no more.
    updates: Vec<Update>,
}

struct Update {
    call_id: Box<str>,
    line: Vec<u8>,
}

impl Output {
    fn new(descriptor: impl Write + Send + 'static) -> Self {
        Self {
            queue: Mutex::new(Queue {
                descriptor: Box::new(descriptor),
                pending: Vec::new(),
                written: 0,
                updates: Vec::new(),
            }),
            #[cfg(unix)]
            blocked: tokio::sync::Notify::new(),
        }
    }

    /// Sends one message: at once, or behind those that the host has not taken yet.
    pub(super) fn send(&self, message: &impl Serialize) {
        let line = line(message);
        self.send_lines(&mut self.queue(), [line]);
    }

    /// Sends what a call has so far, in place of what it had before if that still waits.
    pub(super) fn send_update(&self, call_id: &str, message: &impl Serialize) {
        let line = line(message);
        let mut queue = self.queue();
        if queue.pending.is_empty() {
            self.send_lines(&mut queue, [line]);
        } else if let Some(update) = queue.updates.iter_mut().find(|update| *update.call_id == *call_id) {
            update.line = line;
        } else {
            queue.updates.push(Update { call_id: call_id.into(), line });
        }
    }

    /// Sends how a call has ended, behind its last update.
    pub(super) fn send_end(&self, call_id: &str, message: &impl Serialize) {
        let line = line(message);
        let mut queue = self.queue();
        let update = queue.updates.iter().position(|update| *update.call_id == *call_id);
        let update = update.map(|place| queue.updates.remove(place).line);
        self.send_lines(&mut queue, update.into_iter().chain([line]));
    }

    fn send_lines(&self, queue: &mut Queue, lines: impl IntoIterator<Item = Vec<u8>>) {
        for line in lines {
            queue.push(line);
        }
        if !queue.flush() {
            #[cfg(unix)]
            self.blocked.notify_one();
        }
    }

    /// Waits until the host has read most of what it was sent.
    pub(super) async fn room(&self) {
        while !self.has_room() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Whether the host has read most of what it was sent.
    pub(super) fn has_room(&self) -> bool {
        self.queue().waiting() <= MAX_BACKLOG
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

fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages have string keys and no fallible types");
    line.push(b'\n');
    line
}

impl Queue {
    fn push(&mut self, mut line: Vec<u8>) {
        if self.pending.is_empty() {
            self.pending = line;
        } else {
            self.pending.append(&mut line);
        }
    }

    fn waiting(&self) -> usize {
        self.pending.len() - self.written
    }

    /// Writes what there is room for; whether that was all, and it has arrived.
    #[cfg(feature = "mcp")]
    fn is_written(&mut self) -> bool {
        self.flush() && self.descriptor.flush().is_ok()
    }

    /// Writes what there is room for; whether that was all. Without a host there is nothing left to do.
    fn flush(&mut self) -> bool {
        loop {
            while self.waiting() > 0 {
                match self.descriptor.write(&self.pending[self.written..]) {
                    Ok(written) if written > 0 => self.written += written,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.forget_written();
                        return false;
                    }
                    _ => super::exit(0),
                }
            }
            self.pending = Vec::new();
            self.written = 0;
            if self.updates.is_empty() {
                return true;
            }
            for update in std::mem::take(&mut self.updates) {
                self.push(update.line);
            }
        }
    }

    /// Once it is most of what is kept: moving the rest costs less than writing it did.
    fn forget_written(&mut self) {
        if self.written > CHUNK && self.written > self.waiting() {
            self.pending.drain(..self.written);
            self.pending.shrink_to_fit();
            self.written = 0;
        }
    }
}
