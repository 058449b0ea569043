// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The nearest right name to a wrong one.

use irqscope_quantity::excerpt;

/// Returns the candidate most like `name` (Jaro-Winkler above 0.7), if any is.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Formats `unknown stage `softirqs`, did you mean `softirq`? There are: irq, softirq …`
pub fn suggestion(what: &str, name: &str, allowed: &[&str]) -> String {
    let hint = nearest(name, allowed.iter().copied())
        .map_or("; there".into(), |near| format!(", did you mean `{near}`? There"));
    format!("unknown {what} `{}`{hint} are: {}", excerpt(name), allowed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour_and_nonsense_finds_none() {
        assert_eq!(nearest("softirqs", ["irq", "softirq", "work"]), Some("softirq"));
        assert_eq!(nearest("xyzzy", ["irq", "softirq", "work"]), None);
        let said = |name| suggestion("stage", name, &["irq", "softirq"]);
        assert_eq!(
            said("irqq"),
            "unknown stage `irqq`, did you mean `irq`? There are: irq, softirq"
        );
        assert_eq!(said("xyzzy"), "unknown stage `xyzzy`; there are: irq, softirq");
    }
}
