//! Choices of words.

use std::fmt;
use std::marker::PhantomData;

use schemars::Schema;
use serde::de::{Deserializer, Unexpected, Visitor};
use serde_json::{Map, Value};

use crate::links::without_links;

/// The keyword by which the schema of a derived enum tells its aliases, until it is normalised.
pub(crate) const ALIASES: &str = "x-pi-tools-aliases";

/// A text that is no value. The decoder of a string enum refuses it with its [`answer`].
pub(crate) const QUESTION: &str = "x-pi-tools-question";

/// All that a string enum takes, and from which decoder: another one than that of all the arguments may take more.
pub(crate) fn answer<D>(values: &[&str], aliases: &[(&str, &str)]) -> String {
    format!("{} takes {values:?} and {aliases:?}", std::any::type_name::<D>())
}

/// An enum without data whose variants are words for the model.
///
/// `#[derive(StringEnum)]` implements it, and with it `Serialize`, `Deserialize`, `JsonSchema` as a plain `enum`,
/// `Display` and `FromStr`. Values are the variants' names in snake case, or as `rename_all` says; `rename` sets one,
/// `alias` accepts one more spelling: everywhere when the value is decoded, and in Pi, which checks the published values
/// first, where the enum is an argument itself. Variants' doc comments arrive in the description, where the model reads them.
///
/// # Example
///
/// ```
/// use pi_tools::StringEnum;
///
/// #[derive(Clone, Copy, Debug, PartialEq, StringEnum)]
/// #[string_enum(rename_all = "kebab-case")]
/// enum Format {
///     /// Tables and links.
///     RichText,
///     #[string_enum(rename = "txt", alias = "plain")]
///     PlainText,
/// }
///
/// assert_eq!(Format::VALUES, ["rich-text", "txt"]);
/// assert_eq!(Format::RichText.to_string(), "rich-text");
/// assert_eq!("plain".parse(), Ok(Format::PlainText));
/// assert_eq!("html".parse::<Format>().unwrap_err().to_string(), "expected one of `rich-text`, `txt`, got `html`");
/// ```
pub trait StringEnum: Sized + 'static {
    /// All values, in the order of the variants.
    const VALUES: &'static [&'static str];

    /// Values that are accepted in place of others.
    #[doc(hidden)]
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// The value of this variant.
    fn as_str(&self) -> &'static str;

    /// The variant of this value or of one of its aliases.
    fn from_value(value: &str) -> Option<Self>;
}

/// A text that is no value of a [`StringEnum`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue {
    got: String,
    values: &'static [&'static str],
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected one of {}, got `{}`", Listed(self.values), self.got)
    }
}

impl std::error::Error for UnknownValue {}

/// Values as a person reads them.
struct Listed(&'static [&'static str]);

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, value) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}`{value}`")?;
        }
        Ok(())
    }
}

/// For derived code.
#[must_use]
pub fn unknown<T: StringEnum>(got: &str) -> UnknownValue {
    UnknownValue { got: got.to_owned(), values: T::VALUES }
}

/// The schema of a string enum, with Pi's keys in Pi's order: `type`, `enum`, then `description` and `default` unless
/// they are empty.
///
/// ```
/// let schema = pi_tools::schema::string_enum(&["list", "add"], "What to do.", "list");
/// assert_eq!(
///     serde_json::to_string(&schema).unwrap(),
///     r#"{"type":"string","enum":["list","add"],"description":"What to do.","default":"list"}"#,
/// );
/// ```
#[must_use]
pub fn string_enum(values: &[&str], description: &str, default: &str) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("type".into(), "string".into());
    map.insert("enum".into(), values.into());
    if !description.is_empty() {
        map.insert("description".into(), description.into());
    }
    if !default.is_empty() {
        map.insert("default".into(), default.into());
    }
    map
}

/// For derived code: the type's own doc, a line for each documented variant, and the aliases.
#[must_use]
pub fn schema(doc: &str, values: &[&str], variant_docs: &[&str], aliases: &[(&str, &str)]) -> Schema {
    let lines: Vec<String> = std::iter::once(doc.to_owned())
        .chain(values.iter().zip(variant_docs).filter(|(_, doc)| !doc.is_empty()).map(|(value, doc)| line(value, doc)))
        .filter(|line| !line.is_empty())
        .collect();
    let mut schema = string_enum(values, &lines.join("\n"), "");
    if !aliases.is_empty() {
        let aliases: Map<String, Value> = aliases.iter().map(|(from, to)| ((*from).to_owned(), (*to).into())).collect();
        schema.insert(ALIASES.into(), aliases.into());
    }
    schema.into()
}

/// `value: text` on one line.
pub(crate) fn line(value: &str, doc: &str) -> String {
    let doc = without_links(doc);
    let words: Vec<&str> = doc.split_whitespace().collect();
    format!("{value}: {}", words.join(" "))
}

/// For derived code.
///
/// # Errors
///
/// When the input is no string, or no value.
pub fn deserialize<'de, T: StringEnum, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Words<T, D>(PhantomData<(T, D)>);

    impl<T: StringEnum, D> Visitor<'_> for Words<T, D> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "one of {}", Listed(T::VALUES))
        }

        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<T, E> {
            T::from_value(value).ok_or_else(|| match value {
                QUESTION => E::custom(answer::<D>(T::VALUES, T::ALIASES)),
                _ => E::invalid_value(Unexpected::Str(value), &self),
            })
        }
    }

    deserializer.deserialize_str(Words(PhantomData::<(T, D)>))
}
