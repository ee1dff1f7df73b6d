//! Docs as a model reads them: without the links of rustdoc.

use std::borrow::Cow;

/// Replaces each intra-doc link by its text: ``[`Todo`]`` and `[Todo](crate::Todo)` by `Todo`. Links to the web, code
/// and other brackets stay.
pub(crate) fn without_links(doc: &str) -> Cow<'_, str> {
    if !doc.contains('[') {
        return Cow::Borrowed(doc);
    }
    let mut text = String::with_capacity(doc.len());
    let mut is_fenced = false;
    for line in doc.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        if !is_fenced && is_definition(line) {
            continue;
        }
        if is_fenced {
            text.push_str(line);
        } else {
            push_line(line, &mut text);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    Cow::Owned(text)
}

fn push_line(mut rest: &str, text: &mut String) {
    while let Some(at) = rest.find(['[', '`']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let link = if rest.starts_with('[') { link(rest) } else { None };
        let (said, length) = link.unwrap_or_else(|| {
            let length = if rest.starts_with('`') { code(rest) } else { 1 };
            (&rest[..length], length)
        });
        text.push_str(said);
        rest = &rest[length..];
    }
    text.push_str(rest);
}

/// The length of a span of code, or of the backticks when none ends it.
fn code(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    text[ticks..].find(&text[..ticks]).map_or(ticks, |end| ticks + end + ticks)
}

/// What a link at the start says, and its length.
fn link(text: &str) -> Option<(&str, usize)> {
    let end = text.find(']')?;
    let label = &text[1..end];
    let said = label.trim_matches('`');
    let said = said.split_once('@').map_or(said, |(_, path)| path);
    let rest = &text[end + 1..];
    let target = ['(', '['].into_iter().find_map(|open| {
        let close = if open == '(' { ')' } else { ']' };
        // A path may end in `()`.
        let inner = rest.strip_prefix(open)?;
        let end = inner.find(close)?;
        let end = if inner[..end].ends_with('(') { end + inner[end + 1..].find(close)? + 1 } else { end };
        Some((&inner[..end], end + 2))
    });
    match target {
        Some((target, length)) if target.is_empty() || is_path(target) => Some((said, end + 1 + length)),
        Some(_) => None,
        None if is_path(said) && (label != said || is_no_word(said)) => Some((said, end + 1)),
        None => None,
    }
}

/// A line like ``[`Todo`]: crate::Todo``.
fn is_definition(line: &str) -> bool {
    let parts = line.trim_start().strip_prefix('[').and_then(|line| line.split_once("]: "));
    parts.is_some_and(|(_, target)| is_path(target.trim()))
}

/// Whether rustdoc reads it as a path of Rust: `Todo`, `crate::todo::Todo`, `Todo::add()`.
fn is_path(text: &str) -> bool {
    let text = text.trim_end_matches("()").trim_end_matches('!');
    let is_word = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
            && !starts_with_digit(word)
    };
    text.split('<').next().is_some_and(|path| path.trim_start_matches("::").split("::").all(is_word))
}

/// Whether it is no plain word, which people put into brackets, too.
fn is_no_word(text: &str) -> bool {
    text.contains("::") || text.ends_with("()") || text.starts_with(char::is_uppercase)
}

fn starts_with_digit(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_become_their_text() {
        for (doc, text) in [
            ("Changes a [`Todo`].", "Changes a Todo."),
            ("See [Todo], [`todo::Todo`] and [`Todo::add()`].", "See Todo, todo::Todo and Todo::add()."),
            ("See [the list](crate::Todos), [it][Todo] and [`this`](Self::add()).", "See the list, it and this."),
            ("Uses [`Todo`].\n\n[`Todo`]: crate::Todo", "Uses Todo."),
            (
                "A list, [1, 2], of [optional] parts `[Todo]`, item[0].",
                "A list, [1, 2], of [optional] parts `[Todo]`, item[0].",
            ),
            ("As [RFC 3339](https://example.com/rfc) says.", "As [RFC 3339](https://example.com/rfc) says."),
            ("```\n[Todo]\n```", "```\n[Todo]\n```"),
            ("An open [ and ` and [`.", "An open [ and ` and [`."),
            ("[`Vec<Todo>`]s, [struct@Todo]", "Vec<Todo>s, Todo"),
            ("é[`Ü`]é", "éÜé"),
        ] {
            assert_eq!(without_links(doc), text, "{doc}");
        }
    }
}
