//! The rule itself, for text that arrives in pieces.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use super::Limits;
use crate::builtin::Truncation;

/// How much is taken in at once, so that a large piece is not held beside what is kept of it.
const CHUNK: usize = 64 << 10;

/// Cuts a text that arrives in pieces: of a large one it holds only what may be kept.
///
/// Bytes that are no UTF-8 become U+FFFD. The pieces may end anywhere, also inside of a character: the result is that of
/// [`truncate_head`](super::truncate_head) or [`truncate_tail`](super::truncate_tail) for the whole text. It is a
/// [`Write`], too, which never fails.
///
/// # Example
///
/// ```
/// use pi_tools::truncate::{Limits, Truncator};
///
/// let mut log = Truncator::tail(Limits { max_lines: 1, ..Limits::default() });
/// log.push(b"first line\nsecond");
/// log.read(&b" line\n"[..]).unwrap();
/// let cut = log.finish();
/// assert_eq!((cut.content.as_str(), cut.total_lines, cut.total_bytes), ("second line", 2, 23));
/// ```
#[derive(Clone, Debug)]
pub struct Truncator {
    limits: Limits,
    /// The beginning of a character whose end is in the next piece.
    incomplete: Vec<u8>,
    bytes: u64,
    newlines: u64,
    ends_in_line: bool,
    kept: Kept,
}

#[derive(Clone, Debug)]
enum Kept {
    Head(Head),
    Tail(Tail),
}

impl Truncator {
    /// Keeps the beginning.
    #[must_use]
    pub fn head(limits: Limits) -> Self {
        Self::new(limits, Kept::Head(Head::default()))
    }

    /// Keeps the end.
    #[must_use]
    pub fn tail(limits: Limits) -> Self {
        Self::new(limits, Kept::Tail(Tail::default()))
    }

    fn new(limits: Limits, kept: Kept) -> Self {
        Self { limits, incomplete: Vec::new(), bytes: 0, newlines: 0, ends_in_line: false, kept }
    }

    /// Takes the next piece.
    pub fn push(&mut self, mut piece: &[u8]) {
        while let (false, Some((byte, rest))) = (self.incomplete.is_empty(), piece.split_first()) {
            self.incomplete.push(*byte);
            match std::str::from_utf8(&self.incomplete) {
                Err(error) if error.error_len().is_none() => piece = rest,
                // The byte belongs to something else.
                Err(_) => self.replace_incomplete(),
                Ok(letter) => {
                    let letter = letter.to_owned();
                    self.push_text(&letter);
                    self.incomplete.clear();
                    piece = rest;
                }
            }
        }
        let mut chunks = piece.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.push_text(chunk.valid());
            let invalid = chunk.invalid();
            let may_go_on = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if may_go_on && chunks.peek().is_none() {
                self.incomplete.extend(invalid);
            } else if !invalid.is_empty() {
                self.push_text("\u{FFFD}");
            }
        }
    }

    /// Takes all that there is to read.
    ///
    /// # Errors
    ///
    /// Those of the reader. What was read before is taken.
    pub fn read(&mut self, mut reader: impl Read) -> io::Result<()> {
        io::copy(&mut reader, self).map(drop)
    }

    /// What is kept of all pieces, of how much.
    #[must_use]
    pub fn finish(mut self) -> Truncation {
        if !self.incomplete.is_empty() {
            self.replace_incomplete();
        }
        let Limits { max_lines, max_bytes } = self.limits;
        let total_lines = self.newlines + u64::from(self.ends_in_line);
        let is_whole = total_lines <= max_lines as u64 && self.bytes <= max_bytes as u64;
        let cut = match self.kept {
            Kept::Head(head) if is_whole => Cut::whole(head.bytes, total_lines),
            Kept::Tail(tail) if is_whole => Cut::whole(tail.bytes.into(), total_lines),
            Kept::Head(head) => head.cut(self.limits),
            Kept::Tail(tail) => tail.cut(self.limits),
        };
        Truncation {
            truncated: !is_whole,
            truncated_by: cut.by.map(str::to_owned),
            total_lines,
            total_bytes: self.bytes,
            output_lines: cut.lines,
            output_bytes: cut.content.len() as u64,
            last_line_partial: cut.is_partial,
            first_line_exceeds_limit: cut.by == Some("bytes") && cut.lines == 0,
            max_lines: max_lines as u64,
            max_bytes: max_bytes as u64,
            content: text(cut.content),
        }
    }

    /// The result for one text.
    pub(super) fn of(mut self, text: &str) -> Truncation {
        self.push_text(text);
        self.finish()
    }

    pub(super) fn push_text(&mut self, text: &str) {
        for bytes in text.as_bytes().chunks(CHUNK) {
            self.bytes += bytes.len() as u64;
            self.newlines += newlines(bytes).count() as u64;
            self.ends_in_line = !bytes.ends_with(b"\n");
            match &mut self.kept {
                Kept::Head(head) => head.push(bytes, self.limits),
                Kept::Tail(tail) => tail.push(bytes, self.limits),
            }
        }
    }

    fn replace_incomplete(&mut self) {
        self.incomplete.clear();
        self.push_text("\u{FFFD}");
    }
}

impl Write for Truncator {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.push(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn newlines(bytes: &[u8]) -> memchr::Memchr<'_> {
    memchr::memchr_iter(b'\n', bytes)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("text is cut between its characters")
}

/// What a cut leaves.
struct Cut {
    content: Vec<u8>,
    lines: u64,
    by: Option<&'static str>,
    is_partial: bool,
}

impl Cut {
    fn whole(content: Vec<u8>, lines: u64) -> Self {
        Self { content, lines, by: None, is_partial: false }
    }
}

/// The beginning of the text, up to two bytes beyond the limit: whether a line ends there, and another begins.
#[derive(Clone, Debug, Default)]
struct Head {
    bytes: Vec<u8>,
    newlines: usize,
}

impl Head {
    fn push(&mut self, bytes: &[u8], Limits { max_lines, max_bytes }: Limits) {
        // Whether the first line is too long is told also of no lines at all.
        let lines = max_lines.max(1) - self.newlines;
        if lines == 0 {
            return;
        }
        let room = max_bytes.saturating_add(2) - self.bytes.len();
        let bytes = &bytes[..room.min(bytes.len())];
        let bytes = newlines(bytes).nth(lines - 1).map_or(bytes, |end| &bytes[..=end]);
        self.newlines += newlines(bytes).count();
        self.bytes.extend(bytes);
    }

    fn cut(self, Limits { max_lines, max_bytes }: Limits) -> Cut {
        let mut content = self.bytes;
        let (mut start, mut end, mut lines) = (0, 0, 0);
        let mut by = "lines";
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            let line_end = start + line.len() - usize::from(line.ends_with(b"\n"));
            if line_end > max_bytes && (lines == 0 || lines < max_lines) {
                by = "bytes";
                break;
            }
            if lines == max_lines {
                break;
            }
            lines += 1;
            end = line_end;
            start += line.len();
        }
        content.truncate(end);
        Cut { content, lines: lines as u64, by: Some(by), is_partial: false }
    }
}

/// The end of the text, up to two bytes beyond the limit: the final newline, and whether a line begins there.
#[derive(Clone, Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    newlines: usize,
}

impl Tail {
    fn push(&mut self, bytes: &[u8], Limits { max_lines, max_bytes }: Limits) {
        let room = max_bytes.saturating_add(2);
        let bytes = &bytes[bytes.len().saturating_sub(room)..];
        self.drop_front((self.bytes.len() + bytes.len()).saturating_sub(room));
        self.newlines += newlines(bytes).count();
        self.bytes.extend(bytes);
        // The newline before the last lines, and one for each.
        let spare = self.newlines.saturating_sub(max_lines.saturating_add(1));
        if spare > 0 {
            let mut ends = self.bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            let first = ends.nth(spare).map_or(0, |(end, _)| end);
            self.drop_front(first);
        }
    }

    fn drop_front(&mut self, count: usize) {
        self.newlines -= self.bytes.drain(..count).filter(|byte| *byte == b'\n').count();
    }

    fn cut(self, Limits { max_lines, max_bytes }: Limits) -> Cut {
        let mut content = Vec::from(self.bytes);
        if content.ends_with(b"\n") {
            content.pop();
        }
        let (mut start, mut lines) = (content.len(), 0);
        let (mut by, mut is_partial) = ("lines", false);
        for line in content.rsplit(|byte| *byte == b'\n').take(max_lines) {
            let line_start = start - line.len() - usize::from(lines > 0);
            if content.len() - line_start <= max_bytes {
                start = line_start;
                lines += 1;
                continue;
            }
            by = "bytes";
            if lines == 0 {
                let is_inside = |byte: &&u8| **byte & 0xC0 == 0x80;
                start -= max_bytes;
                start += content[start..].iter().take_while(is_inside).count();
                lines = 1;
                is_partial = true;
            }
            break;
        }
        // Also when the last line that may be kept is kept in part.
        if lines == max_lines {
            by = "lines";
        }
        content.drain(..start);
        Cut { content, lines: lines as u64, by: Some(by), is_partial }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_kept_is_held() {
        let few_lines = Limits { max_lines: 3, max_bytes: usize::MAX };
        let few_bytes = Limits { max_lines: usize::MAX, max_bytes: 100 };
        let text = "0123456789\n".repeat(100_000);
        for limits in [few_lines, few_bytes] {
            for truncator in [Truncator::head(limits), Truncator::tail(limits)] {
                let mut truncator = truncator;
                truncator.push(text.as_bytes());
                let (length, capacity) = match &truncator.kept {
                    Kept::Head(head) => (head.bytes.len(), head.bytes.capacity()),
                    Kept::Tail(tail) => (tail.bytes.len(), tail.bytes.capacity()),
                };
                assert!(length <= 102 && capacity <= 4 * CHUNK, "{length}, {capacity}");
            }
        }
    }
}
