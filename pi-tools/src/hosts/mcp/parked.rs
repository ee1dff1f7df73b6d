//! Calls that wait for their client to come back with an answer.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Calls by the key that the client brings back. Whoever does not come back for the limit has lost it.
pub(super) struct Parked<T> {
    calls: Arc<Mutex<HashMap<String, T>>>,
    limit: Duration,
}

impl<T: Send + 'static> Parked<T> {
    pub(super) fn new(limit: Duration) -> Self {
        Self { calls: Arc::default(), limit }
    }

    /// Keeps the call. Nobody can guess the key.
    pub(super) fn park(&self, call: T) -> String {
        let key = random();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), call);
        let (calls, limit, lost) = (Arc::downgrade(&self.calls), self.limit, key.clone());
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            let Some(calls) = calls.upgrade() else { return };
            // Dropped outside of the lock.
            let call = calls.lock().unwrap_or_else(PoisonError::into_inner).remove(&lost);
            drop(call);
        });
        key
    }

    /// The call, for the one who comes first, and means it.
    pub(super) fn take(&self, key: &str, is_meant: impl FnOnce(&T) -> bool) -> Option<T> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.get(key).is_some_and(is_meant) { calls.remove(key) } else { None }
    }
}

/// A text that nobody can guess.
pub(crate) fn random() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_is_taken_once_and_lost_in_time() {
        let parked = Parked::new(Duration::from_millis(50));
        let (one, other) = (parked.park(1), parked.park(2));
        assert_ne!(one, other);
        assert_eq!(parked.take(&one, |_| false), None);
        assert_eq!((parked.take(&one, |_| true), parked.take(&one, |_| true)), (Some(1), None));
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(parked.take(&other, |_| true), None);
    }
}
