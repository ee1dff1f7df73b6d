//! Templates: texts with placeholders, `{path}` or `{path:style style}`. `{{` and `}}` are braces.

use std::fmt;

/// The colours that every theme of Pi 1.6.0 has for text. `pi-tools/src/template.rs` has the same.
pub(crate) const COLOURS: &[&str] = &[
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
pub(crate) const ATTRIBUTES: &[&str] = &["bold", "italic", "underline", "strikethrough", "inverse"];

/// What stands between two braces.
pub(crate) struct Placeholder {
    pub(crate) path: String,
    style: Option<String>,
}

impl Placeholder {
    /// The name that the path begins with.
    pub(crate) fn first(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }

    pub(crate) fn styles(&self) -> impl Iterator<Item = &str> {
        self.style.iter().flat_map(|style| style.split(' '))
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        self.style.as_ref().map_or(Ok(()), |style| write!(f, ":{style}"))
    }
}

/// The placeholders, or the brace that has no other.
pub(crate) fn placeholders(template: &str) -> Result<Vec<Placeholder>, char> {
    let text = template.replace("{{", "").replace("}}", "");
    let mut parts = text.split('{');
    if parts.next().is_some_and(|part| part.contains('}')) {
        return Err('}');
    }
    parts
        .map(|part| {
            let (placeholder, rest) = part.split_once('}').ok_or('{')?;
            let (path, style) = match placeholder.split_once(':') {
                Some((path, style)) => (path, Some(style.to_owned())),
                None => (placeholder, None),
            };
            if rest.contains('}') { Err('}') } else { Ok(Placeholder { path: path.to_owned(), style }) }
        })
        .collect()
}
