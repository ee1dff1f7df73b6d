//! Arguments become values of their types, in one pass over their text.
//!
//! The code that is generated for a tool is two `match`es: of a name to an index, and over the index of an argument. What
//! drives them is here, once. Slots may be large, and by value they would be copied at each return.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};

use crate::argument::Argument;

/// The arguments of one call while they are decoded: a slot for each.
pub trait Slots<'de> {
    /// How many there are.
    const NUMBER: usize;

    /// The slot of the argument of this name.
    fn slot(name: &str) -> Option<usize>;

    /// Fills a slot. Without a value (`present` is false) an optional one is filled with
    /// what stands for nothing.
    ///
    /// # Errors
    ///
    /// When the value is not of the argument's type, or none is there and one is required.
    fn fill<D: Deserializer<'de>>(&mut self, slot: usize, present: bool, value: D) -> Result<(), D::Error>;
}

/// Decodes an object with a key for each of the arguments, or for fewer.
///
/// # Errors
///
/// What serde says of the first fault; the long way of the pipeline finds them all.
pub fn decode<'de, S: Slots<'de>>(
    arguments: &[Argument],
    slots: &mut S,
    text: &'de str,
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Object { arguments, slots })?;
    deserializer.end()
}

/// Decodes an object that is the one argument.
///
/// # Errors
///
/// What serde says of the first fault.
pub fn decode_flattened<'de, S: Slots<'de>>(slots: &mut S, text: &'de str) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    slots.fill(0, true, &mut deserializer)?;
    deserializer.end()
}

/// Whether the argument of a slot may be left out.
pub fn is_optional<'de>(mut slots: impl Slots<'de>, slot: usize) -> bool {
    slots.fill(slot, false, Missing).is_ok()
}

/// The value of a slot after [`decode`], which leaves none empty.
///
/// # Panics
///
/// When it is empty all the same.
pub fn filled<T>(slot: Option<T>) -> T {
    slot.expect("decoding fills every slot")
}

struct Object<'a, S> {
    arguments: &'a [Argument],
    slots: &'a mut S,
}

impl<'de, S: Slots<'de>> Visitor<'de> for Object<'_, S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Object { arguments, slots } = self;
        // A bit for each, of no more than 128, and how many there are. Most tools have no need of the second word.
        let (mut filled, mut number) = ([0_u64; 2], 0);
        let place = |slot: usize| (if S::NUMBER > 64 { slot / 64 } else { 0 }, 1 << (slot % 64));
        while let Some(slot) = map.next_key_seed(Name::<S>(PhantomData))? {
            let (word, bit) = place(slot);
            if filled[word] & bit != 0 {
                return Err(twice(arguments, slot));
            }
            filled[word] |= bit;
            number += 1;
            map.next_value_seed(Fill { slots, slot })?;
        }
        if number < arguments.len() {
            for argument in arguments {
                let (word, bit) = place(argument.slot);
                if filled[word] & bit == 0 {
                    let fill = slots.fill(argument.slot, false, Missing);
                    fill.map_err(|_| A::Error::custom(format_args!("missing field `{}`", argument.name)))?;
                }
            }
        }
        Ok(())
    }
}

#[cold]
fn twice<E: de::Error>(arguments: &[Argument], slot: usize) -> E {
    let name = arguments.iter().find(|argument| argument.slot == slot).map_or("", |argument| argument.name);
    E::custom(format_args!("duplicate field `{name}`"))
}

/// Reads a key as the slot of its argument.
struct Name<S>(PhantomData<S>);

impl<'de, S: Slots<'de>> DeserializeSeed<'de> for Name<S> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, S: Slots<'de>> Visitor<'de> for Name<S> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an argument")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        S::slot(name).ok_or_else(|| E::custom(format_args!("unknown field `{name}`")))
    }
}

/// Reads a value into its slot.
struct Fill<'a, S> {
    slots: &'a mut S,
    slot: usize,
}

impl<'de, S: Slots<'de>> DeserializeSeed<'de> for Fill<'_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        self.slots.fill(self.slot, true, value)
    }
}

/// The value of an argument that is not there: nothing, for a type that knows nothing.
struct Missing;

impl<'de> Deserializer<'de> for Missing {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Decodes an argument with a default. A null is no value: models send it.
///
/// # Errors
///
/// What serde says.
pub fn or_default<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    present: bool,
    value: D,
    default: fn() -> T,
) -> Result<T, D::Error> {
    let value = if present { Option::deserialize(value)? } else { None };
    Ok(value.unwrap_or_else(default))
}

/// Decodes an argument that has serde's attributes: by a struct with this one field, so that each attribute means what
/// it means to serde.
///
/// # Errors
///
/// What serde says.
pub fn field<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    name: &'static str,
    present: bool,
    value: D,
) -> Result<T, D::Error> {
    T::deserialize(OneField { entry: present.then_some((name, value)), value: None, error: PhantomData })
}

/// An object with one entry, or none.
struct OneField<D, E> {
    entry: Option<(&'static str, D)>,
    value: Option<D>,
    error: PhantomData<E>,
}

impl<'de, D: Deserializer<'de, Error = E>, E: de::Error> Deserializer<'de> for OneField<D, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_map(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, D: Deserializer<'de, Error = E>, E: de::Error> MapAccess<'de> for OneField<D, E> {
    type Error = E;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, E> {
        let Some((name, value)) = self.entry.take() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, E> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(E::custom("a value is read after its key")),
        }
    }
}
