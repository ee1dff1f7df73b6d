//! Futures that run together on one task, each polled only when it is woken.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

type Running<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The futures that still run, at their places.
pub(super) struct Together<'a, T> {
    places: Vec<Option<(Running<'a, T>, Waker)>>,
    woken: Arc<Woken>,
    running: usize,
}

impl<'a, T> Together<'a, T> {
    pub(super) fn new(futures: impl IntoIterator<Item = Running<'a, T>>) -> Self {
        let woken = Arc::new(Woken::default());
        let place = |(place, future)| (future, Waker::from(Arc::new(Signal { place, woken: Arc::clone(&woken) })));
        let places: Vec<_> = futures.into_iter().enumerate().map(place).map(Some).collect();
        let running = places.len();
        *woken.lock() = State { queue: (0..running).collect(), is_queued: vec![true; running], task: None };
        Self { places, woken, running }
    }

    /// Polls all futures that were woken, in that order, before it returns those that ended.
    pub(super) fn poll(&mut self, task: &Context<'_>) -> Vec<(usize, T)> {
        let mut ended = Vec::new();
        for place in self.woken.take(task) {
            let Some((future, waker)) = &mut self.places[place] else { continue };
            if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(waker)) {
                self.places[place] = None;
                self.running -= 1;
                ended.push((place, value));
            }
        }
        ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running == 0
    }
}

/// Which futures were woken since the last poll.
#[derive(Default)]
struct Woken(Mutex<State>);

#[derive(Default)]
struct State {
    queue: Vec<usize>,
    is_queued: Vec<bool>,
    task: Option<Waker>,
}

impl Woken {
    fn take(&self, task: &Context<'_>) -> Vec<usize> {
        let mut state = self.lock();
        state.task = Some(task.waker().clone());
        let queue = std::mem::take(&mut state.queue);
        // Before they are polled: who is woken meanwhile is polled again.
        for place in &queue {
            state.is_queued[*place] = false;
        }
        queue
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes one of the futures.
struct Signal {
    place: usize,
    woken: Arc<Woken>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.woken.lock();
        if std::mem::replace(&mut state.is_queued[self.place], true) {
            return;
        }
        state.queue.push(self.place);
        let task = state.task.take();
        // A waker is somebody else's code.
        drop(state);
        if let Some(task) = task {
            task.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A future that counts its polls, and ends at the `last`.
    fn counted(polls: &AtomicUsize, last: usize) -> Running<'_, usize> {
        Box::pin(std::future::poll_fn(move |task| {
            let polls = polls.fetch_add(1, Ordering::Relaxed) + 1;
            if polls == last {
                return Poll::Ready(last);
            }
            if last < 10 {
                task.waker().wake_by_ref();
            }
            Poll::Pending
        }))
    }

    #[test]
    fn only_who_is_woken_is_polled() {
        let polls = [const { AtomicUsize::new(0) }; 3];
        let mut together = Together::new([counted(&polls[0], 2), counted(&polls[1], 10), counted(&polls[2], 1)]);
        let task = Context::from_waker(Waker::noop());
        assert_eq!(together.poll(&task), [(2, 1)]);
        assert_eq!(together.poll(&task), [(0, 2)]);
        assert_eq!(together.poll(&task), []);
        assert_eq!(polls.each_ref().map(|polls| polls.load(Ordering::Relaxed)), [2, 1, 1]);
        assert!(!together.is_empty());
    }

    #[test]
    fn a_wake_reaches_the_task_once() {
        struct Count(AtomicUsize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let both: [Running<'_, bool>; 2] =
            [Box::pin(std::future::pending()), Box::pin(async { receiver.await.is_ok() })];
        let mut together = Together::new(both);
        let waker = Waker::from(Arc::clone(&count));
        let task = Context::from_waker(&waker);
        assert_eq!(together.poll(&task), []);
        sender.send(()).unwrap();
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
        assert_eq!(together.poll(&task), [(1, true)]);
    }
}
