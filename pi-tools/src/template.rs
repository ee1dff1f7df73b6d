//! Templates of what a host draws, parsed once: the host only fills in values and paints.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::spec::ToolSpec;

/// The colours that every theme of Pi 1.6.0 has for text. `pi-tools-macros/src/template.rs` has the same.
const COLOURS: &[&str] = &[
    "accent",
    "muted",
    "dim",
    "success",
    "warning",
    "error",
    "text",
    "border",
    "borderAccent",
    "borderMuted",
    "thinkingText",
    "scrollbarTrack",
    "scrollbarThumb",
    "searchMatchText",
    "userMessageText",
    "customMessageText",
    "customMessageLabel",
    "toolTitle",
    "toolOutput",
    "mdHeading",
    "mdLink",
    "mdLinkUrl",
    "mdCode",
    "mdCodeBlock",
    "mdCodeBlockBorder",
    "mdQuote",
    "mdQuoteBorder",
    "mdHr",
    "mdListBullet",
    "toolDiffAdded",
    "toolDiffRemoved",
    "toolDiffContext",
    "syntaxComment",
    "syntaxKeyword",
    "syntaxFunction",
    "syntaxVariable",
    "syntaxString",
    "syntaxNumber",
    "syntaxType",
    "syntaxOperator",
    "syntaxPunctuation",
    "thinkingOff",
    "thinkingMinimal",
    "thinkingLow",
    "thinkingMedium",
    "thinkingHigh",
    "thinkingXhigh",
    "thinkingMax",
    "bashMode",
];

/// What a text may be beside its colour.
const ATTRIBUTES: &[&str] = &["bold", "italic", "underline", "strikethrough", "inverse"];

/// A text, or the place of a value, and how it looks.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Segment {
    #[serde(flatten)]
    part: Part,
    /// As Pi's `Theme.style` takes it.
    style: Map<String, Value>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Text(String),
    Path(Vec<String>),
}

/// What is drawn: it decides how a text without a style looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drawn {
    Call,
    Result,
    #[cfg_attr(not(any(feature = "pi", test)), expect(dead_code, reason = "only Pi draws them"))]
    Entry,
}

impl Drawn {
    /// The colour of what names none, as Pi's own have it.
    const fn colour(self) -> &'static str {
        match self {
            Self::Call | Self::Result => "toolOutput",
            Self::Entry => "customMessageText",
        }
    }

    /// The styles of a text, which names none.
    fn of_text(self, is_first: bool) -> &'static str {
        if self == Self::Call && is_first { "toolTitle bold" } else { self.colour() }
    }
}

/// Reads a template: `{path}` or `{path:style style}` for values, `{{` and `}}` for braces.
///
/// # Errors
///
/// A brace without its other, and a style that no theme has.
pub(crate) fn parse(template: &str, drawn: Drawn) -> Result<Vec<Segment>, String> {
    let mut segments = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = (&rest[..at], &rest[at..=at]);
        text.push_str(before);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let Some((placeholder, after)) = rest.split_once('}').filter(|(name, _)| brace == "{" && !name.contains('{'))
        else {
            return Err(format!("a `{brace}` without its other: write `{brace}{brace}` for a brace itself"));
        };
        push_text(&mut segments, &mut text, drawn)?;
        let (path, styles) = placeholder.split_once(':').unwrap_or((placeholder, drawn.colour()));
        let part = Part::Path(path.split('.').map(str::to_owned).collect());
        segments.push(Segment { part, style: style(styles, drawn)? });
        rest = after;
    }
    text.push_str(rest);
    push_text(&mut segments, &mut text, drawn)?;
    Ok(segments)
}

fn push_text(segments: &mut Vec<Segment>, text: &mut String, drawn: Drawn) -> Result<(), String> {
    if !text.is_empty() {
        let style = style(drawn.of_text(segments.is_empty()), drawn)?;
        segments.push(Segment { part: Part::Text(std::mem::take(text)), style });
    }
    Ok(())
}

fn style(styles: &str, drawn: Drawn) -> Result<Map<String, Value>, String> {
    let mut style = Map::from_iter([("fg".to_owned(), drawn.colour().into())]);
    let mut colours = 0;
    for name in styles.split(' ') {
        if ATTRIBUTES.contains(&name) {
            style.insert(name.to_owned(), true.into());
        } else if COLOURS.contains(&name) {
            style.insert("fg".to_owned(), name.into());
            colours += 1;
        } else {
            return Err(format!("unknown style `{name}`: write a colour of Pi's themes, or {}", ATTRIBUTES.join(", ")));
        }
    }
    if colours > 1 {
        return Err(format!("`{styles}` has {colours} colours: keep one of them"));
    }
    Ok(style)
}

/// What is wrong with the templates of a tool, by the schema of its parameters.
pub(crate) fn faults(spec: &ToolSpec, parameters: &Value) -> Vec<String> {
    let call = spec.render_call.and_then(|template| {
        let paths = paths(template, Drawn::Call);
        let found = paths.and_then(|paths| paths.iter().try_for_each(|path| find(parameters, path)));
        Some(format!("render_call: {}", found.err()?))
    });
    let result = spec.render_result.and_then(|template| {
        let paths = paths(template, Drawn::Result);
        let found = paths.and_then(|paths| paths.iter().try_for_each(|path| in_result(path)));
        Some(format!("render_result: {}", found.err()?))
    });
    call.into_iter().chain(result).collect()
}

fn paths(template: &str, drawn: Drawn) -> Result<Vec<Vec<String>>, String> {
    let path = |segment| if let Segment { part: Part::Path(path), .. } = segment { Some(path) } else { None };
    Ok(parse(template, drawn)?.into_iter().filter_map(path).collect())
}

/// Follows a path as far as the schema tells what is there.
fn find(schema: &Value, path: &[String]) -> Result<(), String> {
    let mut place = schema;
    for (index, name) in path.iter().enumerate() {
        let Some(properties) = place["properties"].as_object() else {
            let has_parts = !["string", "integer", "number", "boolean"].iter().any(|kind| place["type"] == *kind);
            let whole = path[..index].join(".");
            return if has_parts {
                Ok(())
            } else {
                Err(format!("`{{{whole}}}` has no parts: write it without `.{name}`"))
            };
        };
        let is_open = place["additionalProperties"].is_object() || place["additionalProperties"] == true;
        match properties.get(name) {
            Some(property) => place = property,
            None if is_open => return Ok(()),
            None => {
                let names: Vec<String> = properties
                    .keys()
                    .map(|other| format!("`{{{}}}`", [&path[..index], std::slice::from_ref(other)].concat().join(".")))
                    .collect();
                let instead = if names.is_empty() {
                    "remove it".to_owned()
                } else {
                    format!("write one of {}", names.join(", "))
                };
                return Err(format!("`{{{}}}` is no argument: {instead}", path.join(".")));
            }
        }
    }
    Ok(())
}

fn in_result(path: &[String]) -> Result<(), String> {
    match path {
        [text] if text == "text" => Ok(()),
        [details, key, ..] if details == "details" && !key.is_empty() => Ok(()),
        _ => Err(format!(
            "`{{{}}}` is neither `{{text}}` nor a value of the details, like `{{details.count}}`",
            path.join(".")
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(template: &str, drawn: Drawn) -> Value {
        json!(parse(template, drawn).unwrap())
    }

    #[test]
    fn parts_and_how_they_look() {
        assert_eq!(
            parsed("todo {action:accent} {text}", Drawn::Call),
            json!([
                { "text": "todo ", "style": { "fg": "toolTitle", "bold": true } },
                { "path": ["action"], "style": { "fg": "accent" } },
                { "text": " ", "style": { "fg": "toolOutput" } },
                { "path": ["text"], "style": { "fg": "toolOutput" } },
            ])
        );
        // Only what stands before the first placeholder is a title.
        let untitled = parsed("{a:italic}!", Drawn::Call);
        assert_eq!(untitled[0]["style"], json!({ "fg": "toolOutput", "italic": true }));
        assert_eq!(untitled[1]["style"], json!({ "fg": "toolOutput" }));
        assert_eq!(
            parsed("{{{details.a.b:dim italic}}} }}", Drawn::Result),
            json!([
                { "text": "{", "style": { "fg": "toolOutput" } },
                { "path": ["details", "a", "b"], "style": { "fg": "dim", "italic": true } },
                { "text": "} }", "style": { "fg": "toolOutput" } },
            ])
        );
        assert_eq!(parsed("x", Drawn::Entry), json!([{ "text": "x", "style": { "fg": "customMessageText" } }]));
        assert_eq!(parsed("", Drawn::Entry), json!([]));
    }

    #[test]
    fn mistakes() {
        for (template, problem) in [
            ("{a", "a `{` without its other: write `{{` for a brace itself"),
            ("{a{b}}", "a `{` without its other: write `{{` for a brace itself"),
            ("a}", "a `}` without its other: write `}}` for a brace itself"),
            (
                "{a:dimm}",
                "unknown style `dimm`: write a colour of Pi's themes, or bold, italic, underline, strikethrough, inverse",
            ),
            (
                "{a:}",
                "unknown style ``: write a colour of Pi's themes, or bold, italic, underline, strikethrough, inverse",
            ),
            ("{a:dim accent}", "`dim accent` has 2 colours: keep one of them"),
        ] {
            assert_eq!(parse(template, Drawn::Result).unwrap_err(), problem, "{template}");
        }
    }

    #[test]
    fn what_a_schema_knows() {
        let schema = json!({ "properties": {
            "place": { "properties": { "line": {} }, "additionalProperties": false },
            "extra": { "additionalProperties": true, "properties": {} },
            "any": {},
            "word": { "type": "string" },
        }});
        let faults =
            |call, result| faults(&ToolSpec::new("t", "T", "T.").render_call(call).render_result(result), &schema);
        let none: [&str; 0] = [];
        assert_eq!(faults("{place} {place.line} {any.x.y} {extra.x}", "{text} {details.x} {details.x.y}"), none);
        assert_eq!(
            faults("{place.lien} ", "{details}"),
            [
                "render_call: `{place.lien}` is no argument: write one of `{place.line}`",
                "render_result: `{details}` is neither `{text}` nor a value of the details, like `{details.count}`",
            ]
        );
        assert_eq!(faults("{word.x}", "")[0], "render_call: `{word}` has no parts: write it without `.x`");
        assert_eq!(
            faults("{palce.line}", "{"),
            [
                "render_call: `{palce.line}` is no argument: write one of `{place}`, `{extra}`, `{any}`, `{word}`",
                "render_result: a `{` without its other: write `{{` for a brace itself",
            ]
        );
    }
}
