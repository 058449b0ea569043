// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The reduction of a mixture to the least that is still as late.

use crate::mixture::Mixture;
use crate::search::{Late, Outcome};

/// Removes parts, numbers and sizes one after the other, as long as the latency stays at or above
/// `least`, ns. `measure` gives the outcomes of several mixtures in their order. Returns the mixture
/// with its responses.
///
/// # Errors
/// `measure` failed.
pub fn shrunk<E>(
    found: (Mixture, Late),
    least: u64,
    mut measure: impl FnMut(&[Mixture]) -> Result<Vec<Outcome>, E>,
) -> Result<(Mixture, Late), E> {
    let mut found = found;
    loop {
        let simpler = simpler(&found.0);
        if simpler.is_empty() {
            return Ok(found);
        }
        let outcomes = measure(&simpler)?;
        let enough = |(mixture, outcome)| match outcome {
            Outcome::Late(late) if late.latency >= least => Some((mixture, late)),
            _ => None,
        };
        match simpler.into_iter().zip(outcomes).find_map(enough) {
            Some(smaller) => found = smaller,
            None => return Ok(found),
        }
    }
}

/// Returns mixtures that are simpler by one thing, those that lack most first.
fn simpler(mixture: &Mixture) -> Vec<Mixture> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Mixture)| {
        let mut other = mixture.clone();
        change(&mut other);
        all.push(other);
    };
    for at in 0..mixture.parts.len() {
        if mixture.parts.len() > 1 {
            with(&|other| _ = other.parts.remove(at));
        }
    }
    for (at, part) in mixture.parts.iter().enumerate() {
        if part.count > 1 {
            with(&|other| other.parts[at].count = 1);
        }
        if part.count > 2 {
            with(&|other| other.parts[at].count /= 2);
        }
        for (option, size) in part.sizes.iter().enumerate() {
            if size.is_some() {
                with(&|other| other.parts[at].sizes[option] = None);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::mixture::Part;

    #[test]
    fn only_what_matters_stays() {
        let part = |source, count| Part { source, count, sizes: vec![Some(1), Some(2)] };
        let mixture = Mixture { parts: vec![part(1, 8), part(2, 16), part(3, 4)], seed: 9 };
        // Four of load 2 with its second size are needed.
        let measure = |all: &[Mixture]| {
            let latency = |mixture: &Mixture| {
                let part = mixture.parts.iter().find(|part| part.source == 2);
                part.is_some_and(|part| part.count >= 4 && part.sizes[1] == Some(2))
            };
            let late = |latency| Late { latency, ..Late::default() };
            let outcome = |mixture| Outcome::Late(late(if latency(mixture) { 100 } else { 10 }));
            Ok::<_, Infallible>(all.iter().map(outcome).collect())
        };
        let found = Late { latency: 100, ..Late::default() };
        let (least, late) = shrunk((mixture, found), 90, measure).unwrap();
        assert_eq!(least.parts, [Part { source: 2, count: 4, sizes: vec![None, Some(2)] }]);
        assert_eq!((least.seed, late.latency), (9, 100));
    }
}
