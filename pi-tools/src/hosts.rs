//! The hosts a bundle executable works in.

#[cfg(feature = "pi")]
pub(crate) mod pi;
