//! Questions that are asked together.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{Dialog, Host};
use crate::error::ToolError;

/// A form: a schema of an object whose fields are texts, numbers, yes or no, and choices, as MCP takes it.
///
/// [`Ui::form`](crate::Ui::form) makes it from a type.
///
/// ```
/// use pi_tools::Form;
/// use serde_json::json;
///
/// #[derive(schemars::JsonSchema)]
/// struct Trip {
///     /// Where to.
///     city: String,
///     nights: Option<u8>,
/// }
/// let form = Form::of::<Trip>()?;
/// assert_eq!(form.schema()["properties"]["city"], json!({ "type": "string", "description": "Where to." }));
/// assert_eq!(form.schema()["required"], json!(["city"]));
/// # Ok::<(), pi_tools::ToolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Form {
    schema: Value,
}

/// What a field may say, beside its type and its choices.
const KEYWORDS: [&str; 9] =
    ["title", "description", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
/// The formats of texts that clients know.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

impl Form {
    /// The form that `T` decodes from: an object whose fields are texts, numbers, booleans, enums of texts and lists of
    /// these, each of them an `Option` where it may be left out. Docs of the fields, defaults and limits are told; the
    /// title of an enum's value, or its doc, is shown in its place.
    ///
    /// # Errors
    ///
    /// When `T` has another field, which the error names.
    pub fn of<T: JsonSchema>() -> Result<Self, ToolError> {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        let problem = |problem: String| ToolError::new(format!("the form `{}`: {problem}", T::schema_name()));
        let Some(properties) = schema["properties"].as_object() else {
            return Err(problem("it has no fields: write a struct with named ones".to_owned()));
        };
        let required = schema["required"].as_array().into_iter().flatten().filter(|name| name.is_string());
        let required: Vec<&Value> = required.collect();
        let mut fields = Map::new();
        for (name, schema) in properties {
            let field = field(schema).ok_or_else(|| {
                problem(format!(
                    "`{name}` is no field of a form: write a text, a number, a boolean, an enum of texts, a list of its \
                     values, or an `Option` of these"
                ))
            })?;
            fields.insert(name.clone(), field);
        }
        Ok(Self { schema: json!({ "type": "object", "properties": fields, "required": required }) })
    }

    /// The schema, in which nothing refers to another place.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    fn fields(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.schema["properties"].as_object().into_iter().flatten()
    }

    fn requires(&self, name: &str) -> bool {
        self.schema["required"].as_array().is_some_and(|required| required.iter().any(|field| field == name))
    }

    /// Asks for one field after another, by the host's own dialogs.
    pub(super) async fn ask_each<H: Host + ?Sized>(&self, host: &H, dialog: Dialog<'_>) -> Option<Map<String, Value>> {
        let mut answers = Map::new();
        for (name, field) in self.fields() {
            let label = ["title", "description"].iter().find_map(|key| field[key].as_str()).unwrap_or(name);
            let title = format!("{}: {label}", dialog.title);
            let dialog = Dialog { title: &title, ..dialog };
            let default = &field["default"];
            let choices = choices(field);
            let answer = if field["type"] == "boolean" {
                let default =
                    default.as_bool().map_or("", |default| if default { "By default yes." } else { "By default no." });
                host.confirm(dialog, default).await?.into()
            } else if field["type"] == "string" && !choices.is_empty() {
                let titles: Vec<String> = choices.iter().map(|choice| choice.title.to_owned()).collect();
                let chosen = host.select(dialog, &titles).await?;
                choices
                    .iter()
                    .find(|choice| choice.title == chosen)
                    .map_or(chosen.as_str(), |choice| choice.value)
                    .into()
            } else {
                let placeholder = match default {
                    Value::Null => choices.iter().map(|choice| choice.title).collect::<Vec<_>>().join(", "),
                    Value::Array(values) => values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let text = host.input(dialog, &placeholder).await?;
                if text.is_empty() && !default.is_null() {
                    default.clone()
                } else if text.is_empty() && !self.requires(name) {
                    continue;
                } else {
                    read(field, &text)
                }
            };
            answers.insert(name.clone(), answer);
        }
        Some(answers)
    }

    /// Holds answers to the form.
    ///
    /// # Errors
    ///
    /// When one does not fit, which the error names.
    pub(crate) fn check(&self, answers: &Map<String, Value>) -> Result<(), ToolError> {
        for (name, field) in self.fields() {
            let problem = match answers.get(name) {
                Some(answer) => problem(field, answer),
                None if self.requires(name) => Some(expected(field, "nothing")),
                None => None,
            };
            if let Some(problem) = problem {
                return Err(ToolError::new(format!("the user's answer for `{name}`: {problem}")));
            }
        }
        Ok(())
    }
}

/// One of the texts that a field may be.
struct Choice<'a> {
    value: &'a str,
    title: &'a str,
}

/// Those of a field, or of the items of one that is a list.
fn choices(field: &Value) -> Vec<Choice<'_>> {
    let field = field.get("items").unwrap_or(field);
    let names = &field["enumNames"];
    let plain = field["enum"].as_array().into_iter().flatten().enumerate().filter_map(|(index, value)| {
        let value = value.as_str()?;
        Some(Choice { value, title: names[index].as_str().unwrap_or(value) })
    });
    let titled = ["oneOf", "anyOf"].into_iter().filter_map(|key| field[key].as_array()).flatten();
    let titled = titled.filter_map(|choice| {
        let value = choice["const"].as_str()?;
        Some(Choice { value, title: choice["title"].as_str().unwrap_or(value) })
    });
    plain.chain(titled).collect()
}

/// A field as MCP takes it, if it can be one.
fn field(schema: &Value) -> Option<Value> {
    // What may be null may be left out.
    let variants = schema["anyOf"].as_array();
    let present = variants.and_then(|variants| variants.iter().find(|variant| variant["type"] != "null"));
    let is_optional =
        variants.is_some_and(|variants| variants.len() == 2 && variants.iter().any(|v| v["type"] == "null"));
    let inner = present.filter(|_| is_optional).unwrap_or(schema);
    let kind = match &inner["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null")?,
        // Of an enum each value says it.
        Value::Null if inner["oneOf"].is_array() => "string",
        kind => kind.as_str()?,
    };
    let mut field = Map::new();
    field.insert("type".into(), kind.into());
    for key in KEYWORDS {
        // What is said of the field comes before what is said of its type.
        if let Some(value) = schema.get(key).or_else(|| inner.get(key)).filter(|value| !value.is_null()) {
            field.insert(key.into(), value.clone());
        }
    }
    match kind {
        "string" => field.extend(of_text(inner, "oneOf")?),
        "array" => {
            let items = &inner["items"];
            let choices =
                of_text(items, "anyOf").filter(|choices| !choices.is_empty() && !choices.contains_key("format"))?;
            let kind = choices.contains_key("enum").then(|| ("type".to_owned(), "string".into()));
            field.insert("items".into(), kind.into_iter().chain(choices).collect::<Map<_, _>>().into());
        }
        "number" | "integer" | "boolean" => {}
        _ => return None,
    }
    Some(field.into())
}

/// What a text may be: anything, one of some values, or one of some with titles, below this key.
fn of_text(schema: &Value, titled: &str) -> Option<Map<String, Value>> {
    let mut keywords = Map::new();
    // `null` stands among the values where it may be left out.
    let texts = |values: &Vec<Value>| values.iter().filter(|value| value.is_string()).cloned().collect::<Vec<_>>();
    if let Some(values) = schema["enum"].as_array() {
        keywords.insert("enum".into(), texts(values).into());
        if schema["enumNames"].is_array() {
            keywords.insert("enumNames".into(), schema["enumNames"].clone());
        }
    } else if let Some(variants) = schema["oneOf"].as_array() {
        let mut choices = Vec::new();
        for variant in variants {
            let named = ["title", "description"].iter().find_map(|key| variant[key].as_str());
            match (variant["const"].as_str(), variant["enum"].as_array()) {
                (Some(value), _) => choices.push((value, named)),
                // Those without a doc stand together.
                (None, Some(values)) => choices.extend(values.iter().filter_map(|v| Some((v.as_str()?, None)))),
                _ => return None,
            }
        }
        let choices: Vec<Value> = choices
            .into_iter()
            .map(|(value, title)| json!({ "const": value, "title": title.unwrap_or(value) }))
            .collect();
        keywords.insert(titled.into(), choices.into());
    } else if schema["type"].is_null() {
        return None;
    } else if let Some(format) = schema["format"].as_str().filter(|format| FORMATS.contains(format)) {
        keywords.insert("format".into(), format.into());
    }
    Some(keywords)
}

/// What a text that the user has written means in a field; the text itself where it means nothing.
fn read(field: &Value, text: &str) -> Value {
    let number = || text.trim().parse::<serde_json::Number>().map_or_else(|_| text.into(), Value::Number);
    match field["type"].as_str() {
        Some("number" | "integer") => number(),
        Some("array") => {
            let choices = choices(field);
            let texts = text.split(',').map(str::trim).filter(|text| !text.is_empty());
            let value = |text| choices.iter().find(|choice| choice.title == text).map_or(text, |choice| choice.value);
            texts.map(value).collect()
        }
        _ => text.into(),
    }
}

/// What is wrong with an answer.
fn problem(field: &Value, answer: &Value) -> Option<String> {
    let choices = choices(field);
    let is_choice =
        |answer: &Value| choices.is_empty() || choices.iter().any(|choice| answer.as_str() == Some(choice.value));
    let is_within = |value: f64, keys: [&str; 2]| {
        field[keys[0]].as_f64().is_none_or(|least| value >= least)
            && field[keys[1]].as_f64().is_none_or(|most| value <= most)
    };
    #[expect(clippy::cast_precision_loss, reason = "no text and no list is that long")]
    let fits = match (field["type"].as_str(), answer) {
        (Some("string"), Value::String(text)) => {
            is_choice(answer) && is_within(text.chars().count() as f64, ["minLength", "maxLength"])
        }
        (Some("array"), Value::Array(items)) => {
            items.iter().all(is_choice) && is_within(items.len() as f64, ["minItems", "maxItems"])
        }
        (Some(kind @ ("number" | "integer")), Value::Number(number)) => {
            let number = number.as_f64().unwrap_or_default();
            (kind == "number" || number.fract() == 0.0) && is_within(number, ["minimum", "maximum"])
        }
        (Some("boolean"), answer) => answer.is_boolean(),
        _ => false,
    };
    (!fits).then(|| expected(field, &answer.to_string()))
}

/// What the field takes, and what it got.
fn expected(field: &Value, got: &str) -> String {
    let kind = field["type"].as_str().unwrap_or_default();
    let values: Vec<&str> = choices(field).iter().map(|choice| choice.value).collect();
    let of = if values.is_empty() { String::new() } else { format!(" of {}", values.join(", ")) };
    let limits = KEYWORDS[3..].iter().filter_map(|key| Some(format!(", {key} {}", field.get(key)?)));
    format!("expected {kind}{of}{}; got {got}", limits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Size {
        Small,
        Large,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Plan {
        /// For nothing.
        Free,
        #[schemars(title = "For companies")]
        Paid,
        Other,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Order {
        /// Your name.
        #[schemars(length(max = 9))]
        name: String,
        #[schemars(default = "three", range(min = 1, max = 9))]
        count: u8,
        weight: Option<f64>,
        gift: bool,
        size: Option<Size>,
        plan: Plan,
        sizes: Vec<Size>,
        #[schemars(length(min = 1))]
        plans: Vec<Plan>,
    }

    fn three() -> u8 {
        3
    }

    #[test]
    fn a_type_becomes_a_form() {
        let titled = json!([
            { "const": "Free", "title": "For nothing." },
            { "const": "Paid", "title": "For companies" },
            { "const": "Other", "title": "Other" },
        ]);
        let sizes = json!(["Small", "Large"]);
        let expected = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "Your name.", "maxLength": 9 },
                "count": { "type": "integer", "default": 3, "minimum": 1, "maximum": 9 },
                "weight": { "type": "number" },
                "gift": { "type": "boolean" },
                "size": { "type": "string", "enum": sizes },
                "plan": { "type": "string", "oneOf": sorted(&titled) },
                "sizes": { "type": "array", "items": { "type": "string", "enum": sizes } },
                "plans": { "type": "array", "minItems": 1, "items": { "anyOf": sorted(&titled) } },
            },
            "required": ["name", "gift", "plan", "sizes", "plans"],
        });
        let mut schema = Form::of::<Order>().unwrap().schema().clone();
        let plan = schema["properties"]["plan"]["oneOf"].take();
        schema["properties"]["plan"]["oneOf"] = sorted(&plan);
        let plans = schema["properties"]["plans"]["items"]["anyOf"].take();
        schema["properties"]["plans"]["items"]["anyOf"] = sorted(&plans);
        assert_eq!(schema, expected);
    }

    /// Those without a doc come first in a schema.
    fn sorted(choices: &Value) -> Value {
        let mut choices = choices.as_array().unwrap().clone();
        choices.sort_by_key(|choice| choice["const"].to_string());
        choices.into()
    }

    #[test]
    fn what_is_no_form_is_refused() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Nested {
            order: Order,
        }
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Words {
            words: Vec<String>,
        }
        let error = Form::of::<Nested>().unwrap_err();
        assert!(error.message().starts_with("the form `Nested`: `order` is no field of a form: write "), "{error}");
        let error = Form::of::<Vec<String>>().unwrap_err();
        assert!(error.message().contains("it has no fields"), "{error}");
        assert!(Form::of::<Words>().is_err());
    }

    #[test]
    fn answers_are_held_to_the_form() {
        let form = Form::of::<Order>().unwrap();
        let good = json!({ "name": "Ada", "gift": true, "plan": "Free", "sizes": [], "plans": ["Paid"] });
        let problem = |changes: Value| {
            let mut answers = good.as_object().unwrap().clone();
            answers.extend(changes.as_object().unwrap().clone());
            answers.retain(|_, answer| !answer.is_null());
            form.check(&answers).err().map(|error| error.message().to_owned())
        };
        assert_eq!(problem(json!({ "count": 9, "weight": 0.5, "size": "Large" })), None);
        let cases = [
            (json!({ "name": null }), "`name`: expected string, maxLength 9; got nothing"),
            (json!({ "name": "Ada Lovelace" }), "`name`: expected string, maxLength 9; got \"Ada Lovelace\""),
            (json!({ "count": 0 }), "`count`: expected integer, minimum 1, maximum 9; got 0"),
            (json!({ "count": 1.5 }), "`count`: expected integer, minimum 1, maximum 9; got 1.5"),
            (json!({ "gift": "yes" }), "`gift`: expected boolean; got \"yes\""),
            (json!({ "size": "Huge" }), "`size`: expected string of Small, Large; got \"Huge\""),
            (json!({ "sizes": ["Huge"] }), "`sizes`: expected array of Small, Large; got [\"Huge\"]"),
        ];
        for (changes, expected) in cases {
            assert_eq!(problem(changes), Some(format!("the user's answer for {expected}")));
        }
        assert!(problem(json!({ "plans": [] })).unwrap().ends_with(", minItems 1; got []"));
    }
}
