//! A call that runs, beside the requests of its client that it belongs to one after another.

use std::collections::BTreeMap;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Map, Value};
use tokio::task::{JoinError, JoinHandle};
use tokio_util::either::Either;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::host::{Connection, Outbox, Question};
use crate::output::ToolOutput;
use crate::tool::ToolRef;

/// A call that runs. Dropped, it is cancelled.
pub(super) struct Running {
    pub(super) name: &'static str,
    pub(super) arguments: Map<String, Value>,
    /// Whether its data has a schema.
    pub(super) has_schema: bool,
    pub(super) output: Either<Ready<Result<ToolOutput, JoinError>>, JoinHandle<ToolOutput>>,
    pub(super) outbox: Arc<Outbox>,
    /// How many updates the client was told.
    pub(super) updates: u32,
    /// What the client has answered so far, by the keys of the questions.
    pub(super) answers: BTreeMap<String, Value>,
    /// What the client must answer before the call goes on.
    pub(super) questions: Vec<Question>,
    end: DropGuard,
}

impl Running {
    /// Starts a call. One that does not end at once goes on in a task of its own, so that whatever becomes of it the client
    /// can be told.
    pub(super) fn start(
        tool: ToolRef<'_>,
        arguments: Map<String, Value>,
        connection: Connection,
        token: CancellationToken,
    ) -> Self {
        let name = tool.spec().name;
        let toolbox = Arc::clone(connection.catalog.toolbox());
        let (cx, outbox) = connection.call(token.clone());
        let text = serde_json::to_string(&arguments).expect("a value is JSON");
        let mut call = Box::pin(async move { toolbox.call_with(name, &*text, &cx).await });
        // Its task polls it again, so nobody needs to be woken.
        let output = match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => Either::Left(ready(Ok(output))),
            Poll::Pending => Either::Right(tokio::spawn(call)),
        };
        Self {
            name,
            arguments,
            has_schema: tool.output_schema().ok().flatten().is_some(),
            output,
            outbox,
            updates: 0,
            answers: BTreeMap::new(),
            questions: Vec::new(),
            end: token.drop_guard(),
        }
    }

    /// Hands on the answers that have come.
    pub(super) fn answer(&mut self) {
        for question in std::mem::take(&mut self.questions) {
            self.ask(question);
        }
    }

    /// Answers a question, or keeps it for the client.
    pub(super) fn ask(&mut self, mut question: Question) {
        if question.is_over() {
            return;
        }
        let answer = self.answers.remove(&question.key);
        if !answer.is_some_and(|answer| question.answer(&answer)) {
            self.questions.push(question);
        }
    }

    /// Asks the call to end.
    pub(super) fn cancel(&mut self) {
        drop(std::mem::replace(&mut self.end, CancellationToken::new().drop_guard()));
    }
}
