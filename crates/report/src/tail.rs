// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tails on the terminal.

use std::fmt::Write;

use irqscope_analysis::{ReturnLevel, SeriesTail, Tail};

use irqscope_quantity::{Column, aligned, alone, grouped};

/// Formats a block for each series, and how it was made.
pub fn tail_table(rows: &[SeriesTail]) -> String {
    let mut text = String::new();
    if rows.iter().any(|row| row.twin) {
        text.push_str("twin: virtual nanoseconds, executed instructions; this tail is that of a program's paths, not of a hardware's latency\n\n");
    }
    for row in rows {
        let _ = writeln!(text, "{}  {}", row.case, row.series);
        if let Some(tail) = &row.tail {
            block(&mut text, row, tail);
        }
        if let Some(refusal) = &row.refusal {
            let _ = writeln!(text, "  no tail: {refusal}\n");
        }
    }
    if let Some(row) = rows.iter().find(|row| row.tail.is_some()) {
        let _ = writeln!(text, "{}", row.method);
    }
    text
}

fn block(text: &mut String, row: &SeriesTail, tail: &Tail) {
    let [samples, above, peaks] = [tail.samples, tail.exceedances, tail.peaks].map(grouped);
    let threshold = alone(tail.threshold_ns);
    let _ = writeln!(
        text,
        "  {samples} samples, the greatest {}; {above} above {threshold} in {peaks} clusters (extremal index {:.2})",
        alone(tail.max_ns),
        tail.extremal_index
    );
    let [low, high] = tail.shape_interval;
    let end = match tail.end_ns.filter(|_| high < 0.0) {
        Some(end) => format!(
            "what was met ends, at about {}; a cause that was not met may take longer",
            alone(end.round() as i64)
        ),
        None if low > 0.0 => "heavy: it has no end".into(),
        None => "whether it has an end, these samples do not say".into(),
    };
    let _ = writeln!(
        text,
        "  shape {:+.2} [{low:+.2}, {high:+.2}], scale {}; {end}",
        tail.shape,
        alone(tail.scale_ns.round() as i64)
    );
    let _ = writeln!(text, "  goodness of fit: p = {:.3} (Anderson-Darling)", tail.goodness_p);
    let head = ["  exceeded once in", "", "latency", "[95 %]"].map(str::to_owned);
    let mut table = vec![head.to_vec()];
    table.extend(tail.levels.iter().map(|level| cells(level, row.period_ns)));
    let _ = writeln!(text, "{}", aligned(&table, Column::FIGURES));
}

fn cells(level: &ReturnLevel, period_ns: Option<u64>) -> Vec<String> {
    let time = period_ns.map_or_else(String::new, |ns| span(level.samples * ns as f64));
    let high = level.high_ns.map_or_else(|| "unbounded".into(), |ns| alone(ns.round() as i64));
    vec![
        format!("  {} samples", grouped(level.samples.round() as u64)),
        time,
        alone(level.ns.round() as i64),
        format!("[{}, {high}]", alone(level.low_ns.round() as i64)),
    ]
}

/// Formats `2.0 s`, `1.5 h`, `3.0 d`.
fn span(ns: f64) -> String {
    let units = [(86_400e9, "d"), (3_600e9, "h"), (60e9, "min"), (1e9, "s")];
    let (unit, name) = units.into_iter().find(|(unit, _)| ns >= *unit).unwrap_or((1e6, "ms"));
    format!("{:.1} {name}", ns / unit)
}
