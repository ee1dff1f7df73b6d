//! Tools as a provider's request declares them.

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
        let tools: Vec<ToolRef<'_>> = tools.collect();
        let mut declarations = Vec::new();
        let mut problems = Vec::new();
        for &tool in &tools {
            let spec = tool.spec();
            match Declaration::new(tool, dialect) {
                Ok(declaration) => declarations.push(declaration),
                Err(errors) => problems.extend(
                    errors.into_iter().map(|error| format!("tool `{}` ({}): {error}", spec.name, spec.location)),
                ),
            }
        }
        ToolboxError::check(problems)?;
        let mut notices = Vec::new();
        if dialect == Dialect::AnthropicStrict {
            limit_anthropic_strict(&tools, &mut declarations);
        }
        for declaration in &declarations {
            notices.extend(declaration.notices());
        }
        notices.extend(count_notice(dialect, declarations.len()));
        let values: Vec<Value> = declarations.iter().map(Declaration::to_json).collect();
        Ok(Self { tools: declarations, dialect, notices, json: Value::from(values).to_string() })
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

/// How many tools the provider takes in one request.
fn count_notice(dialect: Dialect, count: usize) -> Option<String> {
    let (who, limit) = match dialect {
        Dialect::OpenAi | Dialect::OpenAiStrict => ("OpenAI takes", 128),
        Dialect::Google | Dialect::GoogleJsonSchema => ("Vertex is reported to take", 128),
        Dialect::Portable | Dialect::Anthropic | Dialect::AnthropicStrict => return None,
    };
    (count > limit).then(|| format!("{count} tools, of which {who} {limit} in one request"))
}

/// What Anthropic's strict mode takes over all tools of a request: those beyond it are declared without it, later ones
/// first.
fn limit_anthropic_strict(all: &[ToolRef<'_>], declarations: &mut [Declaration]) {
    const TOOLS: usize = 20;
    const UNIONS: usize = 16;
    const OPTIONALS: usize = 24;
    let (mut tools, mut unions, mut optionals) = (0, 0, 0);
    for (tool, declaration) in all.iter().zip(declarations) {
        if !declaration.dialect.is_strict() {
            continue;
        }
        let (own_unions, own_optionals) = choices(&declaration.schema);
        let limits = [
            (tools + 1, TOOLS, "strict tools"),
            (unions + own_unions, UNIONS, "unions"),
            (optionals + own_optionals, OPTIONALS, "optional parameters"),
        ];
        let Some((_, limit, what)) = limits.into_iter().find(|(count, limit, _)| count > limit) else {
            [tools, unions, optionals] = limits.map(|(count, ..)| count);
            continue;
        };
        let why = format!("Anthropic takes {limit} {what} over all tools of a request, and those before use them up");
        if let Ok(plain) = Declaration::new(*tool, Dialect::Anthropic) {
            *declaration = Declaration { not_strict: Some(why), ..plain };
        }
    }
}

/// The unions and the optional parameters of a schema, at any depth.
fn choices(schema: &Value) -> (usize, usize) {
    let (mut unions, mut optionals) = (0, 0);
    crate::schema::walk(schema, &mut |_, map| {
        unions += usize::from(map.contains_key("anyOf") || map.get("type").is_some_and(Value::is_array));
        let count = |keyword: &str| {
            map.get(keyword).map_or(0, |value| match value {
                Value::Object(map) => map.len(),
                Value::Array(items) => items.len(),
                _ => 0,
            })
        };
        optionals += count("properties").saturating_sub(count("required"));
    });
    (unions, optionals)
}
