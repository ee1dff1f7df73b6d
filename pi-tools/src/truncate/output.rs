//! Outputs of tools that are too long.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use super::{Limits, Truncator, format_size};
use crate::builtin::{Truncation, truncation_details};
use crate::output::{Content, ToolOutput};
use crate::spec::Truncate;

/// An output that is too long, apart from its text.
///
/// Several texts count as one, with a line end between them.
pub(crate) struct TooLong {
    output: ToolOutput,
    text: String,
    lengths: Vec<usize>,
    cut: Truncation,
    is_tail: bool,
}

impl Limits {
    /// Whether an output fits for its few bytes: a text has no more lines than bytes, so nothing needs counting.
    #[inline]
    pub(crate) fn surely_hold(self, output: &ToolOutput) -> bool {
        let bytes = match output.content() {
            [Content::Text { text }] => text.len() + 1,
            _ => output.texts().map(|text| text.len() + 1).sum(),
        };
        bytes <= self.max_lines.min(self.max_bytes)
    }
}

impl TooLong {
    /// Looks at an output, and gives it back when it fits.
    pub(crate) fn check(mut output: ToolOutput, truncate: Truncate, limits: Limits) -> Result<Self, ToolOutput> {
        let mut truncator = match truncate {
            Truncate::Head => Truncator::head(limits),
            Truncate::Tail => Truncator::tail(limits),
            Truncate::None => return Err(output),
        };
        for (index, text) in output.texts().enumerate() {
            truncator.push_text(if index == 0 { "" } else { "\n" });
            truncator.push_text(text);
        }
        let cut = truncator.finish();
        // A final newline that is too much leaves out no line.
        if cut.output_lines == cut.total_lines && !cut.last_line_partial {
            return Err(output);
        }
        let lengths = output.texts().map(str::len).collect();
        let text = output.take_text();
        Ok(Self { output, text, lengths, cut, is_tail: truncate == Truncate::Tail })
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The output with what is kept of its text, and a notice behind that: how much it is, and where the whole text is.
    ///
    /// The details say it, too, for a tool that stands for one of Pi's which says it there.
    pub(crate) fn shorten(self, file: io::Result<PathBuf>, overrides: Option<&str>) -> ToolOutput {
        let kept = self.kept();
        let mut next = 0;
        let parts = self.lengths.iter().map(|length| {
            let (start, end) = (next, next + length);
            next = end + 1;
            let (from, to) = (start.max(kept.start), end.min(kept.end));
            // Providers refuse texts without a character, so none becomes one.
            (from < to || from == to && *length == 0).then(|| self.text[from..to].to_owned())
        });
        let mut parts: Vec<Option<String>> = parts.collect();
        let last = parts.iter().rposition(Option::is_some).unwrap_or_default();
        let end = parts[last].get_or_insert_default();
        if !end.is_empty() {
            end.push_str("\n\n");
        }
        end.push_str(&self.notice(&file));

        let mut output = self.output;
        let mut parts = parts.into_iter();
        output.retain_texts(|text| match parts.next().flatten() {
            Some(part) => {
                *text = part;
                true
            }
            None => false,
        });
        if let Some(tool) = overrides {
            output.extend_details(truncation_details(tool, &self.cut, file.ok().as_deref()));
        }
        output
    }

    /// Which bytes of the whole text are kept: a text that is cut loses its final newline.
    fn kept(&self) -> Range<usize> {
        let output_bytes = self.cut.content.len();
        if !self.is_tail {
            return 0..output_bytes;
        }
        let end = self.text.len() - usize::from(self.text.ends_with('\n'));
        end - output_bytes..end
    }

    /// In the words of Pi's `bash`, and of its `read` for a first line that is too long.
    fn notice(&self, file: &io::Result<PathBuf>) -> String {
        let Truncation { total_lines, output_lines, output_bytes, .. } = self.cut;
        let limit = format_size(self.cut.max_bytes);
        let size = |line: Option<&str>| format_size(line.unwrap_or_default().len() as u64);
        let shown = if self.cut.first_line_exceeds_limit {
            format!("Line 1 of {total_lines} is {}, exceeds {limit} limit", size(self.text.split('\n').next()))
        } else if self.cut.last_line_partial {
            let line = size(self.text[..self.kept().end].rsplit('\n').next());
            format!("Showing last {} of line {total_lines} (line is {line})", format_size(output_bytes))
        } else {
            let first = if self.is_tail { total_lines - output_lines + 1 } else { 1 };
            let last = first + output_lines - 1;
            let by_bytes = self.cut.truncated_by.as_deref() == Some("bytes");
            let why = if by_bytes { format!(" ({limit} limit)") } else { String::new() };
            format!("Showing lines {first}-{last} of {total_lines}{why}")
        };
        match file {
            Ok(path) => format!("[{shown}. Full output: {}]", path.display()),
            Err(error) => format!("[{shown}. Full output could not be saved: {error}]"),
        }
    }
}
