//! What a child process writes: the end of it in memory, all of it in a file when it is too long.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::CommandOutput;
use crate::session::Session;
use crate::truncate::{Limits, Truncator};

#[derive(Clone, Copy)]
pub(super) enum Stream {
    Out,
    Err,
}

pub(super) struct Capture {
    stdout: Truncator,
    stderr: Truncator,
    both: Truncator,
    /// What is shown meanwhile.
    shown: Truncator,
    max_bytes: usize,
    whole: Whole,
    session: Session,
}

/// All of both outputs.
enum Whole {
    Short(Vec<u8>),
    File(File, PathBuf),
    Failed(io::Error),
}

impl Capture {
    pub(super) fn new(session: &Session, max_bytes: usize) -> Self {
        let kept = || Truncator::tail(Limits { max_lines: usize::MAX, max_bytes });
        Self {
            stdout: kept(),
            stderr: kept(),
            both: kept(),
            shown: Truncator::tail(Limits::default()),
            max_bytes,
            whole: Whole::Short(Vec::new()),
            session: session.clone(),
        }
    }

    pub(super) fn push(&mut self, stream: Stream, piece: &[u8]) {
        match stream {
            Stream::Out => self.stdout.push(piece),
            Stream::Err => self.stderr.push(piece),
        }
        self.both.push(piece);
        self.shown.push(piece);
        self.keep(piece);
    }

    fn keep(&mut self, piece: &[u8]) {
        let next = match &mut self.whole {
            Whole::Short(bytes) => {
                bytes.extend(piece);
                let is_short = bytes.len() <= self.max_bytes;
                if is_short { Ok(None) } else { spill(&self.session, bytes).map(Some) }
            }
            Whole::File(file, path) => write(file, path, piece).map(|()| None),
            Whole::Failed(_) => Ok(None),
        };
        match next {
            Ok(None) => {}
            Ok(Some((file, path))) => self.whole = Whole::File(file, path),
            Err(error) => self.whole = Whole::Failed(error),
        }
    }

    /// The end of both outputs, so far.
    pub(super) fn shown(&self) -> String {
        self.shown.clone().finish().content
    }

    pub(super) fn finish(self, status: ExitStatus) -> CommandOutput {
        let both = self.both.finish();
        let file = match self.whole {
            // What is no UTF-8 is longer as a text.
            Whole::Short(bytes) if both.truncated => Some(spill(&self.session, &bytes).map(|(_, path)| path)),
            Whole::Short(_) => None,
            Whole::File(_, path) => Some(Ok(path)),
            Whole::Failed(error) => Some(Err(error)),
        };
        let file = file.map(|file| file.map_err(|error| error.to_string()));
        CommandOutput { status, stdout: self.stdout.finish(), stderr: self.stderr.finish(), both, file }
    }
}

fn spill(session: &Session, bytes: &[u8]) -> io::Result<(File, PathBuf)> {
    let (mut file, path) = session.spill_file()?;
    write(&mut file, &path, bytes)?;
    Ok((file, path))
}

/// Half of an output would pass for the whole.
fn write(file: &mut File, path: &Path, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes).inspect_err(|_| drop(fs::remove_file(path)))
}
