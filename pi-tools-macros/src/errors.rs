//! Collects every mistake, so that one compile shows them all.

use std::fmt::Display;

use quote::ToTokens;

/// Must be [finished](Self::finish): a mistake cannot get lost on the way.
pub(crate) struct Errors {
    found: Option<syn::Error>,
    finished: bool,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: None, finished: false }
    }

    /// Reports a mistake at these tokens. Message: lower case, the fact, then what to write.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push_all(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push_all(&mut self, error: syn::Error) {
        match &mut self.found {
            Some(found) => found.combine(error),
            None => self.found = Some(error),
        }
    }

    pub(crate) fn finish(mut self) -> syn::Result<()> {
        self.finished = true;
        self.found.take().map_or(Ok(()), Err)
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        assert!(self.finished || std::thread::panicking(), "errors must be finished");
    }
}
