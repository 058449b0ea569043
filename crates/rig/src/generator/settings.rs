// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The comparison of a generator's settings in force with those that a plan asks of it.

use irqscope_wire::{Changes, Difference, GeneratorHello, Nanoseconds, Settings, Unit};

use crate::error::{Result, RigError};

/// Compares what is in force with what was asked for; a run is about to begin.
///
/// # Errors
/// A setting has another value, beyond the rounding that the limits announce.
pub(crate) fn check(
    asked: &Changes<Nanoseconds>,
    hello: &GeneratorHello,
    settings: &Settings,
) -> Result<()> {
    let asked = asked.in_ticks(hello.tick);
    let differences = asked.differences(settings, &hello.limits);
    let differences: Vec<String> = differences.map(|it| describe(it, hello)).collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(RigError::Invalid {
        what: format!(
            "the {} generator does not do as it was asked: {}",
            hello.kind,
            differences.join("; ")
        ),
        remedy: "ask for what it can do (irqscope generator status shows it), or update it: it \
                 is another version than this program"
            .into(),
    })
}

fn describe(difference: Difference, hello: &GeneratorHello) -> String {
    let Difference { setting, asked, effective } = difference;
    let text = |raw| {
        let unit = if setting.unit() == Unit::Ticks { "ns" } else { setting.unit().name() };
        format!("{} {unit}", setting.text_of(setting.from_ticks(raw, hello.tick)))
    };
    format!("{setting}: asked {}, in force {}", text(asked).trim_end(), text(effective).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{
        Burst, GeneratorKind, Jitter, JitterKind, Limits, Outside, PROTOCOL, Polarity, Range,
        Setting, StagePlan, Tick,
    };

    const KINDS: [(GeneratorKind, u64, u64); 4] = [
        (GeneratorKind::Twin, 1_000_000, 1),
        (GeneratorKind::Vm, 1_000_000, 1),
        (GeneratorKind::Cpu, 333_333, 1),
        (GeneratorKind::Board, 6_666_667, 8),
    ];

    fn hello((kind, femtoseconds, period_step): (GeneratorKind, u64, u64)) -> GeneratorHello {
        let any = Range { lowest: 0, highest: u64::MAX };
        let limits = Limits { period_step, shape: any, polarity: any, ..Limits::USUAL };
        let tick = Tick { femtoseconds };
        GeneratorHello {
            protocol: PROTOCOL,
            kind,
            tool_version: "0".into(),
            tick,
            lines: 8,
            limits,
            challenge: None,
        }
    }

    fn plan() -> StagePlan {
        let jitter = Jitter { kind: JitterKind::Uniform, ns: 500 };
        let burst = Some(Burst { triggers: 3, interval_ns: 20_000 });
        let mut outside = Outside::default();
        outside.settings.polarity = Some(Polarity::Falling);
        let outside = Some(outside);
        StagePlan { jitter, burst, outside, timeout_ms: 10, seed: 7, ..StagePlan::default() }
    }

    fn asked() -> Changes<Nanoseconds> {
        plan().settings(8)
    }

    fn in_force(hello: &GeneratorHello) -> Settings {
        let mut settings = Settings::initial(&hello.limits, hello.tick);
        settings.apply(&asked().in_ticks(hello.tick));
        settings
    }

    #[test]
    fn a_plan_asks_for_every_setting_in_the_generators_own_ticks() {
        let asked = asked();
        assert_eq!(asked.iter().count(), Setting::ALL.len());
        let ticks = asked.in_ticks(Tick { femtoseconds: 6_666_667 });
        assert_eq!(ticks.get(Setting::Period), Some(150_000));
        assert_eq!(ticks.get(Setting::JitterAmount), Some(75));
        assert_eq!(ticks.get(Setting::Timeout), Some(1_500_000));
        assert_eq!(ticks.get(Setting::Lines), Some(8));
    }

    #[test]
    fn every_generator_that_does_as_asked_passes_and_each_other_value_is_named() {
        for kind in KINDS {
            let hello = hello(kind);
            let settings = in_force(&hello);
            assert!(check(&asked(), &hello, &settings).is_ok(), "{kind:?}");
            for setting in Setting::ALL {
                let mut other = Changes::default();
                let raw = settings.get(*setting);
                let step = if raw == 0 { 1 } else { raw.min(100) };
                assert!(other.put(*setting, if raw == 1 { 0 } else { raw.abs_diff(step) }));
                let mut changed = settings;
                changed.apply(&other);
                let error = check(&asked(), &hello, &changed).unwrap_err().to_string();
                assert!(error.contains(&format!("{setting}: asked ")), "{kind:?}: {error}");
                assert!(error.contains("remedy"), "{error}");
            }
        }
    }

    #[test]
    fn the_dividers_rounding_of_the_period_is_no_difference() {
        let hello = hello(KINDS[3]);
        let mut settings = in_force(&hello);
        settings.period.0 += 7;
        assert!(check(&asked(), &hello, &settings).is_ok());
        settings.period.0 += 1;
        let error = check(&asked(), &hello, &settings).unwrap_err().to_string();
        assert!(error.contains("period: asked 1000000 ns, in force 1000053 ns"), "{error}");
    }

    #[test]
    fn a_named_setting_is_named_by_its_values() {
        let hello = hello(KINDS[0]);
        let settings = Settings { polarity: Polarity::Rising, ..in_force(&hello) };
        let error = check(&asked(), &hello, &settings).unwrap_err().to_string();
        assert!(error.contains("polarity: asked falling, in force rising"), "{error}");
    }
}
