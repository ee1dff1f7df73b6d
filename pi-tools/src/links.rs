//! Docs as a model reads them: without the links of rustdoc.

use std::borrow::Cow;

/// Replaces each intra-doc link by its text: ``[`Todo`]`` and `[Todo](crate::Todo)` by `Todo`. Links to the web, code
/// and other brackets stay.
pub(crate) fn without_links(doc: &str) -> Cow<'_, str> {
    if !doc.contains('[') {
        return Cow::Borrowed(doc);
    }
    let mut text = String::with_capacity(doc.len());
    // Lines between fences of code: a link may be broken over two.
    let mut prose = String::new();
    let mut is_fenced = false;
    for line in doc.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced || is_fence {
            push_prose(&std::mem::take(&mut prose), &mut text);
            text.push_str(line);
            text.push('\n');
        } else if !is_definition(line) {
            prose.push_str(line);
            prose.push('\n');
        }
    }
    push_prose(&prose, &mut text);
    text.truncate(text.trim_end().len());
    Cow::Owned(text)
}

fn push_prose(mut rest: &str, text: &mut String) {
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
    let end = closing(text, '[', ']')?;
    let label = &text[1..end];
    // A blank line ends a paragraph, and what was open in it.
    if label.contains("\n\n") {
        return None;
    }
    let said = label.trim_matches('`');
    let said = said.split_once('@').filter(|(kind, _)| is_kind(kind)).map_or(said, |(_, path)| path);
    let rest = &text[end + 1..];
    let target = [('(', ')'), ('[', ']')].into_iter().find_map(|(open, close)| {
        let end = if rest.starts_with(open) { closing(rest, open, close)? } else { return None };
        Some((&rest[1..end], end + 1))
    });
    match target {
        Some((target, length)) if is_item(target) => Some((said, end + 1 + length)),
        Some(_) => None,
        None if label != said && !said.is_empty() => Some((said, end + 1)),
        None if is_path(said) && is_no_word(said) => Some((said, end + 1)),
        None => None,
    }
}

/// Where the bracket at the start is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(index, letter)| {
        depth += i32::from(letter == open) - i32::from(letter == close);
        (depth == 0).then_some(index)
    })
}

/// A line like ``[`Todo`]: crate::Todo``.
fn is_definition(line: &str) -> bool {
    let parts = line.trim_start().strip_prefix('[').and_then(|line| line.split_once("]: "));
    parts.is_some_and(|(_, target)| !target.trim().is_empty() && is_item(target.trim()))
}

/// Whether the target of a link is an item of Rust, or a page or a place of its documentation.
fn is_item(target: &str) -> bool {
    let target = target.trim().trim_start_matches('<').trim_end_matches('>');
    // Without a title and a place on the page.
    let target = target.split([' ', '\n']).next().unwrap_or_default();
    let target = target.split('#').next().unwrap_or_default();
    let path = target.split_once('@').filter(|(kind, _)| is_kind(kind)).map_or(target, |(_, path)| path);
    path.is_empty()
        || is_path(path)
        || (path.rsplit_once('.').is_some_and(|(_, end)| end == "html") && !path.contains("://"))
}

/// What rustdoc takes before a path.
fn is_kind(word: &str) -> bool {
    const KINDS: [&str; 16] = [
        "struct", "enum", "trait", "union", "mod", "module", "const", "constant", "fn", "function", "method", "type",
        "macro", "field", "variant", "value",
    ];
    KINDS.contains(&word)
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
            ("See [`Mode`](enum@Mode), [`x`](fn@crate::x) and [Bar](#method.bar).", "See Mode, x and Bar."),
            ("See [`Mode`](crate::Mode#variants), [`Foo`](crate::Foo \"title\").", "See Mode, Foo."),
            ("A [link](struct.Foo.html), a [`&str`], an [`a[0]`](Foo).", "A link, a &str, an a[0]."),
            ("See [the long\nname](crate::Todo) here.", "See the long\nname here."),
            ("See [b], [`q`].\n\n[b]: enum@Mode\n[`q`]: fn@crate::q\n[x]: <crate::x>", "See [b], q."),
            (
                "See [a] and [the web].\n\n[the web]: https://example.com",
                "See [a] and [the web].\n\n[the web]: https://example.com",
            ),
            ("[`Vec<Todo>`]s, [struct@Todo]", "Vec<Todo>s, Todo"),
            ("é[`Ü`]é", "éÜé"),
        ] {
            assert_eq!(without_links(doc), text, "{doc}");
        }
    }
}
