//! The providers' dialects of JSON Schema, and the names that each takes.

mod limits;
mod render;

pub(super) use render::render;

/// A provider's dialect of JSON Schema.
///
/// Where the rules come from stands beside each of them; what a dialect weakens or loses is in the report of
/// [`Parameters::in_dialect`](super::Parameters::in_dialect).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// What every provider accepts; for Pi and MCP.
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
