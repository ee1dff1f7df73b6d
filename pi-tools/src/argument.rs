//! One argument of a function: what is known of it while compiling, and what its attributes ask of its type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::string_enum::StringEnum;

/// What the macro writes of an argument.
#[doc(hidden)]
#[derive(Debug)]
pub struct Argument {
    pub name: &'static str,
    /// Where it is decoded: its place among all arguments, those that `#[cfg]` removes too.
    pub slot: usize,
    pub doc: &'static str,
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the schema is that of a struct with this one field: the argument has attributes of serde or schemars.
    pub is_field: bool,
    pub default: Option<fn() -> Value>,
    /// What `#[arg(..)]` adds to the schema.
    pub keywords: &'static [(&'static str, Keyword)],
}

/// The value of a keyword of JSON Schema.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Keyword {
    Bool(bool),
    Integer(i128),
    Number(f64),
    Text(&'static str),
    List(&'static [Keyword]),
}

impl Keyword {
    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Bool(flag) => flag.into(),
            Self::Integer(integer) => i64::try_from(integer)
                .map(Value::from)
                .or_else(|_| u64::try_from(integer).map(Value::from))
                .unwrap_or_else(|_| beyond_64_bits(integer)),
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::List(list) => list.iter().map(|keyword| keyword.to_json()).collect(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "JSON has no greater integers that a reader must take")]
fn beyond_64_bits(integer: i128) -> Value {
    (integer as f64).into()
}

/// For derived code.
#[doc(hidden)]
pub fn of_value<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// For derived code.
#[doc(hidden)]
pub fn of_field<T: schemars::JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = T::json_schema(generator);
    // For messages.
    schema.insert("title".into(), T::schema_name().into());
    schema
}

/// For derived code: a default as it is published.
#[doc(hidden)]
pub fn to_json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// A type whose default may be written as a text: `#[arg(default = "text")]`.
#[diagnostic::on_unimplemented(
    message = "the default of `{Self}` is no text",
    label = "a text is not of the argument's type",
    note = "write an expression of the type: `default = 10`, `default = Mode::Fast`"
)]
pub trait FromText {
    /// The texts that there are; empty when any will do.
    #[doc(hidden)]
    const VALUES: &'static [&'static str];

    #[doc(hidden)]
    fn from_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: StringEnum> FromText for T {
    const VALUES: &'static [&'static str] = T::VALUES;

    fn from_text(text: &'static str) -> Self {
        T::from_value(text).expect("the default was checked while compiling")
    }
}

macro_rules! from_text {
    ($($ty:ty),*) => {$(
        impl FromText for $ty {
            const VALUES: &'static [&'static str] = &[];

            fn from_text(text: &'static str) -> Self {
                text.into()
            }
        }
    )*};
}

from_text!(String, PathBuf, Box<str>, Arc<str>, Rc<str>, Cow<'static, str>, Value);

/// For derived code: fails to compile when the text is none of the values.
#[doc(hidden)]
pub const fn check_default(values: &[&str], text: &str) {
    if values.is_empty() {
        return;
    }
    let mut index = 0;
    while index < values.len() {
        if is_equal(values[index].as_bytes(), text.as_bytes()) {
            return;
        }
        index += 1;
    }
    panic!("the default is no value of the enum: write one of its values")
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// A type that `#[arg(range = ..)]` is for.
#[diagnostic::on_unimplemented(
    message = "a range is for numbers, and `{Self}` is none",
    label = "not a number",
    note = "for the characters of a text, the items of a list or the entries of a map write `length`"
)]
pub trait Number {
    /// The least and the greatest integer that it can be.
    #[doc(hidden)]
    const RANGE: (i128, i128);
}

/// A type that `#[arg(length = ..)]` is for.
#[diagnostic::on_unimplemented(
    message = "a length is for texts, lists and maps, and `{Self}` is none of them",
    label = "has no length",
    note = "for a number write `range`"
)]
pub trait Length {}

macro_rules! integers {
    ($($ty:ident)*) => {$(
        #[allow(clippy::cast_possible_wrap, reason = "`u128` is cut to what JSON has anyway")]
        impl Number for $ty {
            const RANGE: (i128, i128) = (
                <$ty>::MIN as i128,
                if <$ty>::MAX as u128 > i128::MAX as u128 { i128::MAX } else { <$ty>::MAX as i128 },
            );
        }

        #[diagnostic::do_not_recommend]
        impl Number for core::num::NonZero<$ty> {
            // Below zero a least value says nothing of the hole.
            const RANGE: (i128, i128) =
                (if <$ty as Number>::RANGE.0 == 0 { 1 } else { <$ty as Number>::RANGE.0 }, <$ty as Number>::RANGE.1);
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl Number for f32 {
    const RANGE: (i128, i128) = (i128::MIN, i128::MAX);
}

impl Number for f64 {
    const RANGE: (i128, i128) = (i128::MIN, i128::MAX);
}

impl<T: Number> Number for Option<T> {
    const RANGE: (i128, i128) = T::RANGE;
}

impl<T: Number> Number for Box<T> {
    const RANGE: (i128, i128) = T::RANGE;
}

impl Length for String {}
impl Length for PathBuf {}
impl Length for Box<str> {}
impl Length for Arc<str> {}
impl Length for Cow<'_, str> {}
impl<T> Length for Vec<T> {}
impl<T> Length for VecDeque<T> {}
impl<T> Length for Box<[T]> {}
impl<T> Length for BTreeSet<T> {}
impl<T, S> Length for HashSet<T, S> {}
impl<K, V> Length for BTreeMap<K, V> {}
impl<K, V, S> Length for HashMap<K, V, S> {}
impl<T: Length> Length for Option<T> {}

/// For derived code: compiles for numbers, and fails when the type has not all that the range allows.
#[doc(hidden)]
pub const fn check_range<T: Number>(least: Option<i128>, greatest: Option<i128>) {
    let is_beyond = is_beyond::<T>(least) || is_beyond::<T>(greatest);
    assert!(!is_beyond, "the range goes beyond the type: write numbers that it has");
}

const fn is_beyond<T: Number>(bound: Option<i128>) -> bool {
    match bound {
        Some(bound) => bound < T::RANGE.0 || bound > T::RANGE.1,
        None => false,
    }
}

/// For derived code: compiles for what has a length.
#[doc(hidden)]
pub const fn check_length<T: Length>() {}
