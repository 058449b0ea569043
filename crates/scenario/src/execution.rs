// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bursts of triggers, what stages execute, and whether they count.

use std::collections::BTreeMap;
use std::fmt;

use irqscope_wire::{
    Burst, Compensate, Execution, ExecutionTime, Mode, Pacing, Stage, StageExecution, View,
};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value};

use crate::outside;
use crate::scenario::PERIOD_NS;
use crate::text::Text;
use crate::value::{Duration, Named};

/// A longer one would make the watchdogs of the target complain.
const LONGEST_NS: u64 = 1_000_000_000;
const TRIGGERS: std::ops::RangeInclusive<u32> = 2..=1 << 20;

pub(crate) type ExecutionText = BTreeMap<Named<Stage>, TimeText>;

/// `"70us"`, `{ lowest = "4us", highest = "6us" }` or `{ mean = "10us" }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeText(pub ExecutionTime);

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeVisitor).map(TimeText)
    }
}

struct TimeVisitor;

impl<'de> Visitor<'de> for TimeVisitor {
    type Value = ExecutionTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an execution time: \"70us\", { lowest = \"4us\", highest = \"6us\" } or \
             { mean = \"10us\" }",
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ExecutionTime, E> {
        let Duration(ns) = Duration::deserialize(value::StrDeserializer::new(text))?;
        Ok(ExecutionTime::Fixed { ns })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExecutionTime, A::Error> {
        let mut times = BTreeMap::new();
        while let Some((key, Duration(ns))) = map.next_entry::<String, Duration>()? {
            times.insert(key, ns);
        }
        let times: Vec<(&str, u64)> = times.iter().map(|(key, ns)| (key.as_str(), *ns)).collect();
        match times[..] {
            [("mean", mean_ns)] => Ok(ExecutionTime::Exponential { mean_ns }),
            [("highest", highest_ns), ("lowest", lowest_ns)] => {
                Ok(ExecutionTime::Uniform { lowest_ns, highest_ns })
            }
            _ => Err(A::Error::custom("give lowest and highest, or mean")),
        }
    }
}

/// Says what does not go together.
pub(crate) fn check(text: &Text, period_ns: u64) -> Result<(), String> {
    check_burst(text, period_ns)?;
    let wrong = |what: &str| Err(what.to_owned());
    for (Named(stage), TimeText(time)) in text.execution.iter().flatten() {
        let (lowest, highest) = match *time {
            ExecutionTime::Fixed { ns } => (ns, ns),
            ExecutionTime::Uniform { lowest_ns, highest_ns } => (lowest_ns, highest_ns),
            ExecutionTime::Exponential { mean_ns } => (0, mean_ns),
        };
        if lowest > highest || highest > LONGEST_NS {
            return Err(format!("execution.{stage} is at most 1s, and lowest at most highest"));
        }
        let asked = |stages: &Vec<Named<Stage>>| stages.contains(&Named(*stage));
        if !text.stages.as_ref().is_none_or(asked) {
            return Err(format!("execution.{stage}: this stage is not among stages"));
        }
    }
    if text.compensate.0 == Compensate::None {
        return Ok(());
    }
    if text.trigger.mode.0 == Mode::Isolated {
        return wrong("compensate = \"counter\" needs trigger.mode = \"together\"");
    }
    if !outside::has_view(text, View::Inside) || text.observer_effect {
        return wrong(
            "compensate = \"counter\" needs the view from inside, so there is no observer-effect",
        );
    }
    Ok(())
}

fn check_burst(text: &Text, period_ns: u64) -> Result<(), String> {
    let trigger = &text.trigger;
    let wrong = |what: String| Err(what);
    let (triggers, interval) = match (trigger.burst, trigger.interval) {
        (None, None) => return Ok(()),
        (Some(triggers), Some(interval)) => (triggers, interval.0),
        _ => {
            return wrong(
                "trigger.burst and trigger.interval go together, as in burst = 16, \
                 interval = \"20us\""
                    .to_owned(),
            );
        }
    };
    if !TRIGGERS.contains(&triggers) {
        return wrong(format!("trigger.burst is {} to {}", TRIGGERS.start(), TRIGGERS.end()));
    }
    if interval < *PERIOD_NS.start() || interval > period_ns / u64::from(triggers) {
        return wrong(
            "trigger.interval is at least 10us, and trigger.burst times as long fits into a period"
                .to_owned(),
        );
    }
    if trigger.pacing.0 == Pacing::Closed {
        return wrong("a burst does not wait for answers: trigger.pacing = \"open\"".to_owned());
    }
    Ok(())
}

pub(crate) fn burst(text: &Text) -> Option<Burst> {
    let (triggers, interval) = (text.trigger.burst?, text.trigger.interval?);
    Some(Burst { triggers, interval_ns: interval.0 })
}

pub(crate) fn of(text: &Text) -> Option<Execution> {
    let stages = text.execution.as_ref()?.iter();
    let time =
        |(stage, time): (&Named<Stage>, &TimeText)| StageExecution { stage: stage.0, time: time.0 };
    Some(Execution { stages: stages.map(time).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    fn plan(trigger: &str, rest: &str) -> Result<irqscope_wire::StagePlan, String> {
        let text = format!(
            "version = 1\nabout = \"x\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n{rest}\n\
             [trigger]\nkind = \"line\"\nperiod = \"5ms\"\ncount = 16\n{trigger}\n"
        );
        let scenario = Scenario::parse("x", "x.toml", &text).map_err(|error| error.to_string())?;
        Ok(scenario.cases()[0].plan.stages().unwrap().clone())
    }

    #[test]
    fn stages_have_fixed_or_drawn_execution_times() {
        let times = "execution = { irq = \"5us\", softirq = { mean = \"70us\" }, \
                     work = { lowest = \"1us\", highest = \"2us\" } }";
        let execution = plan("", times).unwrap().execution.unwrap();
        assert_eq!(execution.time(Stage::Irq), ExecutionTime::Fixed { ns: 5_000 });
        assert_eq!(execution.time(Stage::Softirq), ExecutionTime::Exponential { mean_ns: 70_000 });
        let uniform = ExecutionTime::Uniform { lowest_ns: 1_000, highest_ns: 2_000 };
        assert_eq!(execution.time(Stage::Work), uniform);
        assert_eq!(execution.time(Stage::User), ExecutionTime::Fixed { ns: 0 });
    }

    #[test]
    fn a_wrong_execution_time_says_what_is_right() {
        let refused = |time: &str| plan("", &format!("execution = {{ {time} }}")).unwrap_err();
        assert!(refused("sofirq = \"5us\"").contains("did you mean `softirq`?"));
        assert!(refused("irq = 5").contains("{ mean = \"10us\" }"));
        assert!(refused("irq = { mean = \"1us\", lowest = \"1us\" }").contains("or mean"));
        assert!(
            refused("irq = { lowest = \"2us\", highest = \"1us\" }").contains("at most highest")
        );
        assert!(refused("irq = \"2s\"").contains("at most 1s"));
        let others = "stages = [\"irq\"]\nexecution = { work = \"1us\" }";
        assert!(plan("", others).unwrap_err().contains("not among stages"));
    }

    #[test]
    fn a_burst_fits_into_its_period() {
        let burst = plan("burst = 16\ninterval = \"20us\"", "").unwrap().burst;
        assert_eq!(burst, Some(Burst { triggers: 16, interval_ns: 20_000 }));
        let refused = |trigger| plan(trigger, "").unwrap_err();
        assert!(refused("burst = 16").contains("go together"));
        assert!(refused("burst = 1\ninterval = \"20us\"").contains("2 to"));
        assert!(refused("burst = 16\ninterval = \"313us\"").contains("fits into a period"));
        let closed = "burst = 2\ninterval = \"20us\"\npacing = \"closed\"";
        assert!(refused(closed).contains("open"));
    }

    #[test]
    fn counting_needs_the_record_of_every_stage() {
        let counter = "compensate = \"counter\"";
        assert_eq!(plan("", counter).unwrap().compensate(), Compensate::Counter);
        let blind = format!("{counter}\nviews = [\"outside\"]");
        assert!(plan("", &blind).unwrap_err().contains("inside"));
        assert!(plan("", "compensate = \"count\"").unwrap_err().contains("`counter`"));
    }
}
