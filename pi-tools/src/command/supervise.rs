//! Stands by a child process until it has ended, and all of its output is there.

use std::io::{ErrorKind, Read, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::CommandOutput;
use super::capture::{Capture, Stream};
use crate::children::{Group, Streams};
use crate::context::ToolContext;
use crate::error::ToolError;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;
/// How long what a child has left in the background may go on, as it may be about to write the end of the output.
const GRACE: Duration = Duration::from_millis(100);
/// How long the output may still come when all is killed. Less than a cancelled call has, with the grace before it.
const REST: Duration = Duration::from_millis(400);
/// How often the output is shown, as in Pi.
const PACE: Duration = Duration::from_millis(100);

/// How a child ended.
pub(super) struct End {
    pub(super) output: CommandOutput,
    /// Whether it took too long.
    pub(super) is_late: bool,
}

enum Event {
    Output(Stream, Vec<u8>),
    /// One of the outputs ends.
    Closed,
    Exited,
}

pub(super) struct Supervisor {
    group: Arc<Group>,
    events: Receiver<Event>,
    has_exited: bool,
    is_reaped: bool,
}

impl Supervisor {
    /// Begins to write to the child, and to read from it.
    pub(super) fn new(group: Arc<Group>, (stdin, stdout, stderr): Streams, input: Option<Vec<u8>>) -> Self {
        // Bounded: a child that writes faster than this is read waits.
        let (sender, events) = mpsc::sync_channel(8);
        if let (Some(mut stdin), Some(input)) = (stdin, input) {
            // One that does not read all of its input need not.
            thread::spawn(move || drop(stdin.write_all(&input)));
        }
        read(Stream::Out, stdout, sender.clone());
        read(Stream::Err, stderr, sender.clone());
        let child = Arc::clone(&group);
        thread::spawn(move || {
            child.wait();
            let _ = sender.send(Event::Exited);
        });
        Self { group, events, has_exited: false, is_reaped: false }
    }

    /// Blocks until the child has ended. Meanwhile what it writes is shown, if somebody wants it.
    pub(super) fn run(
        &mut self,
        mut capture: Capture,
        timeout: Option<Duration>,
        shown: Option<&ToolContext>,
    ) -> Result<End, ToolError> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (mut is_late, mut open) = (false, 2);
        let (mut shown_at, mut news) = (None::<Instant>, None);
        let (mut rest_ends, mut output_ends) = (None, None);
        let is_due = |instant: Option<Instant>| instant.is_some_and(|instant| instant <= Instant::now());
        while !self.has_exited || open > 0 {
            if !self.has_exited && !is_late && is_due(deadline) {
                is_late = true;
                self.group.kill();
            }
            if output_ends.is_none() && (self.group.was_killed() || is_due(rest_ends)) {
                self.group.kill_rest();
                output_ends = Some(Instant::now() + REST);
            }
            if is_due(output_ends) {
                // What is in no group, or may not be killed, keeps nobody waiting.
                break;
            }
            if let Some(cx) = shown.filter(|_| is_due(news) && !self.group.was_killed()) {
                cx.update(capture.shown());
                (shown_at, news) = (Some(Instant::now()), None);
            }
            let deadline = deadline.filter(|_| !is_late && !self.has_exited);
            let next = [deadline, output_ends.or(rest_ends), news].into_iter().flatten().min();
            let wait = next.map_or(PACE, |next| next.saturating_duration_since(Instant::now()).min(PACE));
            match self.events.recv_timeout(wait) {
                Ok(Event::Output(stream, piece)) => {
                    capture.push(stream, &piece);
                    let soon = shown_at.map_or_else(Instant::now, |shown_at| shown_at + PACE);
                    news = news.or(shown.map(|_| soon));
                }
                Ok(Event::Closed) => open -= 1,
                Ok(Event::Exited) => {
                    self.has_exited = true;
                    rest_ends = Some(Instant::now() + GRACE);
                }
                // A kill from elsewhere makes no event of its own.
                Err(_) => {}
            }
        }
        if !self.has_exited {
            return Err(ToolError::new("the process could not be killed"));
        }
        self.is_reaped = true;
        let status = self.group.reap()?;
        Ok(End { output: capture.finish(status), is_late })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.group.kill();
            self.group.wait();
            let _ = self.group.reap();
        }
    }
}

/// Reads an output to its end, or as long as somebody listens.
fn read(stream: Stream, source: Option<impl Read + Send + 'static>, events: SyncSender<Event>) {
    let Some(mut source) = source else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            match source.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(read) if read > 0 => {
                    if events.send(Event::Output(stream, buffer[..read].to_vec())).is_err() {
                        return;
                    }
                }
                // An output that cannot be read has ended.
                _ => return drop(events.send(Event::Closed)),
            }
        }
    });
}
