//! The context of one call, whose child processes end with it.

use std::ops::Deref;

use crate::children::Owner;
use crate::context::ToolContext;

/// Dropped, it kills the children of the call, and every one to come.
pub(super) struct Own(ToolContext);

impl Own {
    /// A call in a context.
    pub(super) fn of(cx: &ToolContext) -> Self {
        Self(cx.clone().with_children(Owner::call()))
    }
}

impl Deref for Own {
    type Target = ToolContext;

    fn deref(&self) -> &ToolContext {
        &self.0
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.0.owner().end();
    }
}
