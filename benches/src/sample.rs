//! Times of two ways to do the same, taken in turn.

use std::time::{Duration, Instant};

/// Runs so many times.
pub type Run = Box<dyn FnMut(u32)>;

/// How long one sample takes at least, and less than twice as long if nothing interrupts it: long beside what it takes to
/// begin.
const SAMPLE: Duration = Duration::from_millis(5);

/// Two ways to do the same, and what came of it.
#[expect(missing_debug_implementations, reason = "it holds closures")]
pub struct Pair {
    ours: Side,
    hand: Side,
}

struct Side {
    run: Run,
    /// How often it runs in a sample.
    times: u32,
    /// How long one run took, in nanoseconds: a round each.
    samples: Vec<f64>,
}

impl Pair {
    /// Finds out how often each runs in a sample.
    #[must_use]
    pub fn new(ours: Run, hand: Run) -> Self {
        Self { ours: Side::new(ours), hand: Side::new(hand) }
    }

    /// Takes two samples of each: of one, twice of the other, of the one again. Which is around changes by the round.
    pub fn round(&mut self, number: usize) {
        let Self { ours, hand } = self;
        let (outer, inner) = if number.is_multiple_of(2) { (ours, hand) } else { (hand, ours) };
        let first = outer.sample();
        let middle = f64::midpoint(inner.sample(), inner.sample());
        let last = outer.sample();
        outer.samples.push(f64::midpoint(first, last));
        inner.samples.push(middle);
    }

    /// The medians: of each, in nanoseconds, and of the ratios of both in one round.
    #[must_use]
    pub fn medians(&self) -> Medians {
        let ratios = self.ours.samples.iter().zip(&self.hand.samples).map(|(ours, hand)| ours / hand);
        Medians {
            ours: median(self.ours.samples.clone()),
            hand: median(self.hand.samples.clone()),
            ratio: median(ratios.collect()),
        }
    }
}

/// What [`Pair::medians`] tells.
#[derive(Clone, Copy, Debug)]
pub struct Medians {
    /// Nanoseconds.
    pub ours: f64,
    /// Nanoseconds.
    pub hand: f64,
    /// Less than one when ours is the faster.
    pub ratio: f64,
}

impl Side {
    fn new(mut run: Run) -> Self {
        // What is made once is made before.
        run(16);
        // Any one timing may have been interrupted, and would leave too few runs: the fastest tells how long they take.
        let mut fastest = |times| (0..5).map(|_| timed(&mut run, times)).min();
        let mut times = 1;
        while fastest(times) < Some(SAMPLE) && times < 1 << 20 {
            times *= 2;
        }
        Self { run, times, samples: Vec::new() }
    }

    fn sample(&mut self) -> f64 {
        // What ran before has left its own in caches and in the allocator.
        (self.run)(self.times.div_ceil(8));
        timed(&mut self.run, self.times).as_secs_f64() * 1e9 / f64::from(self.times)
    }
}

fn timed(run: &mut Run, times: u32) -> Duration {
    let begin = Instant::now();
    run(times);
    begin.elapsed()
}

/// The middle one.
///
/// # Panics
///
/// When there is none.
#[must_use]
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
