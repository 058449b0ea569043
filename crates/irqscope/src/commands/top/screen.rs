// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One screen of it.

use irqscope_analysis::{LiveSeries, Worst};
use irqscope_report::stage_colour;
use irqscope_server::{CaseSnapshot, Measurement};
use irqscope_wire::Stage;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Table};

use super::bars;
use super::view::View;
use irqscope_quantity::seconds;

const NAMES: [&str; 11] =
    ["stage", "view", "count", "missing", "min", "p50", "mean", "p99", "p99.9", "max", "histogram"];
const WIDTHS: [u16; 10] = [13, 8, 11, 8, 11, 11, 11, 11, 11, 11];
/// Of the chosen series.
const WORST: usize = 5;

pub fn draw(frame: &mut Frame<'_>, view: &View) {
    let lines = [
        Constraint::Length(4),
        Constraint::Min(3),
        Constraint::Length(WORST as u16 + 2),
        Constraint::Length(1),
    ];
    let [head, table, chosen, foot] = Layout::vertical(lines).areas(frame.area());
    frame.render_widget(Paragraph::new(head_lines(view)), head);
    draw_table(frame, view, table);
    frame.render_widget(Paragraph::new(chosen_lines(view, chosen.width.into())), chosen);
    frame.render_widget(Paragraph::new(foot_line(view)), foot);
}

fn head_lines(view: &View) -> Vec<Line<'static>> {
    let Some(measurement) = view.measurement() else { return vec!["nothing is measured".into()] };
    let mut lines = vec![title(measurement, view.is_paused())];
    if let Some(error) = &measurement.error {
        lines.push(Line::from(error.what.clone()).red());
    }
    if let Some(case) = view.case() {
        lines.extend(case_lines(case));
    }
    lines
}

fn title(measurement: &Measurement, paused: bool) -> Line<'static> {
    let Measurement { run, state, what, elapsed_ms, .. } = measurement;
    let state = format!("{state:?}").to_lowercase();
    let run = run.as_deref().unwrap_or("no run directory yet");
    let elapsed = elapsed_ms / 1000;
    let text = format!("irqscope  {run}  {state}  {elapsed} s  {what}");
    let mark = if paused { "  PAUSED".bold().reversed() } else { "".into() };
    Line::from(vec![text.bold(), mark])
}

fn case_lines(case: &CaseSnapshot) -> Vec<Line<'static>> {
    let figures = &case.figures;
    let rate = case
        .rate_millihertz
        .map_or_else(String::new, |rate| format!("  {:.1} samples/s", rate as f64 / 1e3));
    let twin = if case.twin { "  virtual nanoseconds" } else { "" };
    let first = format!(
        "{}  {}  {} of {}{rate}{twin}",
        case.case, case.phase, figures.samples, case.planned
    );
    let account = figures.account;
    let mark = match (account.from, account.holds) {
        (None, _) => "",
        (_, true) => "✓",
        (_, false) => "✗ INVALID",
    };
    let second = format!(
        "{}  {mark}  frames: {} missed, {} damaged",
        account.account, figures.frames.missed, figures.frames.damaged
    );
    vec![first.into(), second.into()]
}

fn draw_table(frame: &mut Frame<'_>, view: &View, area: Rect) {
    let fixed: u16 = WIDTHS.iter().map(|width| width + 1).sum();
    let bars = usize::from(area.width.saturating_sub(fixed));
    let series = view.series();
    // The chosen one is always on the screen.
    let room = usize::from(area.height).saturating_sub(1).max(1);
    let first = (view.row() + 1).saturating_sub(room);
    let row = |(index, one): (usize, &&LiveSeries)| {
        let style = Style::default();
        let chosen =
            if index == view.row() { style.add_modifier(Modifier::REVERSED) } else { style };
        table_row(one, bars).style(chosen)
    };
    let rows = series.iter().enumerate().skip(first).map(row);
    let widths = WIDTHS.iter().map(|width| Constraint::Length(*width));
    let widths = widths.chain([Constraint::Min(0)]);
    let names = NAMES.map(|name| Cell::from(name).style(Style::default().bold()));
    frame.render_widget(Table::new(rows, widths).header(Row::new(names)), area);
}

fn table_row(one: &LiveSeries, bars: usize) -> Row<'static> {
    let time = |ns: Option<f64>| Cell::from(format!("{:>11}", text(ns)));
    let whole = |ns: Option<i64>| time(ns.map(|ns| ns as f64));
    let drawn = one.histogram.as_ref().map(|bins| bars::histogram(bins, bars));
    let coloured = Style::default().fg(colour(one.stage));
    Row::new([
        Cell::from(Span::styled(one.stage.name(), coloured)),
        Cell::from(one.view.name()),
        Cell::from(format!("{:>11}", one.count)),
        Cell::from(format!("{:>8}", one.missing + one.coalesced)),
        whole(one.min_ns),
        whole(one.p50_ns),
        time(one.mean_ns),
        whole(one.p99_ns),
        whole(one.p99_9_ns),
        whole(one.max_ns),
        Cell::from(Span::styled(drawn.unwrap_or_default(), coloured)),
    ])
}

fn text(ns: Option<f64>) -> String {
    ns.map_or_else(|| "-".to_owned(), |ns| seconds(ns.round() / 1e9))
}

/// Formats the chosen series over time, and its longest latencies.
fn chosen_lines(view: &View, width: usize) -> Vec<Line<'static>> {
    let series = view.series();
    let Some(one) = series.get(view.row()) else { return Vec::new() };
    let drawn = one.course.as_ref().map(|course| bars::maxima(course, width.saturating_sub(1)));
    let title = format!("{} {}: largest latency over time, and the longest", one.stage, one.view);
    let coloured = Style::default().fg(colour(one.stage));
    let mut lines = vec![title.into(), Line::styled(drawn.unwrap_or_default(), coloured)];
    let all = view.case().map_or(&[][..], |case| case.figures.worst.as_slice());
    let worst = all.iter().filter(|worst| (worst.stage, worst.view) == (one.stage, one.view));
    lines.extend(worst.take(WORST).map(worst_line));
    lines
}

fn worst_line(worst: &Worst) -> Line<'static> {
    let latency = text(Some(worst.latency_ns as f64));
    let at = text(Some(worst.trigger_ns as f64));
    let flags = worst.flags.iter().map(|flag| format!("  {flag:?}").to_lowercase());
    let flags: String = flags.collect();
    format!("  {latency:>11}  trigger {} at {at}{flags}", worst.seq).into()
}

fn foot_line(view: &View) -> Line<'static> {
    if view.is_leaving() {
        return "ending; q again does not wait".bold().into();
    }
    let keys = "q quit  p pause  ↑↓ stage  tab case  v view  s stop measuring";
    view.said().map_or_else(|| keys.into(), |said| Line::from(said.to_owned()).red())
}

/// Returns the report's colour.
fn colour(stage: Stage) -> Color {
    stage_colour(stage).parse().unwrap_or(Color::Reset)
}
