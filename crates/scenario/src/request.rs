// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From benchmarks that were asked for on a command line to the text of a
//! scenario: such a run, too, is reproducible from its scenario alone.

use std::fmt::Write;

use irqscope_wire::{BenchmarkKind, Load, LockProtocol, Middle};

use crate::error::ScenarioError;
use crate::kind::RigKind;
use crate::nearest::suggestion;

/// A setting of benchmarks, by the option that asks for it.
#[allow(missing_docs, reason = "each is the option of the same name; its help describes it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchKey {
    Count,
    Period,
    Duration,
    /// A number (SCHED_FIFO) or a policy with its priority; may be repeated
    /// where a benchmark takes several.
    Priority,
    /// Which one of a benchmark's variants; may be repeated.
    Variant,
    Threads,
    Cpus,
    FromCpu,
    Runtime,
    Threshold,
    Work,
    Frequency,
    Hold,
    Middle,
    Limit,
    Target,
    Above,
    Until,
}

impl BenchKey {
    const fn name(self) -> &'static str {
        match self {
            BenchKey::Count => "count",
            BenchKey::Period => "period",
            BenchKey::Duration => "duration",
            BenchKey::Priority => "priority",
            BenchKey::Variant => "variant",
            BenchKey::Threads => "threads",
            BenchKey::Cpus => "cpus",
            BenchKey::FromCpu => "from-cpu",
            BenchKey::Runtime => "runtime",
            BenchKey::Threshold => "threshold",
            BenchKey::Work => "work",
            BenchKey::Frequency => "frequency",
            BenchKey::Hold => "hold",
            BenchKey::Middle => "middle",
            BenchKey::Limit => "limit",
            BenchKey::Target => "target",
            BenchKey::Above => "above",
            BenchKey::Until => "until",
        }
    }

    /// Returns the benchmarks of which it is a setting.
    fn takers(self) -> Vec<BenchmarkKind> {
        use BenchmarkKind::*;
        match self {
            BenchKey::Count => {
                vec![Gtod, Sched, Async, Sleep, Inversion, Realfeel, Jitter, Watch]
            }
            BenchKey::Period => vec![Sched, Async, Sleep, Jitter],
            BenchKey::Duration => vec![Spin, Watch, Isolate],
            BenchKey::Threshold => vec![Spin, Isolate],
            // A watch leaves all threads as they are.
            BenchKey::Priority => {
                BenchmarkKind::ALL.iter().copied().filter(|kind| *kind != Watch).collect()
            }
            BenchKey::Variant => vec![Gtod, Sched, Async, Inversion],
            BenchKey::Threads | BenchKey::Runtime => vec![Sched],
            BenchKey::Cpus => vec![Sched, Spin, Isolate],
            BenchKey::FromCpu => vec![Async],
            BenchKey::Work => vec![Jitter],
            BenchKey::Frequency => vec![Realfeel],
            BenchKey::Hold | BenchKey::Middle | BenchKey::Limit => vec![Inversion],
            BenchKey::Target | BenchKey::Above | BenchKey::Until => vec![Watch],
        }
    }
}

/// The request. Values are as they stand on the command line.
#[derive(Clone, Debug)]
pub struct BenchRequest<'a> {
    /// The benchmarks.
    pub names: &'a [BenchmarkKind],
    /// The rig.
    pub rig: RigKind,
    /// The kernels that guests boot.
    pub kernels: &'a [String],
    /// The loads beside them.
    pub loads: &'a [Load],
    /// The CPU under test.
    pub cpu: u32,
    /// Leaves idle states as they are.
    pub idle_states: bool,
    /// The settings, with their values.
    pub settings: &'a [(BenchKey, Vec<String>)],
}

impl BenchRequest<'_> {
    /// Returns a scenario's text. The scenario's own reader checks that its values make sense.
    ///
    /// # Errors
    /// A setting belongs to no benchmark that was asked for.
    pub fn text(&self) -> Result<String, ScenarioError> {
        self.check()?;
        let names: Vec<&str> = self.names.iter().map(|name| name.name()).collect();
        let mut text = String::from("version = 1\n");
        let _ = writeln!(text, "about = \"irqscope bench {}\"", names.join(" "));
        let _ = writeln!(text, "rig = \"{}\"", self.rig.name());
        let _ = writeln!(text, "kernels = {}", list(self.kernels));
        let state = if self.loads.is_empty() { "idle" } else { "load" };
        let _ = writeln!(text, "states = [\"{state}\"]");
        if self.idle_states {
            text.push_str("idle-states = true\n");
        }
        if !self.loads.is_empty() {
            let loads: Vec<&str> = self.loads.iter().map(|load| load.name()).collect();
            let _ = writeln!(text, "\n[state.load]\nloads = {}", list(&loads));
        }
        let _ = writeln!(text, "\n[bench]\ncpu = {}", self.cpu);
        for name in self.names {
            let _ = writeln!(text, "\n[bench.{name}]");
            for (key, values) in self.settings {
                if key.takers().contains(name) {
                    text.push_str(&line(*name, *key, values)?);
                }
            }
        }
        Ok(text)
    }

    /// Checks that every setting is one of a benchmark that was asked for.
    fn check(&self) -> Result<(), ScenarioError> {
        for (key, _) in self.settings {
            let takers = key.takers();
            if !self.names.iter().any(|name| takers.contains(name)) {
                let of: Vec<&str> = takers.iter().map(|kind| kind.name()).collect();
                return Err(ScenarioError::Unknown(format!(
                    "--{} is a setting of {}",
                    key.name(),
                    of.join(", ")
                )));
            }
        }
        Ok(())
    }
}

fn line(kind: BenchmarkKind, key: BenchKey, values: &[String]) -> Result<String, ScenarioError> {
    use BenchmarkKind::*;
    let first = values.first().map_or("", String::as_str);
    Ok(match (kind, key) {
        (Gtod, BenchKey::Variant) => format!("clocks = {}\n", list(values)),
        (Async, BenchKey::Variant) => format!("wakes = {}\n", list(values)),
        (Inversion, BenchKey::Variant) => inversion_variants(values)?,
        (Inversion, BenchKey::Priority) => format!("priority = {first}\n"),
        // Both name policies; a variant comes with its priority.
        (Sched, BenchKey::Priority | BenchKey::Variant) => {
            let policies: Vec<String> = values.iter().map(|value| policy(value)).collect();
            format!("policies = {}\n", list(&policies))
        }
        (_, BenchKey::Priority) => format!("priority = {}\n", quoted(&policy(first))),
        (_, BenchKey::Count | BenchKey::Threads | BenchKey::FromCpu) => {
            format!("{} = {first}\n", key.name())
        }
        (_, BenchKey::Cpus) => format!("cpus = [{}]\n", values.join(", ")),
        (_, BenchKey::Frequency) => format!("frequency = {}\n", quoted(first)),
        _ => format!("{} = {}\n", key.name(), quoted(first)),
    })
}

/// Reads a policy: a bare number is a SCHED_FIFO priority, as cyclictest has it.
fn policy(value: &str) -> String {
    match value.parse::<u8>() {
        Ok(priority) => format!("fifo {priority}"),
        Err(_) => value.to_owned(),
    }
}

fn inversion_variants(values: &[String]) -> Result<String, ScenarioError> {
    let of = |names: &[&str]| -> Vec<&String> {
        values.iter().filter(|value| names.contains(&value.as_str())).collect()
    };
    let (protocols, middles) = (of(LockProtocol::NAMES), of(Middle::NAMES));
    let known = [LockProtocol::NAMES, Middle::NAMES].concat();
    if let Some(unknown) = values.iter().find(|value| !known.contains(&value.as_str())) {
        return Err(ScenarioError::Unknown(suggestion("variant of inversion", unknown, &known)));
    }
    let mut text = String::new();
    for (key, chosen) in [("protocols", protocols), ("middles", middles)] {
        if !chosen.is_empty() {
            let _ = writeln!(text, "{key} = {}", list(&chosen));
        }
    }
    Ok(text)
}

fn quoted(value: &str) -> String {
    toml::Value::from(value).to_string()
}

fn list(values: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quoted(value.as_ref())).collect();
    format!("[{}]", quoted.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use irqscope_wire::{Benchmark, Class, Policy, Scheduling};

    fn request(names: &[BenchmarkKind], settings: &[(BenchKey, &str)]) -> Result<String, String> {
        let settings: Vec<(BenchKey, Vec<String>)> = settings
            .iter()
            .map(|(key, values)| (*key, values.split(';').map(String::from).collect()))
            .collect();
        let (kernels, loads) = (["6.1".to_owned()], [Load::Tcp]);
        let request = BenchRequest {
            names,
            rig: RigKind::Twin,
            kernels: &kernels,
            loads: &loads,
            cpu: 0,
            idle_states: true,
            settings: &settings,
        };
        request.text().map_err(|error| error.to_string())
    }

    fn benchmarks(names: &[BenchmarkKind], settings: &[(BenchKey, &str)]) -> Vec<Benchmark> {
        let text = request(names, settings).unwrap();
        let scenario = Scenario::parse("bench", "bench.toml", &text).unwrap();
        let plan = &scenario.cases()[0].plan;
        assert_eq!((plan.case.as_str(), plan.idle_states), ("6.1/load", true));
        plan.benchmarks().to_vec()
    }

    #[test]
    fn every_benchmark_can_be_asked_for_by_its_name_alone() {
        for kind in BenchmarkKind::ALL {
            let benchmarks = benchmarks(&[*kind], &[]);
            assert!(!benchmarks.is_empty());
            assert!(benchmarks.iter().all(|one| one.kind() == *kind));
        }
    }

    #[test]
    fn a_bare_priority_is_fifos_and_a_bare_span_is_refused() {
        let settings = [(BenchKey::Period, "250us"), (BenchKey::Priority, "98;rr 5;deadline")];
        let benchmarks = benchmarks(&[BenchmarkKind::Sched], &settings);
        let fixed = |policy, priority| Class::Fixed(Scheduling { policy, priority });
        let classes: Vec<Class> = benchmarks.iter().map(Benchmark::class).collect();
        let deadline = Class::Deadline { runtime_ns: 25_000 };
        assert_eq!(classes, [fixed(Policy::Fifo, 98), fixed(Policy::Rr, 5), deadline]);
        let text = request(&[BenchmarkKind::Sched], &[(BenchKey::Period, "250")]).unwrap();
        let refused = Scenario::parse("bench", "bench.toml", &text).unwrap_err().to_string();
        assert!(refused.contains("with its unit: 250us"), "{refused}");
    }

    #[test]
    fn a_variant_narrows_a_benchmark_down() {
        let variant = [(BenchKey::Variant, "inherit;bounded")];
        let benchmarks = benchmarks(&[BenchmarkKind::Inversion], &variant);
        let variants: Vec<String> = benchmarks.iter().map(Benchmark::variant).collect();
        assert_eq!(variants, ["inherit-bounded"]);
        let error = request(&[BenchmarkKind::Inversion], &[(BenchKey::Variant, "inherits")]);
        assert!(error.unwrap_err().contains("did you mean `inherit`?"));
    }

    #[test]
    fn a_setting_of_another_benchmark_is_refused() {
        let error = request(&[BenchmarkKind::Gtod], &[(BenchKey::Threads, "2")]).unwrap_err();
        assert!(error.contains("--threads is a setting of sched"), "{error}");
    }
}
