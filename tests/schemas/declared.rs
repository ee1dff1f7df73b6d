//! A list of tools as each provider's request carries it.

use pi_tools::prelude::*;
use pi_tools::schema::{Change, Dialect};
use pi_tools::schemars::{self, JsonSchema};
use pi_tools::serde;
use pi_tools::{Tool, ToolSpec};
use serde_json::{Value, json};

/// Search the notes.
#[pi_tool(handle = Search, register = false)]
async fn search(
    /// What to look for.
    query: String,
    /// How many results.
    #[arg(range = 1..=50, default = 10)]
    limit: u32,
) -> String {
    format!("{query} {limit}")
}

/// Do nothing.
#[pi_tool(handle = Nothing, register = false)]
fn nothing() {}

/// Count words.
#[pi_tool(handle = Count, register = false)]
async fn count(
    /// How often each was seen.
    words: std::collections::BTreeMap<String, u32>,
) -> String {
    format!("{words:?}")
}

fn toolbox() -> Toolbox {
    Toolbox::builder().tool(Search).tool(Nothing).tool(Count).build().unwrap()
}

fn declared(dialect: Dialect) -> Value {
    let toolbox = toolbox();
    let declarations = toolbox.declarations(dialect).unwrap();
    assert_eq!(serde_json::from_str::<Value>(declarations.json()).unwrap(), declarations.to_value());
    declarations.to_value()
}

#[test]
fn gemini() {
    let [count, nothing, search] =
        <[Value; 3]>::try_from(declared(Dialect::Google).as_array().unwrap().clone()).unwrap();
    assert_eq!(nothing, json!({ "name": "nothing", "description": "Do nothing." }));
    assert_eq!(search["parameters"]["properties"]["limit"]["maximum"], 50);
    assert_eq!(
        count["parameters"]["properties"]["words"]["description"],
        "How often each was seen. (a map from string keys to integer)"
    );
    let newer = declared(Dialect::GoogleJsonSchema);
    assert_eq!(
        newer[1]["parametersJsonSchema"],
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    );
}

#[test]
fn openai() {
    let tools = declared(Dialect::OpenAi);
    let keys: Vec<&String> = tools[2].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["type", "name", "description", "parameters", "strict"]);
    assert_eq!((&tools[2]["type"], &tools[2]["strict"]), (&json!("function"), &json!(false)));
    let chat = toolbox().declarations(Dialect::OpenAi).unwrap().to_chat_value();
    assert_eq!(chat[2]["type"], "function");
    assert_eq!(chat[2]["function"]["name"], "search");
    assert_eq!(chat[2]["function"]["parameters"], tools[2]["parameters"]);
}

/// Strict mode closes every object, so a map cannot be had: the tool is declared without it, and that is told.
#[test]
fn strict_is_claimed_where_it_holds() {
    let toolbox = toolbox();
    for (dialect, plain) in [(Dialect::OpenAiStrict, Dialect::OpenAi), (Dialect::AnthropicStrict, Dialect::Anthropic)] {
        let declarations = toolbox.declarations(dialect).unwrap();
        let [count, nothing, search] = declarations.tools() else { panic!() };
        assert_eq!((count.dialect, nothing.dialect, search.dialect), (plain, dialect, dialect));
        assert!(count.not_strict.as_deref().unwrap().starts_with("words: strict mode closes every object"));
        let [notice] = declarations.notices() else { panic!("{:?}", declarations.notices()) };
        assert!(notice.starts_with("count: strict mode is not claimed: words: "), "{notice}");
        let strict: Vec<bool> =
            declarations.to_value().as_array().unwrap().iter().map(|tool| tool["strict"] == true).collect();
        assert_eq!(strict, [false, true, true]);
    }
}

#[test]
fn anthropic_and_mcp() {
    assert_eq!(
        declared(Dialect::Anthropic)[1],
        json!({
            "name": "nothing",
            "description": "Do nothing.",
            "input_schema": { "type": "object", "properties": {}, "additionalProperties": false },
        })
    );
    assert_eq!(declared(Dialect::Portable)[2]["inputSchema"]["required"], json!(["query"]));
}

/// The list is made once.
#[test]
fn the_list_is_kept() {
    let toolbox = toolbox();
    let list = || toolbox.declarations(Dialect::OpenAi).unwrap().json().as_ptr();
    assert_eq!(list(), list());
}

/// After an OpenAI-strict call nulls of optional arguments are no values.
#[tokio::test]
async fn a_strict_null_is_the_default() {
    assert_eq!(toolbox().call("search", r#"{"query":"tea","limit":null}"#).await.to_text(), "tea 10");
}

/// A tool of many, by hand.
struct Numbered(&'static ToolSpec);

#[derive(Deserialize, JsonSchema)]
struct Choices {
    /// One.
    a: Option<String>,
    /// Another.
    b: Option<String>,
}

impl Tool for Numbered {
    type Arguments = Choices;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        self.0
    }

    async fn call(&self, choices: Choices, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(choices.a.or(choices.b).unwrap_or_default()))
    }
}

fn many(count: usize, name: impl Fn(usize) -> String) -> Toolbox {
    let mut builder = Toolbox::builder();
    for index in 0..count {
        let spec = ToolSpec::new(String::leak(name(index)), "One of many", "Be one of many.");
        builder = builder.tool(Numbered(Box::leak(Box::new(spec))));
    }
    builder.build().unwrap()
}

#[test]
fn what_is_too_much_is_told() {
    let toolbox = many(129, |index| format!("tool_{index:03}"));
    let notices = toolbox.declarations(Dialect::OpenAi).unwrap().notices();
    assert_eq!(notices, ["129 tools, of which OpenAI takes 128 in one request"]);
    assert_eq!(toolbox.declarations(Dialect::Anthropic).unwrap().notices(), [""; 0]);
    // Two optional parameters each, and 24 are taken.
    let strict = toolbox.declarations(Dialect::AnthropicStrict).unwrap();
    assert_eq!(strict.tools().iter().filter(|tool| tool.dialect.is_strict()).count(), 12);
    assert!(strict.notices()[0].contains("Anthropic takes 24 optional parameters"), "{:?}", strict.notices());
}

/// A list of texts or nothing is a union in Anthropic's strict mode.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "nobody calls the tool")]
struct Unions {
    /// Texts.
    a: Vec<Option<String>>,
}

/// A tool by hand that takes another type.
struct Other<T>(&'static ToolSpec, std::marker::PhantomData<fn() -> T>);

impl<T: serde::de::DeserializeOwned + JsonSchema + Send + 'static> Tool for Other<T> {
    type Arguments = T;
    type State = ();

    fn spec(&self) -> &'static ToolSpec {
        self.0
    }

    async fn call(&self, _: T, (): &mut (), _: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(""))
    }
}

fn many_of<T: serde::de::DeserializeOwned + JsonSchema + Send + 'static>(count: usize) -> Toolbox {
    let mut builder = Toolbox::builder();
    for index in 0..count {
        let spec = ToolSpec::new(String::leak(format!("tool_{index:03}")), "One of many", "Be one of many.");
        builder = builder.tool(Other::<T>(Box::leak(Box::new(spec)), std::marker::PhantomData));
    }
    builder.build().unwrap()
}

#[test]
fn anthropics_strict_mode_takes_so_many_tools_and_unions() {
    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    let strict = |toolbox: &Toolbox| {
        let declarations = toolbox.declarations(Dialect::AnthropicStrict).unwrap();
        let count = declarations.tools().iter().filter(|tool| tool.dialect.is_strict()).count();
        (count, declarations.notices().first().cloned().unwrap_or_default())
    };
    let (count, notice) = strict(&many_of::<Nothing>(21));
    assert!(count == 20 && notice.contains("Anthropic takes 20 strict tools"), "{count} {notice}");
    let (count, notice) = strict(&many_of::<Unions>(17));
    assert!(count == 16 && notice.contains("Anthropic takes 16 unions"), "{count} {notice}");
    assert_eq!(strict(&many_of::<Unions>(16)), (16, String::new()));
}

#[test]
fn long_descriptions_and_long_lists_are_told() {
    static LONG: std::sync::LazyLock<ToolSpec> =
        std::sync::LazyLock::new(|| ToolSpec::new("long", "Long", String::leak("x".repeat(1025))));
    let toolbox = Toolbox::builder().tool(Other::<Unions>(&LONG, std::marker::PhantomData)).build().unwrap();
    let notices = toolbox.declarations(Dialect::OpenAi).unwrap().notices();
    assert_eq!(notices, ["long: the description has 1025 characters, of which OpenAI's older API takes 1024"]);
    assert_eq!(toolbox.declarations(Dialect::Anthropic).unwrap().notices(), [""; 0]);
    let many = many_of::<Unions>(129);
    assert!(many.declarations(Dialect::Google).unwrap().notices()[0].contains("Vertex is reported to take 128"));
}

#[test]
fn a_name_that_is_refused_is_an_error() {
    let toolbox = many(2, |index| format!("log.read.{index}"));
    let error = toolbox.declarations(Dialect::OpenAi).unwrap_err();
    assert_eq!(error.problems().len(), 2);
    assert!(error.problems()[0].ends_with("openai refuses the name: write 1 to 64 of `A-Z a-z 0-9 _ -`"), "{error}");
    assert!(toolbox.declarations(Dialect::Google).is_ok());
}

/// Each difference says why it is, what stands in its place, and whether calls are held to it.
#[test]
fn a_report_tells_every_difference() {
    let toolbox = toolbox();
    let (_, report) = toolbox.get("search").unwrap().schema(Dialect::AnthropicStrict).unwrap();
    let lines: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "/properties/limit: `default` is left out, because strict mode refuses it; the description says `default: 10`",
            "/properties/limit: `minimum` is left out, because strict mode refuses it; the description says `minimum: 1`; calls are held to it",
            "/properties/limit: `maximum` is left out, because strict mode refuses it; the description says `maximum: 50`; calls are held to it",
        ]
    );
    let enforced = report.losses.iter().map(|loss| (loss.change, loss.is_enforced));
    assert!(enforced.eq([(Change::Removed, false), (Change::Removed, true), (Change::Removed, true)]));
}

/// What does not work everywhere is told wherever it is published.
#[test]
fn wide_integers_are_warned_of() {
    /// Take numbers.
    #[pi_tool(handle = Wide, register = false)]
    fn wide(
        /// Beyond what JavaScript counts to.
        id: u64,
        /// Bounded.
        #[arg(range = 0..=9_007_199_254_740_992)]
        bounded: u64,
        /// Narrow.
        narrow: u32,
        /// Anything.
        any: Value,
        /// A name that Pi takes for a keyword.
        definitions: String,
    ) {
        let _ = (id, bounded, narrow, any, definitions);
    }
    let toolbox = Toolbox::builder().tool(Wide).build().unwrap();
    for dialect in [Dialect::Portable, Dialect::Google, Dialect::OpenAi] {
        let (_, report) = toolbox.get("wide").unwrap().schema(dialect).unwrap();
        let pointers: Vec<&str> = report.warnings.iter().map(|warning| warning.pointer.as_str()).collect();
        assert_eq!(pointers, ["/properties/definitions", "/properties/id", "/properties/any"]);
        assert!(report.warnings[1].text.contains("2^53"));
    }
}
