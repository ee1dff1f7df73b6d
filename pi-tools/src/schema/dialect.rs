//! The providers' dialects of JSON Schema, and the names that each takes.

mod limits;
mod render;

pub(super) use render::render;

use super::report::Change;

/// A provider's dialect of JSON Schema.
///
/// Where the rules come from stands beside each of them; what a dialect weakens or loses is in the report of
/// [`Parameters::in_dialect`](super::Parameters::in_dialect).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// What Pi and MCP hosts get: what the providers' present APIs accept, which is more than `Google` and strict modes do.
    Portable,
    /// Gemini's `parameters`, an OpenAPI subset.
    Google,
    /// Gemini's `parametersJsonSchema`, which is what Pi sends.
    GoogleJsonSchema,
    /// OpenAI's `parameters`, without strict mode.
    OpenAi,
    /// OpenAI's strict mode: everything required, everything closed.
    OpenAiStrict,
    /// Anthropic's `input_schema`.
    Anthropic,
    /// Anthropic's strict mode.
    AnthropicStrict,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Portable,
        Self::Google,
        Self::GoogleJsonSchema,
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Anthropic,
        Self::AnthropicStrict,
    ];

    /// The name that the command line takes, like `openai-strict`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Google => "google",
            Self::GoogleJsonSchema => "google-json-schema",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::AnthropicStrict => "anthropic-strict",
        }
    }

    /// Whether the provider takes a tool of this name.
    ///
    /// ```
    /// use pi_tools::schema::Dialect;
    ///
    /// assert!(Dialect::Portable.takes_name("read-log"));
    /// assert!(Dialect::Google.takes_name("log.read"));
    /// assert!(!Dialect::OpenAi.takes_name("log.read"));
    /// ```
    #[must_use]
    pub fn takes_name(self, name: &str) -> bool {
        match self {
            Self::Portable => is_word(name, "-", 64) && !starts_with_digit(name) && !name.starts_with('-'),
            Self::Google | Self::GoogleJsonSchema => {
                is_word(name, "-.", 64) && !starts_with_digit(name) && !name.starts_with(['-', '.'])
            }
            Self::OpenAi | Self::OpenAiStrict => is_word(name, "-", 64),
            Self::Anthropic | Self::AnthropicStrict => is_word(name, "-", 128),
        }
    }

    /// The dialect of this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The dialect without strict mode.
    #[must_use]
    pub const fn without_strict(self) -> Self {
        match self {
            Self::OpenAiStrict => Self::OpenAi,
            Self::AnthropicStrict => Self::Anthropic,
            other => other,
        }
    }

    /// Whether it is a strict mode, in which the provider holds the model to the schema.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self != self.without_strict()
    }

    /// Why the keyword of the schema at the pointer is not what it is in the portable form.
    pub(super) fn why(self, pointer: &str, keyword: &str, change: Change) -> &'static str {
        match (self, keyword) {
            (Self::OpenAiStrict, "required" | "type" | "enum" | "anyOf") => {
                "strict mode requires every property, and null stands for an absent one"
            }
            (Self::AnthropicStrict, "type" | "enum" | "anyOf") => "strict mode writes a type or null as a union",
            (Self::OpenAiStrict | Self::AnthropicStrict, "additionalProperties") => "strict mode closes every object",
            (Self::OpenAiStrict | Self::AnthropicStrict, _) => "strict mode refuses it",
            (Self::Google, _) if pointer.contains("/additionalProperties") => "a map has no schema for its values",
            (Self::Google, "enum") => "only texts are taken as values",
            (Self::Google, "type" | "nullable" | "anyOf") => {
                "every schema has one type, and `nullable` stands for null"
            }
            (Self::Google, "format") if change == Change::Added => "the formats of numbers are known",
            (Self::Google, "format") => "of the formats of texts only `date-time` is taken",
            (Self::Google, "description") => "nothing may stand beside `anyOf`",
            (Self::Google, "properties") => "an object must not list nothing",
            (Self::Google, _) => "Gemini's `parameters` do not take it",
            (Self::GoogleJsonSchema, _) => "Gemini is not known to take it",
            _ => "the provider is not known to take it",
        }
    }

    /// What names the provider takes, for messages.
    pub(crate) fn name_rule(self) -> &'static str {
        match self {
            Self::Portable => "1 to 64 of `A-Z a-z 0-9 _ -`, the first a letter or `_`",
            Self::Google | Self::GoogleJsonSchema => "1 to 64 of `A-Z a-z 0-9 _ - .`, the first a letter or `_`",
            Self::OpenAi | Self::OpenAiStrict => "1 to 64 of `A-Z a-z 0-9 _ -`",
            Self::Anthropic | Self::AnthropicStrict => "1 to 128 of `A-Z a-z 0-9 _ -`",
        }
    }

    /// Whether the provider takes a property of this name.
    fn takes_property(self, name: &str) -> bool {
        match self {
            Self::Google | Self::GoogleJsonSchema => is_word(name, "", 64) && !starts_with_digit(name),
            Self::Anthropic | Self::AnthropicStrict => is_word(name, ".-", 64),
            Self::Portable | Self::OpenAi | Self::OpenAiStrict => true,
        }
    }
}

fn is_word(name: &str, others: &str, longest: usize) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || others.contains(letter);
    !name.is_empty() && name.len() <= longest && name.chars().all(fits)
}

fn starts_with_digit(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_digit())
}
