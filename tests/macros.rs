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
    toolbox(tool).tools().next().unwrap().parameters().unwrap().schema().clone()
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

    /// Carry everything.
    #[pi_tool(
        prepare = unwrap_array,
        read_only = false,
        destructive,
        idempotent = true,
        open_world,
        confirm = "Really {what}?",
        timeout = "2m",
        truncate = "tail",
        max_lines = 10,
        max_bytes = 1_000,
        exposure = "model-only",
        namespace = "lab",
        default_active = false,
        render_call = "carry {what:accent}",
        render_result = "{details.count}",
        render_lines = 5,
        handle = Carry,
        register = false,
    )]
    async fn carry(
        /// What.
        what: String,
    ) -> String {
        what
    }

    /// Some models wrap their arguments.
    fn unwrap_array(arguments: Value) -> Result<Value, String> {
        match arguments {
            Value::Array(mut items) if items.len() == 1 => Ok(items.remove(0)),
            Value::Array(_) => Err("one object, not several".to_owned()),
            arguments => Ok(arguments),
        }
    }

    #[tokio::test]
    async fn carried() {
        use pi_tools::{Exposure, Truncate};
        use std::time::Duration;

        let spec = spec(Carry);
        assert_eq!((spec.read_only, spec.destructive), (Some(false), Some(true)));
        assert_eq!((spec.idempotent, spec.open_world), (Some(true), Some(true)));
        assert_eq!((spec.confirm, spec.timeout), (Some("Really {what}?"), Some(Duration::from_secs(120))));
        assert_eq!((spec.truncate, spec.max_lines, spec.max_bytes), (Truncate::Tail, 10, 1000));
        assert_eq!((spec.exposure, spec.namespace), (Some(Exposure::ModelOnly), Some("lab")));
        assert_eq!((spec.default_active, spec.overrides), (Some(false), None));
        assert_eq!((spec.render_call, spec.render_result), (Some("carry {what:accent}"), Some("{details.count}")));
        assert_eq!(spec.render_lines, 5);
        let toolbox = Toolbox::builder().tool(Carry).policy(pi_tools::Policy::yes()).build().unwrap();
        let list = pi_tools::testing::tool_list(&toolbox);
        let drawn = "\ncall drawn as: carry {what:accent}\nresult drawn as: {details.count}\nlines of it: 5\n";
        assert!(list.contains(drawn), "{list}");
        assert_eq!(toolbox.call("carry", json!([{ "what": "x" }])).await.to_text(), "x");
        assert_eq!(call(Carry, &json!([])).await.to_text(), "one object, not several");
    }

    /// Read a file.
    #[pi_tool(overrides = "read", handle = Read, register = false)]
    fn my_read(
        /// The file.
        path: String,
        /// The first line.
        offset: Option<usize>,
        /// How many lines.
        limit: Option<usize>,
    ) -> Result<ToolOutput<pi_tools::builtin::ReadDetails>, std::io::Error> {
        let text = std::fs::read_to_string(path)?;
        let lines = text.lines().skip(offset.unwrap_or(1) - 1).take(limit.unwrap_or(2000));
        Ok(ToolOutput::text(lines.collect::<Vec<_>>().join("\n")))
    }

    #[tokio::test]
    async fn an_override_has_the_name_of_what_it_overrides() {
        assert_eq!((spec(Read).name, spec(Read).overrides), ("read", Some("read")));
        let output = call(Read, &json!({ "path": "vectors/doc.txt", "limit": 1 })).await;
        assert_eq!(output.to_text(), "A description in a file.");
    }

    #[test]
    fn what_is_not_registered_is_not_collected() {
        assert!(Toolbox::collect().unwrap().get("all-of-it").is_none());
    }

    /**
     * With stars.
     *
     *  * An item.
     */
    #[pi_tool(handle = Starred, register = false)]
    async fn starred(
        /** Without stars. */
        a: u8,
    ) -> String {
        a.to_string()
    }

    #[test]
    fn block_comments_lose_their_stars() {
        assert_eq!(spec(Starred).description, "With stars.\n\n * An item.");
        assert_eq!(parameters(Starred)["properties"]["a"]["description"], "Without stars.");
    }

    /// In a file of its own.
    #[doc = include_str!("vectors/doc.txt")]
    #[pi_tool(handle = Included, register = false)]
    async fn included() -> String {
        String::new()
    }

    #[test]
    fn docs_may_be_included() {
        assert_eq!(spec(Included).description, "In a file of its own.\nA description in a file.");
    }
}

mod parameters {
    use super::*;
    use std::collections::{BTreeMap, HashMap};

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
        let arguments = json!({ "at": { "y": "low" }, "style": "thick", "type": 2, "extra": null, "count": -1 });
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

    /// Take flags by number.
    #[pi_tool(handle = Flags, register = false)]
    async fn flags(
        /// The flags, by number.
        flags: HashMap<u8, bool>,
    ) -> String {
        format!("{flags:?}")
    }

    /// A schema cannot say how great a key may be.
    #[tokio::test]
    async fn what_only_the_type_refuses_has_its_path() {
        let text = call(Flags, &json!({ "flags": { "300": true } })).await.to_text();
        assert!(text.starts_with("Validation failed for tool \"flags\":\n  - flags.300: invalid value"), "{text}");
    }
}

mod arguments {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    /// How fast.
    #[derive(Clone, Copy, Debug, StringEnum)]
    enum Speed {
        Slow,
        #[string_enum(alias = "quick")]
        Fast,
    }

    /// Search.
    #[pi_tool(handle = Search, register = false)]
    async fn search(
        /// What to search.
        #[arg(length = 2..=5, pattern = "^[a-z]+$", examples = ["abc", "de"])]
        text: String,
        /// How many.
        #[arg(default = 10, range = 1..=50)]
        limit: u32,
        /// How fast.
        #[arg(default = "fast")]
        speed: Speed,
        /// How fast afterwards.
        #[arg(default = Speed::Slow)]
        then: Speed,
        /// Where.
        #[arg(default = "src", mutates)]
        path: PathBuf,
        /// How sure.
        #[arg(range = 0.0..1.0)]
        sure: Option<f64>,
        /// Old ones.
        #[arg(rename = "olderThan", alias = "age", range = -3..3)]
        age_in_years: Option<i8>,
        /// Words.
        #[arg(length = ..=2)]
        words: Option<Vec<String>>,
        /// Counts.
        #[arg(length = 1..)]
        counts: Option<BTreeMap<String, u8>>,
        /// Serde's own.
        #[arg(default = vec![1])]
        #[serde(deserialize_with = "numbers")]
        #[schemars(with = "String")]
        numbers: Vec<u8>,
    ) -> String {
        let path = path.display();
        format!("{text} {limit} {speed} {then} {path} {sure:?} {age_in_years:?} {words:?} {counts:?} {numbers:?}")
    }

    fn numbers<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(text.bytes().map(|byte| byte - b'0').collect())
    }

    /// Rate.
    #[pi_tool(handle = Rate, register = false)]
    fn rate(
        /**
         * The share,
         * below one. */
        #[arg(range = 0..1)]
        share: f64,
        /** First line.
         *
         * Second. */
        #[arg(default = Some(5), alias = "old")]
        number: Option<u8>,
        /// None at first.
        #[arg(default = <BTreeMap<String, u8> as Default>::default())]
        counts: BTreeMap<String, u8>,
        /// Not zero.
        #[arg(range = 1..=9)]
        stars: Option<std::num::NonZero<u8>>,
    ) -> String {
        format!("{share} {number:?} {counts:?} {stars:?}")
    }

    #[tokio::test]
    async fn integers_bound_floats_and_null_is_no_value() {
        let properties = parameters(Rate)["properties"].clone();
        assert_eq!(
            properties["share"],
            json!({"type": "number", "description": "The share,\nbelow one.", "minimum": 0, "exclusiveMaximum": 1})
        );
        assert_eq!(properties["number"]["description"], "First line.\n\nSecond.");
        assert_eq!(properties["stars"]["minimum"], 1);
        // With the old name, and without it: both ways of decoding.
        for arguments in
            [json!({"share": 0.5, "number": null}), json!({"share": 0.5, "old": null}), json!({"share": 0.5})]
        {
            assert_eq!(call(Rate, &arguments).await.to_text(), "0.5 Some(5) {} None");
        }
        assert!(call(Rate, &json!({"share": 1.0})).await.to_text().contains("share: expected < 1"));
    }

    const BIG: u8 = 200;

    /// Beyond.
    #[pi_tool(handle = Beyond, register = false)]
    fn beyond(
        /// A number.
        #[arg(default = BIG, range = 1..=5)]
        number: u8,
        /// Some.
        #[arg(default = vec![], length = 1..)]
        list: Vec<u8>,
    ) -> String {
        format!("{number} {list:?}")
    }

    #[test]
    fn a_default_that_is_refused_is_found() {
        let error = Toolbox::builder().tool(Beyond).build().unwrap().verify().unwrap_err().to_string();
        for problem in ["the default of number: expected <= 5", "the default of list: expected at least 1 items"] {
            assert!(error.contains(problem), "{error}");
        }
    }

    /// Read by a camel.
    #[deny(warnings)]
    #[allow(non_snake_case)]
    mod camel {
        use super::*;

        /// List.
        #[pi_tool(register = false, handle = List)]
        pub(super) fn listFiles(
            /// The path.
            filePath: String,
        ) -> String {
            filePath
        }
    }

    #[tokio::test]
    async fn names_of_other_cases() {
        assert_eq!(call(camel::List, &json!({"filePath": "a"})).await.to_text(), "a");
    }

    #[test]
    fn are_published() {
        let schema = parameters(Search);
        let properties = &schema["properties"];
        assert_eq!(schema["required"], json!(["text"]));
        assert_eq!(
            properties["text"],
            json!({
                "type": "string", "description": "What to search. (for example \"abc\", \"de\")",
                "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$",
            })
        );
        assert_eq!(
            properties["limit"],
            json!({ "type": "integer", "description": "How many.", "default": 10, "minimum": 1, "maximum": 50 })
        );
        assert_eq!((&properties["speed"]["default"], &properties["then"]["default"]), (&json!("fast"), &json!("slow")));
        assert_eq!(properties["path"]["default"], "src");
        assert_eq!(
            (&properties["sure"]["minimum"], &properties["sure"]["exclusiveMaximum"]),
            (&json!(0.0), &json!(1.0))
        );
        assert_eq!((&properties["olderThan"]["minimum"], &properties["olderThan"]["maximum"]), (&json!(-3), &json!(2)));
        assert_eq!((&properties["words"]["maxItems"], &properties["counts"]["minProperties"]), (&json!(2), &json!(1)));
        assert_eq!(properties["numbers"]["default"], json!([1]));
    }

    #[tokio::test]
    async fn defaults_stand_in() {
        let defaults = "abc 10 fast slow src None None None None [1]";
        assert_eq!(call(Search, &json!({ "text": "abc" })).await.to_text(), defaults);
        let nulls = json!({ "text": "abc", "limit": null, "speed": null, "sure": null, "numbers": null });
        assert_eq!(call(Search, &nulls).await.to_text(), defaults);
        let all = json!({
            "text": "abc", "limit": 50, "speed": "quick", "then": "fast", "path": "a", "sure": 0.5, "age": -3,
            "words": ["a"], "counts": { "a": 1 }, "numbers": "23",
        });
        let expected = r#"abc 50 fast fast a Some(0.5) Some(-3) Some(["a"]) Some({"a": 1}) [2, 3]"#;
        assert_eq!(call(Search, &all).await.to_text(), expected);
    }

    #[tokio::test]
    async fn limits_are_enforced() {
        let wrong = json!({
            "text": "abcdef", "limit": 51, "sure": 1.0, "olderThan": 3, "words": ["a", "b", "c"], "counts": {},
        });
        let text = call(Search, &wrong).await.to_text();
        let problems: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        assert_eq!(
            problems,
            [
                "  - text: expected at most 5 characters",
                "  - limit: expected <= 50",
                "  - sure: expected < 1",
                "  - olderThan: expected <= 2",
                "  - words: expected at most 2 items",
                "  - counts: expected at least 1 properties",
            ]
        );
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Request {
        /// Where to.
        url: String,
        /// How often.
        #[serde(default)]
        retries: u8,
    }

    /// Send a request.
    #[pi_tool(handle = Send, register = false)]
    async fn send(#[arg(flatten)] request: Request) -> String {
        format!("{} {}", request.url, request.retries)
    }

    #[tokio::test]
    async fn a_struct_can_be_the_arguments() {
        let schema = parameters(Send);
        assert_eq!(schema["properties"]["url"], json!({ "type": "string", "description": "Where to." }));
        assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["url"]), &json!(false)));
        assert_eq!(call(Send, &json!({ "url": "x" })).await.to_text(), "x 0");
        let text = call(Send, &json!({ "uri": "x" })).await.to_text();
        assert!(text.contains("  - url: missing\n  - uri: unknown field\n"), "{text}");
    }

    /// What to do with the list.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
    enum Command {
        /// Show every item.
        List,
        /// Append one item.
        Add {
            /// The item.
            text: String,
            /// Where to.
            index: Option<u8>,
        },
        Done {
            /// The item.
            text: String,
        },
    }

    /// Keep a list.
    #[pi_tool(handle = Keep, register = false)]
    async fn keep(#[arg(flatten)] command: Command) -> String {
        match command {
            Command::List => "list".to_owned(),
            Command::Add { text, index } => format!("add {text} {index:?}"),
            Command::Done { text } => format!("done {text}"),
        }
    }

    #[tokio::test]
    async fn a_tagged_enum_can_be_the_arguments() {
        let schema = parameters(Keep);
        assert_eq!(
            schema["description"],
            "What to do with the list.\naction list: Show every item; no other required fields\n\
             action add: Append one item; requires text\naction done: requires text"
        );
        assert_eq!(schema["properties"]["action"], json!({ "type": "string", "enum": ["list", "add", "done"] }));
        assert_eq!((&schema["required"], &schema["additionalProperties"]), (&json!(["action"]), &json!(false)));

        assert_eq!(call(Keep, &json!({ "action": "list" })).await.to_text(), "list");
        let add = json!({ "action": "add", "text": "tea", "index": null });
        assert_eq!(call(Keep, &add).await.to_text(), "add tea None");
        // Fields of other variants are dropped.
        let done = json!({ "action": "done", "text": "tea", "index": 1 });
        assert_eq!(call(Keep, &done).await.to_text(), "done tea");
        for (wrong, problems) in [
            (json!({ "action": "add" }), "  - text: required when action is \"add\"\n"),
            (json!({ "action": "add", "text": null }), "  - text: required when action is \"add\"\n"),
            (
                json!({ "action": "add", "txet": "tea" }),
                "  - txet: unknown field\n  - text: required when action is \"add\"\n",
            ),
            (json!({ "action": "drop" }), "  - action: expected one of [\"list\",\"add\",\"done\"]\n"),
            (json!({}), "  - action: missing\n"),
        ] {
            let text = call(Keep, &wrong).await.to_text();
            assert!(text.contains(&format!("\"keep\":\n{problems}\n")), "{text}");
        }
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "it has no schema")]
    enum Torn {
        Word { value: String },
        Number { value: u8 },
    }

    /// Tear.
    #[pi_tool(handle = Tear, register = false)]
    async fn tear(#[arg(flatten)] torn: Torn) {
        drop(torn);
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "kind")]
    #[expect(dead_code, reason = "it has no schema")]
    enum Holder {
        Held(Torn),
        Other { text: String },
    }

    /// Hold.
    #[pi_tool(handle = Hold, register = false)]
    async fn hold(#[arg(flatten)] holder: Holder) {
        drop(holder);
    }

    #[test]
    fn an_error_of_a_dialect_names_the_parameter() {
        let schema = json!({ "type": "object", "properties": { "items": { "type": "array", "items": {} } } });
        let parameters = pi_tools::schema::Parameters::normalise(schema.try_into().unwrap()).unwrap();
        let error = parameters.in_dialect(pi_tools::schema::Dialect::OpenAiStrict).unwrap_err();
        assert_eq!(error.path(), "items.*");
    }

    #[test]
    fn an_enum_in_a_variant_is_found() {
        let error = Toolbox::builder().tool(Hold).build().unwrap().verify().unwrap_err().to_string();
        assert!(error.contains("a variant holds an enum or a map"), "{error}");
    }

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[serde(tag = "action", rename_all = "snake_case")]
    #[expect(dead_code, reason = "only shown")]
    enum Edit {
        Add {
            /// What to add.
            text: String,
        },
        Find {
            /// What to find.
            text: Option<String>,
        },
    }

    /// Edit.
    #[pi_tool(handle = EditText, register = false)]
    async fn edit(#[arg(flatten)] edit: Edit) -> String {
        format!("{edit:?}")
    }

    #[tokio::test]
    async fn variants_share_a_field() {
        let text = json!({ "type": "string", "description": "add: What to add.\nfind: What to find." });
        assert_eq!(parameters(EditText)["properties"]["text"], text);
        assert_eq!(call(EditText, &json!({ "action": "find" })).await.to_text(), "Find { text: None }");
        let text = call(EditText, &json!({ "action": "add" })).await.to_text();
        assert!(text.contains("text: required when action is \"add\""), "{text}");
    }

    #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only shown")]
    struct Nested {
        /// How often.
        #[serde(default)]
        times: u8,
    }

    /// Nest.
    #[pi_tool(handle = Nest, register = false)]
    async fn nest(
        /// One.
        one: Nested,
        /// Some.
        some: Option<Vec<Nested>>,
        /// Large.
        #[arg(range = 1..18446744073709551615)]
        large: u64,
    ) -> String {
        format!("{one:?} {some:?} {large}")
    }

    #[tokio::test]
    async fn nulls_are_no_values_at_any_depth_and_integers_are_exact() {
        let large = 18_446_744_073_709_551_614_u64;
        let arguments = json!({ "one": { "times": null }, "some": [{ "times": null }], "large": large });
        let expected = format!("Nested {{ times: 0 }} Some([Nested {{ times: 0 }}]) {large}");
        assert_eq!(call(Nest, &arguments).await.to_text(), expected);
        assert_eq!(parameters(Nest)["properties"]["large"]["maximum"], json!(large));
        let text = call(Nest, &json!({ "one": {}, "large": u64::MAX })).await.to_text();
        assert!(text.contains("large: expected <= 18446744073709551614"), "{text}");
    }

    #[test]
    fn a_field_of_two_types_is_found() {
        let error = Toolbox::builder().tool(Tear).build().unwrap().verify().unwrap_err().to_string();
        let problem = "two variants of `Torn`, `Word` and `Number`, have a field `value` of different types";
        assert!(error.contains(problem), "{error}");
    }

    /// A union, a list and a recursion.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Tree {
        /// Its children.
        #[serde(default)]
        children: Vec<Tree>,
        /// One or the other.
        value: Either,
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "it only has to decode")]
    enum Either {
        Number(u8),
        Word(String),
    }

    /// Walk.
    #[pi_tool(handle = Walk, register = false)]
    async fn walk(
        /// The root.
        tree: Tree,
        /// What else.
        #[arg(range = 1..)]
        depth: u8,
    ) -> String {
        let _ = tree.value;
        format!("{} {depth}", tree.children.len())
    }

    #[tokio::test]
    async fn problems_are_found_at_any_depth() {
        let leaf = json!({ "value": "x" });
        let good = json!({ "tree": { "value": 1, "children": [leaf] }, "depth": 1 });
        assert_eq!(call(Walk, &good).await.to_text(), "1 1");
        let bad = json!({ "tree": { "value": {}, "children": [leaf, { "value": [] }, {}] }, "depth": 1 });
        let text = call(Walk, &bad).await.to_text();
        let problems: Vec<&str> = text.lines().skip(1).take_while(|line| !line.is_empty()).collect();
        assert_eq!(
            problems,
            [
                "  - tree.children.1.value: expected integer, got array",
                "  - tree.children.2.value: missing",
                "  - tree.value: expected integer, got object",
            ]
        );
    }

    /// Twenty-two words.
    #[derive(Clone, Copy, StringEnum)]
    enum Many {
        A,
        B,
        C,
        D,
        E,
        F,
        G,
        H,
        I,
        J,
        K,
        L,
        M,
        N,
        O,
        P,
        Q,
        R,
        S,
        T,
        U,
        V,
    }

    /// Choose.
    #[pi_tool(handle = Choose, register = false)]
    async fn choose(
        /// Which.
        which: Many,
    ) -> String {
        which.to_string()
    }

    #[tokio::test]
    async fn a_long_list_is_cut() {
        let text = call(Choose, &json!({ "which": "z" })).await.to_text();
        assert!(text.contains("\"s\",\"t\",... and 2 more]"), "{text}");
    }
}

mod conditions {
    use super::*;

    #[derive(Clone, Default, Serialize, Deserialize, SessionState)]
    struct Kept(u8);

    /// Only some parameters are there.
    #[pi_tool(handle = Conditional, register = false)]
    async fn conditional(
        /// Never.
        #[cfg(not(test))]
        never: Missing,
        /// Always.
        #[cfg(test)]
        always: u8,
        #[cfg(any())] missing: &mut Missing,
        #[cfg(test)] kept: &mut Kept,
        #[cfg(any())] context: &Missing,
        /// Last.
        last: u8,
    ) -> String {
        kept.0 += 1;
        format!("{always} {last} {}", kept.0)
    }

    #[tokio::test]
    async fn parameters_may_be_conditional() {
        assert_eq!(parameters(Conditional)["required"], json!(["always", "last"]));
        assert_eq!(call(Conditional, &json!({ "last": 2, "always": 1 })).await.to_text(), "1 2 1");
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
        #[::pi_tools::pi_tool(guidelines = ["Use no_prelude"])]
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
            Missing
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
        named!(call slots cx output index present value slot tool f state arguments);
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

        fn prepare(arguments: serde_json::Value) -> serde_json::Value {
            arguments
        }

        #[derive(
            Clone, Debug, Default, pi_tools::serde::Deserialize, pi_tools::serde::Serialize, pi_tools::SessionState,
        )]
        #[serde(crate = "pi_tools::serde")]
        pub(super) struct Count(u8);

        // Every token of the user's that stands in the expansion may come from another macro.
        macro_rules! tool_of_tokens {
            ($name:ident, $($ty:tt)*) => {
                tool_of_tokens!(@ $name, prepare, "none", Count, $($ty)*);
            };
            (@ $name:ident, $prepare:path, $default:expr, $state:ident, $ty:ident) => {
                /// Do something.
                #[pi_tools::pi_tool(prepare = $prepare)]
                pub(super) fn $name(
                    /// A value.
                    value: $ty,
                    /// A text.
                    #[arg(default = $default)]
                    text: String,
                    count: &mut $state,
                ) -> String {
                    count.0 += 1;
                    format!("{value} {text} {}", count.0)
                }
            };
        }
        tool_of_tokens!(of_tokens, u8);
    }

    #[test]
    fn generated_by_a_macro() {
        assert_eq!(generated::generated(1, &pi_tools::ToolContext::new()), "1");
        assert!(pi_tools::Toolbox::collect().unwrap().get("generated").is_some());
    }

    #[tokio::test]
    async fn generated_of_tokens() {
        let toolbox = pi_tools::Toolbox::collect().unwrap();
        assert_eq!(toolbox.call("of_tokens", r#"{"value":1}"#).await.to_text(), "1 none 1");
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

mod session_entry {
    use super::*;
    use pi_tools::SessionEntry;

    #[derive(Debug, PartialEq, Serialize, Deserialize, SessionEntry)]
    #[session_entry(render = "{REF} {LINKS}")]
    #[serde(rename_all = "UPPERCASE")]
    struct SeeAlso {
        r#ref: String,
        links: Vec<String>,
    }

    /// A type that is not drawn may be of any form.
    #[derive(Serialize, SessionEntry)]
    #[session_entry(type = "my-mark", crate = ::pi_tools)]
    struct Mark<'a, T: Clone>(&'a str, T)
    where
        T: Copy;

    #[derive(Serialize, SessionEntry)]
    #[session_entry(render = "{kind:bold} {of.name}")]
    #[serde(tag = "kind")]
    enum Any {
        One { of: u32 },
    }

    #[test]
    fn types_and_values() {
        assert_eq!((SeeAlso::TYPE, Mark::<u32>::TYPE, Any::TYPE), ("see_also", "my-mark", "any"));
        let cx = ToolContext::new();
        let see = SeeAlso { r#ref: "a".to_owned(), links: vec!["b".to_owned()] };
        cx.append(&see).unwrap();
        cx.append(&Mark("x", 1)).unwrap();
        cx.append(&Any::One { of: 1 }).unwrap();
        assert_eq!(cx.session().entries("my-mark"), [json!(["x", 1])]);
        assert_eq!(cx.session().entries_of::<SeeAlso>().unwrap(), [see]);
        cx.append_entry("see_also", &1).unwrap();
        let error = cx.session().entries_of::<SeeAlso>().unwrap_err().to_string();
        assert!(error.starts_with("an entry `see_also` of the session is another: invalid type"), "{error}");
    }
}

mod templates {
    use super::*;
    use pi_tools::schemars;

    /// Where to go.
    #[derive(Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Target {
        /// The file.
        path: String,
    }

    /// Go somewhere.
    #[pi_tool(render_call = "go {path} {line}", handle = Go, register = false)]
    fn go(
        /// Where.
        #[arg(flatten)]
        target: Target,
    ) {
        drop(target);
    }

    /// Look somewhere.
    #[pi_tool(render_call = "look {at.path:dim} {at.line}", handle = Look, register = false)]
    fn look(
        /// Where.
        at: Option<Target>,
    ) {
        drop(at);
    }

    /// Fields are known with the schema.
    #[test]
    fn verified() {
        let toolbox = Toolbox::builder().tool(Go).tool(Look).build().unwrap();
        let error = toolbox.verify().unwrap_err();
        let [go, look] = error.problems() else { panic!("{error}") };
        assert!(go.ends_with("render_call: `{line}` is no argument: write one of `{path}`"), "{go}");
        assert!(look.ends_with("render_call: `{at.line}` is no argument: write one of `{at.path}`"), "{look}");
    }
}
