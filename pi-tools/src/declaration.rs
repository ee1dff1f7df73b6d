//! Tools as a provider's request declares them.

mod limits;

use serde_json::{Value, json};

use crate::error::ToolboxError;
use crate::schema::{Dialect, Report};
use crate::tool::ToolRef;

/// The tools of a toolbox in the words of a provider: of [`Toolbox::declarations`](crate::Toolbox::declarations).
///
/// # Example
///
/// ```
/// use pi_tools::prelude::*;
/// use pi_tools::schema::Dialect;
///
/// /// Greet someone by name.
/// #[pi_tool(handle = Greet, register = false)]
/// fn greet(
///     /// Whom to greet.
///     name: String,
///     /// How often.
///     times: Option<u32>,
/// ) -> String {
///     vec![format!("Hello, {name}!"); times.unwrap_or(1) as usize].join("\n")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let toolbox = Toolbox::builder().tool(Greet).build().unwrap();
/// let declarations = toolbox.declarations(Dialect::OpenAiStrict).unwrap();
/// assert_eq!(
///     declarations.json(),
///     concat!(
///         r#"[{"type":"function","name":"greet","description":"Greet someone by name.","parameters":{"type":"object","#,
///         r#""properties":{"name":{"type":"string","description":"Whom to greet."},"#,
///         r#""times":{"type":["integer","null"],"description":"How often.","minimum":0}},"#,
///         r#""required":["name","times"],"additionalProperties":false},"strict":true}]"#,
///     ),
/// );
/// // What a model sends back for "no times" is a null, which is dropped before decoding.
/// assert_eq!(toolbox.call("greet", r#"{"name":"Ada","times":null}"#).await.to_text(), "Hello, Ada!");
/// # }
/// ```
#[derive(Debug)]
pub struct Declarations {
    tools: Vec<Declaration>,
    dialect: Dialect,
    notices: Vec<String>,
    json: String,
}

impl Declarations {
    pub(crate) fn new<'a>(tools: impl Iterator<Item = ToolRef<'a>>, dialect: Dialect) -> Result<Self, ToolboxError> {
        let all: Vec<ToolRef<'_>> = tools.collect();
        let (attempts, notices) = attempt(&all, dialect);
        let mut tools = Vec::new();
        let mut problems = Vec::new();
        for (tool, attempt) in all.iter().zip(attempts) {
            let place = format!("tool `{}` ({})", tool.spec().name, tool.spec().location);
            match attempt {
                Ok(declaration) => tools.push(declaration),
                Err(errors) => problems.extend(errors.into_iter().map(|error| format!("{place}: {error}"))),
            }
        }
        ToolboxError::check(problems)?;
        let values: Vec<Value> = tools.iter().map(Declaration::to_json).collect();
        Ok(Self { tools, dialect, notices, json: Value::from(values).to_string() })
    }

    /// A JSON array, as the provider's present API takes it: the `functionDeclarations` of Gemini; the `tools` of
    /// OpenAI's Responses API, of Anthropic's Messages API, and of MCP for the portable dialect.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The same as a value.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.tools.iter().map(Declaration::to_json).collect()
    }

    /// The `tools` of OpenAI's Chat Completions API, which many other providers speak.
    #[must_use]
    pub fn to_chat_value(&self) -> Value {
        self.tools.iter().map(Declaration::to_chat).collect()
    }

    /// The dialect.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Each tool.
    #[must_use]
    pub fn tools(&self) -> &[Declaration] {
        &self.tools
    }

    /// What is not as it was asked for, or may be too much for the provider: each a line.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }
}

/// Each tool in a dialect, or why the provider refuses it; and what is to be told of all of them.
pub(crate) fn attempt(tools: &[ToolRef<'_>], dialect: Dialect) -> (Vec<Result<Declaration, Vec<String>>>, Vec<String>) {
    let mut attempts: Vec<_> = tools.iter().map(|tool| Declaration::new(*tool, dialect)).collect();
    if dialect == Dialect::AnthropicStrict {
        limits::limit_anthropic_strict(tools, &mut attempts);
    }
    let notices = attempts.iter().flatten().flat_map(Declaration::notices).chain(limits::count(dialect, tools.len()));
    let notices = notices.collect();
    (attempts, notices)
}

/// One tool in the words of a provider.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The tool's name.
    pub name: &'static str,
    /// The dialect of the schema: without strict mode where that does not hold.
    pub dialect: Dialect,
    /// The schema of the parameters.
    pub schema: Value,
    /// What the schema does not say.
    pub report: Report,
    /// Why strict mode was asked for and is not claimed.
    pub not_strict: Option<String>,
    description: String,
}

impl Declaration {
    /// A tool in a dialect; in a strict one without strict mode, if that does not hold for it.
    pub(crate) fn new(tool: ToolRef<'_>, dialect: Dialect) -> Result<Self, Vec<String>> {
        let name = tool.spec().name;
        let mut errors = Vec::new();
        if !dialect.takes_name(name) {
            errors.push(format!("{} refuses the name: write {}", dialect.name(), dialect.name_rule()));
        }
        let (dialect, rendered, not_strict) = match tool.schema(dialect) {
            Err(error) if dialect.is_strict() => {
                let dialect = dialect.without_strict();
                (dialect, tool.schema(dialect), Some(error.to_string()))
            }
            rendered => (dialect, rendered, None),
        };
        match rendered {
            Ok((schema, report)) if errors.is_empty() => {
                Ok(Self { name, dialect, schema, report, not_strict, description: tool.description().to_owned() })
            }
            Ok(_) => Err(errors),
            Err(error) => {
                errors.push(format!("it has no schema for {}: {error}", dialect.name()));
                Err(errors)
            }
        }
    }

    /// As the provider's present API takes it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Self { name, schema, description, dialect, .. } = self;
        match dialect {
            Dialect::Portable => json!({ "name": name, "description": description, "inputSchema": schema }),
            Dialect::Google if schema.get("properties").is_none() => {
                json!({ "name": name, "description": description })
            }
            Dialect::Google => json!({ "name": name, "description": description, "parameters": schema }),
            Dialect::GoogleJsonSchema => {
                json!({ "name": name, "description": description, "parametersJsonSchema": schema })
            }
            Dialect::OpenAi | Dialect::OpenAiStrict => {
                let mut function = self.function();
                function.shift_insert(0, "type".to_owned(), "function".into());
                function.into()
            }
            Dialect::Anthropic => json!({ "name": name, "description": description, "input_schema": schema }),
            Dialect::AnthropicStrict => {
                json!({ "name": name, "description": description, "input_schema": schema, "strict": true })
            }
        }
    }

    fn to_chat(&self) -> Value {
        json!({ "type": "function", "function": self.function() })
    }

    /// OpenAI's Responses API is strict unless it is told not to be.
    fn function(&self) -> serde_json::Map<String, Value> {
        let strict = self.dialect.is_strict();
        let Self { name, schema, description, .. } = self;
        let pairs = [
            ("name", (*name).into()),
            ("description", description.as_str().into()),
            ("parameters", schema.clone()),
            ("strict", strict.into()),
        ];
        pairs.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
    }

    fn notices(&self) -> impl Iterator<Item = String> {
        let name = self.name;
        let not_strict = self.not_strict.iter().map(move |why| format!("{name}: strict mode is not claimed: {why}"));
        let length = self.description.chars().count();
        let is_long = matches!(self.dialect, Dialect::OpenAi | Dialect::OpenAiStrict) && length > 1024;
        let long = is_long.then(|| {
            format!("{name}: the description has {length} characters, of which OpenAI's older API takes 1024")
        });
        not_strict.chain(long)
    }
}
