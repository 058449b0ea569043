// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers as they stand in files, or why a text is not a number.

/// Parses a count: a whole number from 0 to 2^64 - 1.
pub fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| match text.as_bytes() {
        [b'-', rest @ ..] if is_digits(rest) => format!("`{text}` is below zero"),
        digits if is_digits(digits) => format!("`{text}` is more than 64 bits hold"),
        _ => format!("`{text}` is no number"),
    })
}

/// Returns a count of units in nanoseconds, 292 years at most.
pub fn scaled(count: u64, unit: i64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX).saturating_mul(unit)
}

/// Parses a value, which may be below zero, in nanoseconds.
pub fn nanoseconds(text: &str, unit: i64) -> Result<i64, String> {
    let value: i64 = text.parse().map_err(|_| {
        let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
        let large = is_digits(digits);
        if large {
            format!("`{text}` is more than 64 bits hold")
        } else {
            format!("`{text}` is no number")
        }
    })?;
    value.checked_mul(unit).ok_or_else(|| format!("`{text}` is more than 292 years"))
}

/// Parses where a bin begins, in nanoseconds, which is never below zero.
pub fn bin(text: &str, unit: i64) -> Result<i64, String> {
    let bin = nanoseconds(text, unit)?;
    if bin < 0 { Err(format!("the bin `{text}` is below zero")) } else { Ok(bin) }
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_says_why() {
        assert_eq!(count("000042"), Ok(42));
        assert!(count("-1").unwrap_err().contains("below zero"));
        assert!(count("18446744073709551616").unwrap_err().contains("64 bits"));
        assert!(count("").unwrap_err().contains("no number"));
        assert_eq!(nanoseconds("-3", 1_000), Ok(-3_000));
        assert!(nanoseconds("9223372036854775807", 1_000).unwrap_err().contains("292 years"));
        assert!(bin("-1", 1).unwrap_err().contains("below zero"));
    }
}
