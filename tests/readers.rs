//! What reads the golden data, a file a subject.

pub(crate) mod arguments;
pub(crate) mod batch;
pub(crate) mod prompt;
pub(crate) mod queue;
pub(crate) mod session;
pub(crate) mod truncate;
