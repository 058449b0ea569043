// SPDX-License-Identifier: Apache-2.0 OR MIT
/// Why there is nothing to compare, and what to do about it.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    #[error("{run} has no case `{case}`; there are: {known}")]
    NoCase { run: String, case: String, known: String },
    #[error("{run} has no case at all; repeat the run")]
    Empty { run: String },
    #[error(
        "{run} has one case only and there is nothing to compare it with; name another run, or RUN#CASE twice"
    )]
    Alone { run: String },
    #[error(
        "{base} and {other} have no case of the same name ({bases}; {others}); choose one of each: RUN#CASE"
    )]
    NoCommonCase { base: String, other: String, bases: String, others: String },
    #[error(
        "{base} and {other} measure nothing in common ({bases}; {others}); compare runs that asked for the same stages or benchmarks"
    )]
    NothingCommon { base: String, other: String, bases: String, others: String },
    #[error(
        "{twin} counts virtual nanoseconds, executed instructions, and {other} real ones: they cannot be compared; measure both on one kind of rig"
    )]
    OtherClock { twin: String, other: String },
    #[error(
        "{twin} and {other} take another time for one instruction ({twin_ns} ns, {other_ns} ns); measure both with the same twin.shift"
    )]
    OtherInstruction { twin: String, other: String, twin_ns: u64, other_ns: u64 },
}
