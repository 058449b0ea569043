// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `/metrics`: the figures of the measurement under way, or of the last one, for Prometheus. They have
//! the names and labels of `irqscope export --format openmetrics`; docs/dashboard.md has the list.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use irqscope_analysis::LiveSeries;
use irqscope_report::foreign::metrics::{Family, labels, seconds, write_families};

use super::App;
use crate::api_error::{ApiError, Result};
use crate::{CaseSnapshot, Snapshot};

/// The older text 0.0.4 as well; see `irqscope_report::foreign::metrics`.
const TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub async fn metrics(State(app): State<App>) -> Result<impl IntoResponse> {
    let text = app
        .blocking(|session| {
            let newest = session.watch()?.borrow().clone();
            text(&newest, session.tool_version()).map_err(ApiError::failed)
        })
        .await?;
    Ok(([(CONTENT_TYPE, TYPE)], text))
}

struct Families {
    latency: Family,
    min: Family,
    max: Family,
    jitter: Family,
    without: Family,
    triggers: Family,
    holds: Family,
    frames: Family,
    rate: Family,
}

impl Families {
    fn new() -> Self {
        Self {
            latency: Family::summary(
                "irqscope_latency_seconds",
                "Latencies; quantiles are an HdrHistogram's of three significant digits.",
            ),
            min: Family::seconds("irqscope_min_seconds", "The smallest value."),
            max: Family::seconds("irqscope_max_seconds", "The greatest value."),
            jitter: Family::seconds("irqscope_stddev_seconds", "The sample's standard deviation."),
            without: Family::gauge(
                "irqscope_without_value",
                "Triggers or periods that have no value, by what became of them.",
            ),
            triggers: Family::gauge("irqscope_triggers", "Triggers by what became of them."),
            holds: Family::gauge(
                "irqscope_identity_holds",
                "1 where every trigger is accounted for.",
            ),
            frames: Family::gauge("irqscope_frames", "Frames by what became of them."),
            rate: Family::gauge(
                "irqscope_samples_per_second",
                "Samples per second of the host's time.",
            ),
        }
    }

    fn add(&mut self, case: &CaseSnapshot) {
        let figures = &case.figures;
        let of = labels([("case", &*case.case)]);
        let account = &figures.account.account;
        let outcomes = [
            ("all", account.triggers),
            ("complete", account.complete),
            ("missing", account.missing),
            ("coalesced", account.coalesced),
            ("dropped", account.dropped),
            ("unrecorded", account.unrecorded),
            ("open", account.open),
        ];
        for (outcome, count) in outcomes {
            self.triggers.line("", &format!("{of},outcome=\"{outcome}\""), &count.to_string());
        }
        if figures.account.from.is_some() {
            let holds = u8::from(figures.account.holds).to_string();
            self.holds.line("", &of, &holds);
        }
        let frames = [
            ("received", figures.frames.received),
            ("missed", figures.frames.missed),
            ("damaged", figures.frames.damaged),
        ];
        for (outcome, count) in frames {
            self.frames.line("", &format!("{of},outcome=\"{outcome}\""), &count.to_string());
        }
        if let Some(rate) = case.rate_millihertz {
            self.rate.line("", &of, &(rate as f64 / 1e3).to_string());
        }
        figures.series.iter().for_each(|series| self.series(&case.case, series));
    }

    fn series(&mut self, case: &str, one: &LiveSeries) {
        let of = labels([("case", case), ("stage", one.stage.name()), ("view", one.view.name())]);
        for (outcome, count) in [("missing", one.missing), ("coalesced", one.coalesced)] {
            self.without.line("", &format!("{of},outcome=\"{outcome}\""), &count.to_string());
        }
        let quantiles = [
            ("0.05", one.p5_ns),
            ("0.5", one.p50_ns),
            ("0.95", one.p95_ns),
            ("0.99", one.p99_ns),
            ("0.999", one.p99_9_ns),
            ("0.9999", one.p99_99_ns),
            ("0.99999", one.p99_999_ns),
        ];
        for (quantile, value) in quantiles {
            let Some(value) = value else { continue };
            let of = format!("{of},quantile=\"{quantile}\"");
            self.latency.line("", &of, &seconds(value.into()));
        }
        self.latency.line("_count", &of, &one.count.to_string());
        if let Some(mean) = one.mean_ns {
            let sum = (mean * one.count as f64).round() as i128;
            self.latency.line("_sum", &of, &seconds(sum));
        }
        let known = [(&mut self.min, one.min_ns), (&mut self.max, one.max_ns)];
        for (family, value) in known {
            value.iter().for_each(|value| family.line("", &of, &seconds((*value).into())));
        }
        if let Some(jitter) = one.stddev_ns {
            self.jitter.line("", &of, &format!("{:.12}", jitter / 1e9));
        }
    }
}

fn text(snapshot: &Snapshot, tool_version: &str) -> std::io::Result<String> {
    let mut up = Family::gauge("irqscope_measuring", "1 while a measurement is under way.");
    let mut info = Family::gauge("irqscope_run_info", "Names the run of the figures; always 1.");
    let mut families = Families::new();
    let measurement = snapshot.measurement.as_ref();
    let active = measurement.is_some_and(|measurement| measurement.active);
    up.line("", &labels([("tool_version", tool_version)]), &u8::from(active).to_string());
    if let Some(measurement) = measurement {
        let of = labels([
            ("scenario", measurement.scenario.as_deref().unwrap_or("")),
            ("rig", &*measurement.rig),
            ("tool_version", tool_version),
            ("started", &*measurement.started_utc),
        ]);
        info.line("", &of, "1");
        measurement.cases.iter().for_each(|case| families.add(case));
    }
    let Families { latency, min, max, jitter, without, triggers, holds, frames, rate } = families;
    let all = [up, info, latency, min, max, jitter, without, triggers, holds, frames, rate];
    let mut text = Vec::new();
    write_families(&all, &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
