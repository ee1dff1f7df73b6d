//! What `#[pi_tool]` and the derives make of what users write.

use pi_tools::prelude::*;
use pi_tools::{Execution, IntoTool, ToolSpec};
use serde_json::{Value, json};

fn toolbox(tool: impl IntoTool) -> Toolbox {
    Toolbox::builder().tool(tool).build().unwrap()
}

fn spec(tool: impl IntoTool) -> &'static ToolSpec {
    toolbox(tool).tools().next().unwrap().spec()
}

fn parameters(tool: impl IntoTool) -> Value {
    toolbox(tool).tools().next().unwrap().parameters().schema().clone()
}

async fn call(tool: impl IntoTool, arguments: &Value) -> ToolOutput {
    let toolbox = toolbox(tool);
    let name = toolbox.tools().next().unwrap().spec().name;
    toolbox.call(name, arguments.clone()).await
}

mod keys {
    use super::*;

    /// First paragraph.
    ///
    /// Second paragraph,
    /// of two lines.
    #[pi_tool(handle = Defaults, register = false)]
    async fn write_note() -> String {
        String::new()
    }

    /// Not this.
    #[pi_tool(
        name = "all-of-it",
        label = "All of it",
        description = "Everything.",
        prompt_snippet = "Do everything",
        guidelines = ["Use all-of-it for everything", "Prefer all-of-it"],
        execution = "sequential",
        handle = All,
        register = false,
        crate = ::pi_tools,
    )]
    async fn everything() -> String {
        String::new()
    }

    #[test]
    fn defaults() {
        let spec = spec(Defaults);
        assert_eq!((spec.name, spec.label), ("write_note", "Write note"));
        assert_eq!(spec.description, "First paragraph.\n\nSecond paragraph,\nof two lines.");
        assert_eq!((spec.prompt_snippet, spec.guidelines.len(), spec.execution), (None, 0, None));
        assert!(spec.location.file().ends_with("macros.rs"));
        assert_eq!(parameters(Defaults), json!({ "type": "object", "properties": {}, "additionalProperties": false }));
    }

    #[test]
    fn all() {
        let spec = spec(All);
        assert_eq!((spec.name, spec.label, spec.description), ("all-of-it", "All of it", "Everything."));
        assert_eq!(spec.prompt_snippet, Some("Do everything"));
        assert_eq!(spec.guidelines, ["Use all-of-it for everything", "Prefer all-of-it"]);
        assert_eq!(spec.execution, Some(Execution::Sequential));
    }

    #[test]
    fn what_is_not_registered_is_not_collected() {
        assert!(Toolbox::collect().unwrap().get("all-of-it").is_none());
    }

    /// In a file of its own.
    #[doc = include_str!("vectors/doc.txt")]
    #[pi_tool(handle = Included, register = false)]
    async fn included() -> String {
        String::new()
    }

    #[test]
    fn docs_may_be_included() {
        assert!(spec(Included).description.contains("A description in a file."));
    }
}

mod parameters {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Point {
        /// To the right.
        x: i32,
        /// Downwards.
        y: Option<i32>,
    }

    /// How to draw.
    #[derive(Clone, Copy, StringEnum)]
    #[string_enum(rename_all = "kebab-case")]
    enum Style {
        /// Without gaps.
        SolidLine,
        #[string_enum(rename = "dots", alias = "dotted")]
        Dotted,
    }

    /// Draw.
    #[pi_tool(handle = Draw, register = false)]
    async fn draw(
        /// Where.
        at: Point,
        /// More places.
        #[serde(default)]
        others: Vec<Point>,
        /// The line.
        style: Option<Style>,
        #[schemars(description = "How wide.", range(min = 1, max = 9))] width: Option<u8>,
        /// By name.
        #[serde(rename = "labels")]
        #[arg(alias = ["names", "titles"])]
        by_name: BTreeMap<String, f64>,
        /// A keyword.
        r#type: bool,
        /// Changed in the body.
        mut count: usize,
    ) -> String {
        count += others.len();
        let style = style.map_or("none", |style| style.as_str());
        format!("{} {:?} {style} {width:?} {by_name:?} {type} {count}", at.x, at.y, type = r#type)
    }

    #[test]
    fn the_schema_is_portable() {
        let point = json!({
            "type": "object",
            "properties": {
                "x": { "type": "integer", "description": "To the right." },
                "y": { "type": "integer", "description": "Downwards." },
            },
            "required": ["x"],
        });
        let mut at = point.clone();
        at["description"] = "Where.".into();
        assert_eq!(
            parameters(Draw),
            json!({
                "type": "object",
                "properties": {
                    "at": at,
                    "others": { "type": "array", "description": "More places.", "items": point },
                    "style": {
                        "type": "string",
                        "enum": ["solid-line", "dots"],
                        "description": "The line.\nsolid-line: Without gaps.",
                    },
                    "width": { "type": "integer", "description": "How wide.", "minimum": 1, "maximum": 9 },
                    "labels": {
                        "type": "object",
                        "description": "By name.",
                        "properties": {},
                        "additionalProperties": { "type": "number" },
                    },
                    "type": { "type": "boolean", "description": "A keyword." },
                    "count": { "type": "integer", "description": "Changed in the body.", "minimum": 0 },
                },
                "required": ["at", "labels", "type", "count"],
                "additionalProperties": false,
            })
        );
    }

    #[tokio::test]
    async fn arguments_arrive() {
        let arguments = json!({
            "at": { "x": 1, "y": null }, "style": "dotted", "titles": { "a": 1.5 }, "type": true, "count": 2,
        });
        let output = call(Draw, &arguments).await;
        assert_eq!(output.to_text(), "1 None dots None {\"a\": 1.5} true 2");
    }

    #[tokio::test]
    async fn all_problems_are_told_at_once() {
        let arguments = json!({ "at": { "y": "low" }, "style": "thick", "type": 1, "extra": null, "count": -1 });
        let output = call(Draw, &arguments).await;
        assert!(output.is_error());
        let problems: Vec<String> =
            output.to_text().lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect();
        assert_eq!(
            problems,
            [
                "  - labels: missing",
                "  - at.x: missing",
                "  - at.y: expected integer, got string",
                "  - style: expected one of [\"solid-line\",\"dots\"]",
                "  - type: expected boolean, got integer",
                "  - count: expected >= 0",
                "  - extra: unknown field",
            ]
        );
    }

    #[tokio::test]
    async fn what_only_the_type_refuses_has_its_path() {
        let arguments = json!({ "at": { "x": 1e10 }, "labels": {}, "type": true, "count": 2 });
        let text = call(Draw, &arguments).await.to_text();
        assert!(
            text.starts_with("Validation failed for tool \"draw\":\n  - at.x: invalid type: floating point"),
            "{text}"
        );
    }
}

mod references {
    use super::*;

    struct Config {
        limit: u32,
    }

    #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
    struct Seen(Vec<u32>);

    #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
    #[session_state(key = "total")]
    struct Total {
        sum: u32,
    }

    /// Add a number.
    #[pi_tool(handle = Add, register = false)]
    fn add(
        config: &Config,
        total: &mut Total,
        /// The number.
        number: u32,
        cx: &ToolContext,
        seen: &mut Seen,
    ) -> Result<ToolOutput<Value>, String> {
        if number > config.limit {
            return Err(format!("number: at most {}", config.limit));
        }
        total.sum += number;
        seen.0.push(number);
        Ok(ToolOutput::text(cx.call_id()).with_details(json!({ "own": 1, "total": "not this" })))
    }

    #[tokio::test]
    async fn in_any_order() {
        let toolbox = Toolbox::builder().tool(Add).provide(Config { limit: 9 }).build().unwrap();
        let cx = ToolContext::new().with_call_id("id");
        let output = toolbox.call_with("add", json!({ "number": 4 }), &cx).await;
        assert_eq!(output.to_text(), "id");
        assert_eq!(output.details(), Some(&json!({ "total": { "sum": 4 }, "seen": [4], "own": 1 })));
        let output = toolbox.call_with("add", json!({ "number": 10 }), &cx).await;
        assert_eq!((output.to_text().as_str(), output.details()), ("number: at most 9", None));
        let output = toolbox.call_with("add", json!({ "number": 5 }), &cx).await;
        assert_eq!(output.details().unwrap()["seen"], json!([4, 5]));
    }

    #[test]
    fn a_value_that_nobody_provides_is_found_out_at_once() {
        let error = Toolbox::builder().tool(Add).build().unwrap_err().to_string();
        assert!(error.contains("`add`") && error.contains("Config") && error.contains("macros.rs:"), "{error}");
    }

    #[test]
    fn the_function_is_still_a_function() {
        let (mut total, mut seen) = (Total::default(), Seen::default());
        add(&Config { limit: 5 }, &mut total, 5, &ToolContext::new(), &mut seen).unwrap();
        assert_eq!((total.sum, seen.0), (5, vec![5]));
    }
}

mod results {
    use super::*;

    type Alias<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

    macro_rules! returns {
        ($($name:ident: $ty:ty = $value:expr => $text:expr;)*) => {
            $(mod $name {
                use super::*;

                /// Return something.
                #[pi_tool(handle = Handle, register = false)]
                async fn tool() -> $ty {
                    $value
                }

                #[tokio::test]
                async fn returned() {
                    let output = call(Handle, &json!({})).await;
                    let prefix = if output.is_error() { "error: " } else { "" };
                    assert_eq!(format!("{prefix}{}", output.to_text()), $text);
                }
            })*
        };
    }

    returns! {
        string: String = "a".to_owned() => "a";
        text: &'static str = "a" => "a";
        unit: () = () => "done";
        json: Json<Vec<u8>> = Json(vec![1]) => "[1]";
        output: ToolOutput<u8> = ToolOutput::text("a").with_details(1) => "a";
        tool_error: Result<String, ToolError> = Err(ToolError::new("no")) => "error: no";
        boxed: Alias<String> = Err("no".into()) => "error: no";
        io: std::io::Result<()> = Err(std::io::Error::other("no")) => "error: no";
        words: Result<String, String> = Err("no".to_owned()) => "error: no";
        nested: Result<Json<u8>, std::fmt::Error> = Ok(Json(7)) => "7";
    }

    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("bad number")
        }
    }

    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    /// Fail.
    #[pi_tool(handle = Chain, register = false)]
    fn chain() -> Result<(), Outer> {
        "x".parse::<u8>().map_err(Outer)?;
        Ok(())
    }

    #[tokio::test]
    async fn causes_are_told() {
        assert_eq!(call(Chain, &json!({})).await.to_text(), "bad number: invalid digit found in string");
    }
}

mod hygiene {
    /// Nothing is in scope but what the user wrote.
    mod no_prelude {
        #![no_implicit_prelude]

        #[derive(::std::clone::Clone, ::std::marker::Copy, ::pi_tools::StringEnum)]
        enum Action {
            /// One.
            One,
            #[string_enum(alias = "zwei")]
            Two,
        }

        #[derive(::std::default::Default, ::serde::Serialize, ::serde::Deserialize, ::pi_tools::SessionState)]
        struct State(u8);

        /// Do something.
        #[::pi_tools::pi_tool(guidelines = ["Use no_prelude"], handle = NoPrelude)]
        async fn no_prelude(
            /// What.
            #[arg(alias = "b")]
            action: Action,
            /// More.
            text: ::std::option::Option<::std::string::String>,
            state: &mut State,
            cx: &::pi_tools::ToolContext,
        ) -> ::std::result::Result<(), ::pi_tools::ToolError> {
            let _ = (action, text, state, cx);
            ::std::result::Result::Ok(())
        }

        /// Do something, and block.
        #[::pi_tools::pi_tool]
        fn no_prelude_blocking() {}
    }

    /// The user's names are not ours.
    #[expect(dead_code, reason = "it only has to compile")]
    mod shadowed {
        use pi_tools::pi_tool;

        struct Result;
        struct Box;
        struct Ok;
        struct Some;
        struct Tool;
        struct Arguments;
        struct State;
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct D;
        const TOOL: usize = 1;
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct Option;
        mod core {}
        mod std {}
        mod serde_json {}

        /// Do something.
        #[pi_tool]
        async fn shadowed(
            /// What.
            arguments: Option,
            /// More.
            state: u8,
            /// And more.
            output: bool,
            /// And a name of its own.
            shadowed: bool,
            /// A generic's name.
            d: D,
            /// A constant's name.
            tool: [u8; TOOL],
        ) -> &'static str {
            let _ = (arguments, state, output, shadowed, d, tool);
            "done"
        }
    }

    mod attributes {
        use pi_tools::prelude::*;

        #[allow(clippy::unused_async, reason = "before the docs")]
        /// Do something.
        #[pi_tool(handle = Before, register = false)]
        #[must_use]
        /// In two parts.
        #[inline]
        async fn before() -> String {
            String::new()
        }

        /// Only sometimes.
        #[pi_tool(handle = Never)]
        #[cfg(any())]
        async fn never() -> Missing {
            unimplemented!()
        }

        #[test]
        fn docs_stand_anywhere() {
            assert_eq!(super::super::spec(Before).description, "Do something.\nIn two parts.");
        }
    }

    mod one_name {
        pub(super) mod first {
            /// Do something.
            #[pi_tools::pi_tool(name = "first_t")]
            pub(super) async fn t(
                /// A letter.
                a: u8,
            ) -> String {
                a.to_string()
            }
        }
        pub(super) mod second {
            /// Do something.
            #[pi_tools::pi_tool(name = "second_t")]
            pub(super) async fn t() -> String {
                String::new()
            }
        }

        #[tokio::test]
        async fn in_two_modules_and_in_a_function() {
            /// Do something.
            #[pi_tools::pi_tool]
            async fn inside() -> String {
                String::new()
            }

            assert_eq!(first::t(1).await + &second::t().await + &inside().await, "1");
            let toolbox = pi_tools::Toolbox::collect().unwrap();
            for name in ["first_t", "second_t", "inside"] {
                assert!(toolbox.get(name).is_some(), "{name}");
            }
        }
    }

    /// The function may have any name.
    mod names {
        macro_rules! named {
            ($($name:ident)*) => {$(
                /// Do something.
                #[pi_tools::pi_tool]
                async fn $name(
                    /// A value.
                    $name: u8,
                    cx: &pi_tools::ToolContext,
                ) -> String {
                    format!("{}{}", $name, cx.call_id())
                }
            )*};
        }
        named!(call slots cx output index present value tool f);
    }

    mod generated {
        macro_rules! tool {
            ($name:ident, $ty:ty) => {
                /// Do something.
                #[pi_tools::pi_tool]
                pub(super) fn $name(
                    /// A value.
                    value: $ty,
                    cx: &pi_tools::ToolContext,
                ) -> String {
                    format!("{value}{}", cx.call_id())
                }
            };
        }
        tool!(generated, u8);
    }

    #[test]
    fn generated_by_a_macro() {
        assert_eq!(generated::generated(1, &pi_tools::ToolContext::new()), "1");
        assert!(pi_tools::Toolbox::collect().unwrap().get("generated").is_some());
    }
}

mod string_enum {
    use super::*;
    /// A case for each.
    macro_rules! cases {
        ($($name:ident, $case:literal, $value:literal;)*) => {$(
            #[derive(Clone, Copy, Debug, PartialEq, StringEnum)]
            #[string_enum(rename_all = $case)]
            enum $name {
                TwoWords,
            }

            #[test]
            #[expect(non_snake_case, reason = "named as the enum")]
            fn $name() {
                assert_eq!($name::VALUES, [$value]);
                assert_eq!(serde_json::to_value($name::TwoWords).unwrap(), json!($value));
                assert_eq!(serde_json::from_value::<$name>(json!($value)).unwrap(), $name::TwoWords);
            }
        )*};
    }

    cases! {
        Lower, "lowercase", "twowords";
        Upper, "UPPERCASE", "TWOWORDS";
        Pascal, "PascalCase", "TwoWords";
        Camel, "camelCase", "twoWords";
        Snake, "snake_case", "two_words";
        ScreamingSnake, "SCREAMING_SNAKE_CASE", "TWO_WORDS";
        Kebab, "kebab-case", "two-words";
        ScreamingKebab, "SCREAMING-KEBAB-CASE", "TWO-WORDS";
    }

    /// Serde's words work, too.
    #[derive(Clone, Copy, Debug, PartialEq, StringEnum)]
    #[serde(rename_all = "camelCase")]
    enum Serde {
        #[serde(alias = "first", alias = "1")]
        FirstOne,
        #[serde(rename = "other")]
        SecondOne,
    }

    #[test]
    fn serdes_attributes() {
        assert_eq!(Serde::VALUES, ["firstOne", "other"]);
        assert_eq!("1".parse(), Ok(Serde::FirstOne));
        assert_eq!("first".parse(), Ok(Serde::FirstOne));
    }

    #[test]
    fn errors_name_the_values() {
        let error = serde_json::from_value::<Serde>(json!("third")).unwrap_err().to_string();
        assert_eq!(error, "invalid value: string \"third\", expected one of `firstOne`, `other`");
        assert!(serde_json::from_value::<Serde>(json!(3)).is_err());
        assert!("third".parse::<Serde>().is_err());
        assert_eq!(format!("[{:>6}]", Serde::SecondOne), "[ other]");
    }
}
