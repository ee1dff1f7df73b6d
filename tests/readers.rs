//! What reads the golden data, a file a subject.

pub(crate) mod arguments;
pub(crate) mod queue;
