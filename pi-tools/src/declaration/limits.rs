//! What providers limit over all tools of a request.

use serde_json::Value;

use super::Declaration;
use crate::schema::{Dialect, walk};
use crate::tool::ToolRef;

/// How many tools the provider takes in one request.
pub(super) fn count(dialect: Dialect, count: usize) -> Option<String> {
    let (who, limit) = match dialect {
        Dialect::OpenAi | Dialect::OpenAiStrict => ("OpenAI takes", 128),
        Dialect::Google | Dialect::GoogleJsonSchema => ("Vertex is reported to take", 128),
        Dialect::Portable | Dialect::Anthropic | Dialect::AnthropicStrict => return None,
    };
    (count > limit).then(|| format!("{count} tools, of which {who} {limit} in one request"))
}

/// What Anthropic's strict mode takes over all tools of a request: a tool that would go beyond it is declared without it.
pub(super) fn limit_anthropic_strict(tools: &[ToolRef<'_>], attempts: &mut [Result<Declaration, Vec<String>>]) {
    const TOOLS: usize = 20;
    const UNIONS: usize = 16;
    const OPTIONALS: usize = 24;
    let mut used = [0; 3];
    for (tool, attempt) in tools.iter().zip(attempts) {
        let Some(declaration) = attempt.as_ref().ok().filter(|declaration| declaration.dialect.is_strict()) else {
            continue;
        };
        let (own_unions, own_optionals) = choices(&declaration.schema);
        let limits = [
            (used[0] + 1, TOOLS, "strict tools"),
            (used[1] + own_unions, UNIONS, "unions"),
            (used[2] + own_optionals, OPTIONALS, "optional parameters"),
        ];
        let Some((count, limit, what)) = limits.into_iter().find(|(count, limit, _)| count > limit) else {
            used = limits.map(|(count, ..)| count);
            continue;
        };
        let why = format!(
            "Anthropic takes {limit} {what} over all tools of a request, and with this one it would be {count}"
        );
        *attempt =
            Declaration::new(*tool, Dialect::Anthropic).map(|plain| Declaration { not_strict: Some(why), ..plain });
    }
}

/// The unions and the optional parameters of a schema, at any depth.
fn choices(schema: &Value) -> (usize, usize) {
    let (mut unions, mut optionals) = (0, 0);
    walk(schema, &mut |_, map| {
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
