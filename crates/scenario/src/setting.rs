// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's setting as people write it: `250us`, `25%`, `16`, `uniform`.

use irqscope_quantity::{QuantityError, Share, Span};
use irqscope_wire::{Setting, Unit};

/// Returns the raw value of a setting, times in nanoseconds; it may be larger than the setting
/// can be.
///
/// # Errors
/// The text is none of its values; the message says how one is written.
pub fn parse_setting(setting: Setting, text: &str) -> Result<u128, String> {
    let names = setting.descriptor().names;
    match setting.unit() {
        Unit::Ticks => text.parse::<Span>().map(|Span(ns)| ns.into()).map_err(say),
        Unit::PerMille => text.parse::<Share>().map(|Share(share)| share.into()).map_err(say),
        _ if names.is_empty() => text.parse().map_err(|_| "not a whole number".to_owned()),
        _ => setting
            .raw_of(text)
            .map(u128::from)
            .ok_or_else(|| format!("unknown {setting} `{text}`: {}", names.join(", "))),
    }
}

fn say(error: QuantityError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_in_its_settings_unit() {
        assert_eq!(parse_setting(Setting::Period, "250us"), Ok(250_000));
        assert_eq!(parse_setting(Setting::Duty, "12.5%"), Ok(125));
        assert_eq!(parse_setting(Setting::Count, "18446744073709551616"), Ok(1 << 64));
        assert_eq!(parse_setting(Setting::Polarity, "falling"), Ok(1));
    }

    #[test]
    fn what_is_no_value_says_how_one_is_written() {
        let wrong = |setting, text| parse_setting(setting, text).unwrap_err();
        for text in ["25", "-1%", "%", "nan%", "1e30%"] {
            assert!(wrong(Setting::Duty, text).contains("25%"), "{text}");
        }
        assert!(wrong(Setting::Timeout, "1").contains("250us"));
        assert_eq!(wrong(Setting::Polarity, "low"), "unknown polarity `low`: rising, falling");
        assert_eq!(wrong(Setting::Seed, "-1"), "not a whole number");
    }
}
