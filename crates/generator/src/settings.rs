// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Changes of the settings: what each setting alone may be is in the table
//! (`irqscope_wire`); here is what they mean together. A refused change leaves
//! everything as it was.

use irqscope_wire::{Changes, Cycles, JitterKind, Limits, Range, Refusal, Setting, Settings, Tick};

/// Returns the settings of a generator that was not set.
pub fn initial(limits: &Limits, tick: Tick) -> Settings {
    effective(limits, Settings::initial(limits, tick))
}

/// Returns the settings after `changes`; `active`: a run is.
///
/// # Errors
/// A value is out of range, does not go with the others, or decides a run that is active.
pub fn change(
    limits: &Limits,
    settings: Settings,
    changes: &Changes,
    active: bool,
) -> Result<Settings, Refusal> {
    changes.check(limits, active)?;
    let mut new = settings;
    new.apply(changes);
    if new.jitter == JitterKind::None && changes.jitter_amount.is_none() {
        new.jitter_amount = Cycles(0);
    }
    check_jitter(limits, &new)?;
    check_burst(limits, &new, changes)?;
    Ok(effective(limits, new))
}

/// Checks that an amount goes with a kind and a kind with an amount.
fn check_jitter(limits: &Limits, new: &Settings) -> Result<(), Refusal> {
    let range = match new.jitter {
        JitterKind::None => Range { lowest: 0, highest: 0 },
        _ => Range { lowest: limits.jitter_amount.lowest.max(1), ..limits.jitter_amount },
    };
    range.check(Setting::JitterAmount, new.jitter_amount.0)
}

/// Checks that a burst fits into its period.
fn check_burst(limits: &Limits, new: &Settings, changes: &Changes) -> Result<(), Refusal> {
    let triggers = u64::from(new.burst);
    if triggers <= 1 {
        return Ok(());
    }
    if changes.burst.is_some() || changes.interval.is_some() {
        let range = Range { highest: new.period.0 / triggers, ..limits.interval };
        return range.check(Setting::Interval, new.interval.0);
    }
    let lowest = limits.period.lowest.max(triggers.saturating_mul(new.interval.0));
    Range { lowest, ..limits.period }.check(Setting::Period, new.period.0)
}

/// Returns what becomes of these settings: the divider's period, and the high time.
fn effective(limits: &Limits, mut settings: Settings) -> Settings {
    settings.period = Cycles(round_period(limits, settings.period.0));
    with_high(limits, settings)
}

/// Returns the nearest multiple of the divider's step that is within the limits.
fn round_period(limits: &Limits, period: u64) -> u64 {
    let step = limits.period_step.max(1);
    let (lowest, highest) = (limits.period.lowest.div_ceil(step), limits.period.highest / step);
    let steps = period / step + u64::from(period % step >= step.div_ceil(2));
    // A range narrower than one step has no multiple in it; the lower end then.
    steps.clamp(lowest.min(highest), highest.max(lowest)) * step
}

/// Returns the high time that duty and period give, with room for both pulses.
fn with_high(limits: &Limits, mut settings: Settings) -> Settings {
    let apart = if settings.burst > 1 { settings.interval.0 } else { settings.period.0 };
    let high = (u128::from(apart) * u128::from(settings.duty) + 500) / 1000;
    let longest = apart.saturating_sub(limits.pulse).max(limits.pulse);
    settings.high = Cycles((high as u64).clamp(limits.pulse, longest));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::tests::LIMITS as ALL_LINES;
    use irqscope_wire::{Polarity, Shape};

    const LINES: u8 = 4;
    const LIMITS: Limits =
        Limits { lines: Range { lowest: 1, highest: LINES as u64 }, ..ALL_LINES };

    fn initially() -> Settings {
        initial(&LIMITS, Tick { femtoseconds: 1_000_000 })
    }

    fn none() -> Changes {
        Changes::default()
    }

    fn set(changes: Changes) -> Result<Settings, Refusal> {
        change(&LIMITS, initially(), &changes, false)
    }

    #[test]
    fn a_period_is_rounded_to_the_divider() {
        let limits = Limits { period_step: 8, ..LIMITS };
        let period = |ticks| {
            let changes = none().period(Cycles(ticks));
            change(&limits, initially(), &changes, false).unwrap().period.0
        };
        assert_eq!(period(12_003), 12_000);
        assert_eq!(period(12_004), 12_008);
        assert_eq!(period(LIMITS.period.lowest), 10_000);
        assert_eq!(period(LIMITS.period.highest), 62_500_000);
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_the_limits() {
        let refused = |changes, setting, asked, range: Range| {
            let Range { lowest, highest } = range;
            assert_eq!(set(changes), Err(Refusal::OutOfRange { setting, asked, lowest, highest }));
        };
        refused(none().period(Cycles(0)), Setting::Period, 0, LIMITS.period);
        refused(none().duty(0), Setting::Duty, 0, LIMITS.duty);
        refused(none().duty(1000), Setting::Duty, 1000, LIMITS.duty);
        refused(none().count(u64::MAX), Setting::Count, u64::MAX, LIMITS.count);
        refused(none().count(0), Setting::Count, 0, LIMITS.count);
        refused(none().packet(0), Setting::Packet, 0, LIMITS.packet);
        let jitter = |kind, amount| none().jitter(kind).jitter_amount(Cycles(amount));
        let zero = Range { lowest: 0, highest: 0 };
        refused(jitter(JitterKind::None, 1), Setting::JitterAmount, 1, zero);
        let some = Range { lowest: 1, ..LIMITS.jitter_amount };
        refused(jitter(JitterKind::Uniform, 0), Setting::JitterAmount, 0, some);
        refused(none().jitter(JitterKind::Uniform), Setting::JitterAmount, 0, some);
    }

    #[test]
    fn no_jitter_needs_no_amount() {
        let jitter = none().jitter(JitterKind::Uniform).jitter_amount(Cycles(9));
        let jittery = set(jitter).unwrap();
        assert_eq!((jittery.jitter, jittery.jitter_amount.0), (JitterKind::Uniform, 9));
        let changes = none().jitter(JitterKind::None);
        let steady = change(&LIMITS, jittery, &changes, false).unwrap();
        assert_eq!((steady.jitter, steady.jitter_amount.0), (JitterKind::None, 0));
    }

    #[test]
    fn one_refused_value_refuses_all_of_its_change() {
        assert!(set(none().seed(7).duty(0)).is_err());
        let together = none().period(Cycles(62_500_000)).burst(16).interval(Cycles(3_000_000));
        assert_eq!(set(together).unwrap().burst, 16, "the interval fits into the new period");
    }

    #[test]
    fn a_duty_leaves_room_for_both_pulses() {
        let high = |duty| set(none().duty(duty)).unwrap().high.0;
        assert_eq!((high(250), high(500)), (250_000, 500_000));
        let short = none().period(Cycles(10_000));
        let high = |duty| set(short.duty(duty)).unwrap().high.0;
        assert_eq!((high(1), high(999)), (LIMITS.pulse, 10_000 - LIMITS.pulse));
    }

    #[test]
    fn a_burst_fits_into_its_period_whichever_is_set_first() {
        let settings = set(none().burst(16).interval(Cycles(20_000))).unwrap();
        assert_eq!((settings.burst, settings.high.0), (16, 5_000));
        let refused = change(&LIMITS, settings, &none().period(Cycles(319_999)), false);
        let (setting, highest) = (Setting::Period, LIMITS.period.highest);
        let range = |asked, lowest| Refusal::OutOfRange { setting, asked, lowest, highest };
        assert_eq!(refused, Err(range(319_999, 320_000)));
        let (setting, asked) = (Setting::Interval, 62_501);
        let lowest = LIMITS.period.lowest;
        let too_long = Refusal::OutOfRange { setting, asked, lowest, highest: 62_500 };
        assert_eq!(set(none().burst(16).interval(Cycles(62_501))), Err(too_long));
        assert!(set(none().burst(0).interval(Cycles(20_000))).is_err());
    }

    #[test]
    fn a_named_value_needs_a_generator_that_has_it() {
        assert_eq!(set(none().shape(Shape::Pulse)).unwrap().shape, Shape::Pulse);
        assert_eq!(set(none().polarity(Polarity::Falling)).unwrap().polarity, Polarity::Falling);
        let Limits { shape, polarity, .. } = Limits::USUAL;
        let plain = Limits { shape, polarity, ..LIMITS };
        let refused = |changes, setting| {
            let refusal = Refusal::OutOfRange { setting, asked: 1, lowest: 0, highest: 0 };
            assert_eq!(change(&plain, initially(), &changes, false), Err(refusal));
        };
        refused(none().shape(Shape::Pulse), Setting::Shape);
        refused(none().polarity(Polarity::Falling), Setting::Polarity);
        assert!(change(&plain, initially(), &none().polarity(Polarity::Rising), false).is_ok());
    }

    #[test]
    fn no_more_lines_are_used_than_there_are_and_at_least_one() {
        assert_eq!((initially().lines, set(none().lines(1)).unwrap().lines), (LINES, 1));
        let (setting, lowest, highest) = (Setting::Lines, 1, LINES.into());
        for asked in [0, 5] {
            let refused = Refusal::OutOfRange { setting, asked: asked.into(), lowest, highest };
            assert_eq!(set(none().lines(asked)), Err(refused));
        }
    }

    #[test]
    fn what_decides_a_run_cannot_change_within_it() {
        let active = |changes| change(&LIMITS, initially(), &changes, true);
        assert_eq!(active(none().seed(3)), Err(Refusal::RunActive { setting: Setting::Seed }));
        assert_eq!(active(none().period(Cycles(20_000))).unwrap().period, Cycles(20_000));
    }
}
