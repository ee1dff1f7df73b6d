//! Texts that are too long: what of them is kept, as Pi does it.
//!
//! The outputs of tools are cut by themselves, as [`ToolSpec::truncate`](crate::ToolSpec::truncate) says; these
//! functions are for tools that do it in their own way, or say in their details how it was done. Lines end at `\n` and
//! nowhere else, bytes are those of UTF-8. Measured against Pi 1.6.0.

mod output;
mod stream;

use std::borrow::Cow;

use crate::builtin::Truncation;

pub use crate::spec::{DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES};
pub(crate) use output::TooLong;
pub use stream::Truncator;

/// How many UTF-16 units of a line Pi's `grep` shows.
pub const GREP_MAX_LINE_LENGTH: usize = 500;

/// How much of a text is kept: whichever limit is met first.
///
/// # Example
///
/// ```
/// use pi_tools::truncate::Limits;
///
/// let limits = Limits { max_lines: 100, ..Limits::default() };
/// assert_eq!(limits.max_bytes, 51_200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many lines.
    pub max_lines: usize,
    /// How many bytes.
    pub max_bytes: usize,
}

impl Default for Limits {
    /// Pi's: 2000 lines, 51200 bytes.
    fn default() -> Self {
        Self { max_lines: DEFAULT_MAX_LINES, max_bytes: DEFAULT_MAX_BYTES }
    }
}

/// The beginning of a text: whole lines only.
///
/// A text within the limits is unchanged; one that is cut has no final newline. When the first line alone is too long,
/// nothing is left.
///
/// # Example
///
/// ```
/// use pi_tools::truncate::{Limits, truncate_head};
///
/// let cut = truncate_head("one\ntwo\nthree\n", Limits { max_bytes: 7, ..Limits::default() });
/// assert_eq!((cut.content.as_str(), cut.output_lines, cut.total_lines), ("one\ntwo", 2, 3));
/// assert_eq!(cut.truncated_by.as_deref(), Some("bytes"));
/// ```
#[must_use]
pub fn truncate_head(text: &str, limits: Limits) -> Truncation {
    Truncator::head(limits).of(text)
}

/// The end of a text: whole lines only, or the end of the last line when that alone is too long.
///
/// A text within the limits is unchanged; one that is cut has no final newline.
///
/// # Example
///
/// ```
/// use pi_tools::truncate::{Limits, truncate_tail};
///
/// let cut = truncate_tail("one\ntwo\nthree\n", Limits { max_lines: 2, ..Limits::default() });
/// assert_eq!(cut.content, "two\nthree");
/// let cut = truncate_tail("one\ntwo\nthree\n", Limits { max_bytes: 3, ..Limits::default() });
/// assert_eq!((cut.content.as_str(), cut.last_line_partial), ("ree", true));
/// ```
#[must_use]
pub fn truncate_tail(text: &str, limits: Limits) -> Truncation {
    Truncator::tail(limits).of(text)
}

/// The beginning of a line, with `... [truncated]` behind it, which comes on top of the limit; borrowed when it fits.
///
/// The limit is in UTF-16 units, as JavaScript counts them. For Pi's `grep` it is [`GREP_MAX_LINE_LENGTH`].
///
/// # Example
///
/// ```
/// use pi_tools::truncate::truncate_line;
///
/// assert_eq!(truncate_line("hello", 5), "hello");
/// assert_eq!(truncate_line("hello!", 5), "hello... [truncated]");
/// ```
#[must_use]
pub fn truncate_line(line: &str, max_units: usize) -> Cow<'_, str> {
    let kept = slice_head(line, max_units);
    if kept.len() == line.len() { Cow::Borrowed(line) } else { Cow::Owned(format!("{kept}... [truncated]")) }
}

/// The first characters of a text that have no more than so many UTF-16 units.
///
/// ```
/// use pi_tools::truncate::slice_head;
///
/// assert_eq!(slice_head("a😀b", 2), "a");
/// assert_eq!(slice_head("a😀b", 3), "a😀");
/// ```
#[must_use]
pub fn slice_head(text: &str, max_units: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > max_units
    });
    &text[..end.map_or(text.len(), |(index, _)| index)]
}

/// The last characters of a text that have no more than so many UTF-16 units.
///
/// ```
/// use pi_tools::truncate::slice_tail;
///
/// assert_eq!(slice_tail("a😀b", 2), "b");
/// assert_eq!(slice_tail("a😀b", 3), "😀b");
/// ```
#[must_use]
pub fn slice_tail(text: &str, max_units: usize) -> &str {
    let mut units = 0;
    let start = text.char_indices().rev().take_while(|(_, letter)| {
        units += letter.len_utf16();
        units <= max_units
    });
    &text[start.last().map_or(text.len(), |(index, _)| index)..]
}

/// A number of bytes as Pi writes it: `B`, or `KB` and `MB` (of 1024) with one decimal, ties up.
///
/// ```
/// use pi_tools::truncate::format_size;
///
/// assert_eq!([1023, 1280, 51_200, 1 << 30].map(format_size), ["1023B", "1.3KB", "50.0KB", "1024.0MB"]);
/// ```
#[must_use]
pub fn format_size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..0x400 => return format!("{bytes}B"),
        0x400..0x10_0000 => (0x400, "KB"),
        _ => (0x10_0000, "MB"),
    };
    let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
    format!("{}.{}{name}", tenths / 10, tenths % 10)
}
