// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings: checked against the generator's limits, and rounded to what its
//! divider can do. A refused change leaves everything as it was.

use irqscope_wire::{
    Command, Cycles, JitterKind, Limits, Pacing, Polarity, Range, Refusal, Setting, Settings,
    Shape, Tick,
};

const DUTY: Range = Range { lowest: 1, highest: 999 };
const FEMTOSECONDS_PER_MS: u64 = 1_000_000_000_000;

/// What is set before anybody asked: 1 kHz, 25 % duty, 16 samples a packet.
pub fn initial(limits: &Limits, tick: Tick, lines: u8) -> Settings {
    let ms = FEMTOSECONDS_PER_MS / tick.femtoseconds.max(1);
    let within = |range: Range, value: u64| value.clamp(range.lowest, range.highest);
    let settings = Settings {
        period: Cycles(round_period(limits, within(limits.period, ms))),
        duty_per_mille: 250,
        high: Cycles(0),
        packet: within(limits.packet, 16).min(u64::from(u16::MAX)) as u16,
        count: within(limits.count, 1000),
        jitter: JitterKind::None,
        jitter_amount: Cycles(0),
        seed: 0,
        pacing: Pacing::Open,
        patience: Cycles(within(limits.patience, ms.saturating_mul(10_000))),
        burst: 1,
        interval: Cycles(limits.period.lowest),
        shape: Shape::Toggle,
        polarity: Polarity::Rising,
        lines,
    };
    with_high(limits, settings)
}

/// The settings after `command`, of a generator with so many lines; commands that set
/// nothing change nothing.
///
/// # Errors
/// The value is out of its limits, or the command needs another setting or an ability that this
/// generator does not have.
pub fn change(
    limits: &Limits,
    lines: u8,
    settings: Settings,
    command: Command,
    active: bool,
) -> Result<Settings, Refusal> {
    match setting_of(command) {
        Some(setting) if active && decides_a_run(setting) => {
            return Err(Refusal::RunActive { setting });
        }
        _ => {}
    }
    let mut new = settings;
    match command {
        Command::Period(period) => {
            let bursts = u64::from(settings.burst).saturating_mul(settings.interval.0);
            let shortest = if settings.burst > 1 { bursts } else { 0 };
            let lowest = limits.period.lowest.max(shortest);
            check(Setting::Period, period.0, Range { lowest, ..limits.period })?;
            new.period = Cycles(round_period(limits, period.0));
        }
        Command::Duty(duty) => {
            check(Setting::Duty, duty.into(), DUTY)?;
            new.duty_per_mille = duty;
        }
        Command::Packet(packet) => {
            check(Setting::Packet, packet.into(), limits.packet)?;
            new.packet = packet;
        }
        Command::Count(count) => {
            check(Setting::Count, count, limits.count)?;
            new.count = count;
        }
        Command::Jitter { kind, amount } => {
            check(Setting::Jitter, amount.0, jitter_range(limits, kind))?;
            (new.jitter, new.jitter_amount) = (kind, amount);
        }
        Command::Patience(patience) => {
            check(Setting::Patience, patience.0, limits.patience)?;
            new.patience = patience;
        }
        Command::Burst { triggers, interval } => {
            check(Setting::Burst, triggers.into(), limits.burst)?;
            check(Setting::Interval, interval.0, interval_range(limits, &settings, triggers))?;
            (new.burst, new.interval) = (triggers, interval);
        }
        Command::Shape(shape) => {
            if shape == Shape::Pulse && !limits.sees_pulses {
                return Err(Refusal::CannotSeePulses);
            }
            new.shape = shape;
        }
        Command::Polarity(polarity) => {
            if polarity == Polarity::Falling && !limits.inverts {
                return Err(Refusal::CannotInvert);
            }
            new.polarity = polarity;
        }
        Command::Lines(used) => {
            check(Setting::Lines, used.into(), Range { lowest: 1, highest: lines.into() })?;
            new.lines = used;
        }
        Command::Seed(seed) => new.seed = seed,
        Command::Pacing(pacing) => new.pacing = pacing,
        Command::Start(_) | Command::Stop | Command::Status | Command::Calibrate => {}
    }
    Ok(with_high(limits, new))
}

fn setting_of(command: Command) -> Option<Setting> {
    Some(match command {
        Command::Period(_) => Setting::Period,
        Command::Duty(_) => Setting::Duty,
        Command::Packet(_) => Setting::Packet,
        Command::Count(_) => Setting::Count,
        Command::Jitter { .. } => Setting::Jitter,
        Command::Seed(_) => Setting::Seed,
        Command::Pacing(_) => Setting::Pacing,
        Command::Patience(_) => Setting::Patience,
        Command::Burst { .. } => Setting::Burst,
        Command::Shape(_) => Setting::Shape,
        Command::Polarity(_) => Setting::Polarity,
        Command::Lines(_) => Setting::Lines,
        Command::Start(_) | Command::Stop | Command::Status | Command::Calibrate => return None,
    })
}

fn decides_a_run(setting: Setting) -> bool {
    !matches!(setting, Setting::Period | Setting::Duty | Setting::Packet)
}

fn check(setting: Setting, asked: u64, range: Range) -> Result<(), Refusal> {
    if range.contains(asked) {
        return Ok(());
    }
    Err(Refusal::OutOfRange { setting, asked, lowest: range.lowest, highest: range.highest })
}

/// An amount goes with a kind and a kind with an amount.
fn jitter_range(limits: &Limits, kind: JitterKind) -> Range {
    match kind {
        JitterKind::None => Range { lowest: 0, highest: 0 },
        _ => Range { lowest: limits.jitter.lowest.max(1), ..limits.jitter },
    }
}

/// A burst fits into its period.
fn interval_range(limits: &Limits, settings: &Settings, triggers: u32) -> Range {
    let highest = match triggers {
        0 | 1 => limits.period.highest,
        _ => settings.period.0 / u64::from(triggers),
    };
    Range { lowest: limits.period.lowest, highest }
}

/// The nearest multiple of the divider's step that is within the limits.
fn round_period(limits: &Limits, period: u64) -> u64 {
    let step = limits.period_step.max(1);
    let (lowest, highest) = (limits.period.lowest.div_ceil(step), limits.period.highest / step);
    let steps = period / step + u64::from(period % step >= step.div_ceil(2));
    // A range narrower than one step has no multiple in it; the lower end then.
    steps.clamp(lowest.min(highest), highest.max(lowest)) * step
}

/// The high time that duty and period give, with room for both pulses.
fn with_high(limits: &Limits, mut settings: Settings) -> Settings {
    let apart = if settings.burst > 1 { settings.interval.0 } else { settings.period.0 };
    let high = (u128::from(apart) * u128::from(settings.duty_per_mille) + 500) / 1000;
    let longest = apart.saturating_sub(limits.pulse).max(limits.pulse);
    settings.high = Cycles((high as u64).clamp(limits.pulse, longest));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::tests::LIMITS;

    const LINES: u8 = 4;

    fn initially() -> Settings {
        initial(&LIMITS, Tick { femtoseconds: 1_000_000 }, LINES)
    }

    fn set(command: Command) -> Result<Settings, Refusal> {
        change(&LIMITS, LINES, initially(), command, false)
    }

    #[test]
    fn a_period_is_rounded_to_the_divider_and_told() {
        let limits = Limits { period_step: 8, ..LIMITS };
        let period = |ticks| {
            change(&limits, LINES, initially(), Command::Period(Cycles(ticks)), false)
                .unwrap()
                .period
                .0
        };
        assert_eq!(period(12_003), 12_000);
        assert_eq!(period(12_004), 12_008);
        assert_eq!(period(LIMITS.period.lowest), 10_000);
        assert_eq!(period(LIMITS.period.highest), 62_500_000);
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_the_limits() {
        let refused = |command, setting, asked, range: Range| {
            let Range { lowest, highest } = range;
            assert_eq!(set(command), Err(Refusal::OutOfRange { setting, asked, lowest, highest }));
        };
        refused(Command::Period(Cycles(0)), Setting::Period, 0, LIMITS.period);
        refused(Command::Duty(0), Setting::Duty, 0, DUTY);
        refused(Command::Duty(1000), Setting::Duty, 1000, DUTY);
        refused(Command::Count(u64::MAX), Setting::Count, u64::MAX, LIMITS.count);
        refused(Command::Count(0), Setting::Count, 0, LIMITS.count);
        refused(Command::Packet(0), Setting::Packet, 0, LIMITS.packet);
        let none = Range { lowest: 0, highest: 0 };
        let jitter = |kind, amount| Command::Jitter { kind, amount: Cycles(amount) };
        refused(jitter(JitterKind::None, 1), Setting::Jitter, 1, none);
        let some = Range { lowest: 1, ..LIMITS.jitter };
        refused(jitter(JitterKind::Uniform, 0), Setting::Jitter, 0, some);
    }

    #[test]
    fn a_duty_leaves_room_for_both_pulses() {
        let high = |duty| set(Command::Duty(duty)).unwrap().high.0;
        assert_eq!((high(250), high(500)), (250_000, 500_000));
        let short =
            change(&LIMITS, LINES, initially(), Command::Period(Cycles(10_000)), false).unwrap();
        let high = |duty| change(&LIMITS, LINES, short, Command::Duty(duty), false).unwrap().high.0;
        assert_eq!((high(1), high(999)), (LIMITS.pulse, 10_000 - LIMITS.pulse));
    }

    #[test]
    fn a_burst_fits_into_its_period_whichever_is_set_first() {
        let burst = Command::Burst { triggers: 16, interval: Cycles(20_000) };
        let settings = set(burst).unwrap();
        assert_eq!((settings.burst, settings.high.0), (16, 5_000));
        let refused = change(&LIMITS, LINES, settings, Command::Period(Cycles(319_999)), false);
        let (setting, highest) = (Setting::Period, LIMITS.period.highest);
        let range = |asked, lowest| Refusal::OutOfRange { setting, asked, lowest, highest };
        assert_eq!(refused, Err(range(319_999, 320_000)));
        let long = Command::Burst { triggers: 16, interval: Cycles(62_501) };
        let (setting, asked) = (Setting::Interval, 62_501);
        let lowest = LIMITS.period.lowest;
        let too_long = Refusal::OutOfRange { setting, asked, lowest, highest: 62_500 };
        assert_eq!(set(long), Err(too_long));
        assert!(set(Command::Burst { triggers: 0, interval: Cycles(20_000) }).is_err());
    }

    #[test]
    fn pulses_need_eyes_for_them() {
        let pulse = Command::Shape(Shape::Pulse);
        assert_eq!(set(pulse).unwrap().shape, Shape::Pulse);
        let blind = Limits { sees_pulses: false, ..LIMITS };
        let refused = change(&blind, LINES, initially(), pulse, false);
        assert_eq!(refused, Err(Refusal::CannotSeePulses));
    }

    #[test]
    fn a_falling_trigger_needs_a_line_that_rests_high() {
        let falling = Command::Polarity(Polarity::Falling);
        assert_eq!(set(falling).unwrap().polarity, Polarity::Falling);
        let upright = Limits { inverts: false, ..LIMITS };
        let change = |command| change(&upright, LINES, initially(), command, false);
        assert_eq!(change(falling), Err(Refusal::CannotInvert));
        assert!(change(Command::Polarity(Polarity::Rising)).is_ok());
    }

    #[test]
    fn no_more_lines_are_used_than_there_are_and_at_least_one() {
        assert_eq!((initially().lines, set(Command::Lines(1)).unwrap().lines), (LINES, 1));
        let (setting, lowest, highest) = (Setting::Lines, 1, LINES.into());
        for asked in [0, 5] {
            let refused = Refusal::OutOfRange { setting, asked: asked.into(), lowest, highest };
            assert_eq!(set(Command::Lines(asked)), Err(refused));
        }
    }

    #[test]
    fn what_decides_a_run_cannot_change_within_it() {
        let active = |command| change(&LIMITS, LINES, initially(), command, true);
        assert_eq!(active(Command::Seed(3)), Err(Refusal::RunActive { setting: Setting::Seed }));
        assert_eq!(active(Command::Period(Cycles(20_000))).unwrap().period, Cycles(20_000));
    }
}
