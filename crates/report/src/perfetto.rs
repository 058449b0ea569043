// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sample's timeline in Chrome's trace format, which Perfetto opens: one track
//! for each stage.
//!
//! Source: "Trace Event Format", complete events (`"ph": "X"`), microseconds.

use irqscope_analysis::Explained;
use serde_json::{Value, json};

/// Formats all stages of the samples that are given, each as a process with a thread for each
/// stage. Instants count from the sample's trigger.
pub fn perfetto(case: &str, samples: &[&Explained]) -> String {
    let mut events: Vec<Value> = Vec::new();
    for one in samples {
        let (pid, tid) = (one.seq, one.stage.index() + 1);
        events.push(name("process_name", pid, tid, &format!("{case} seq {}", one.seq)));
        events.push(name("thread_name", pid, tid, one.stage.name()));
        for segment in &one.segments {
            events.push(json!({
                "ph": "X", "pid": pid, "tid": tid, "cat": segment.cause.kind.name(),
                "name": segment.cause.to_string(),
                "ts": microseconds(segment.start.0), "dur": microseconds(segment.length.0),
            }));
        }
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events }).to_string()
}

fn name(what: &str, pid: u64, tid: usize, name: &str) -> Value {
    json!({ "ph": "M", "pid": pid, "tid": tid, "name": what, "args": { "name": name } })
}

fn microseconds(ns: i64) -> f64 {
    ns as f64 / 1_000.0
}
