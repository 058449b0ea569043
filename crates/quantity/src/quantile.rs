// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A quantile: a number between 0 and 1, with one name.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::QuantityError;

const ONE: u32 = 1_000_000_000;

/// With fewer values beyond it, a quantile says more of chance than of what was measured.
const BEYOND: u64 = 10;

/// A share of all values between 0, the minimum, and 1, the maximum: `p50`, `p99.99`,
/// `max`. It is a whole number of billionths, because 0.999 * n is not exact in floating
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile(u32);

impl Quantile {
    /// The smallest value.
    pub const MIN: Self = Self(0);
    /// 5 % are at or below it.
    pub const P5: Self = Self::per_mille(50);
    /// The median.
    pub const P50: Self = Self::per_mille(500);
    /// 95 % are at or below it.
    pub const P95: Self = Self::per_mille(950);
    /// 99 % are at or below it.
    pub const P99: Self = Self::per_mille(990);
    /// 99.9 % are at or below it.
    pub const P99_9: Self = Self::per_mille(999);
    /// 99.99 % are at or below it.
    pub const P99_99: Self = Self(999_900_000);
    /// 99.999 % are at or below it.
    pub const P99_999: Self = Self(999_990_000);
    /// The largest value.
    pub const MAX: Self = Self(ONE);

    /// The quantiles of every summary, in order.
    pub const OF_SUMMARIES: [Self; 7] =
        [Self::P5, Self::P50, Self::P95, Self::P99, Self::P99_9, Self::P99_99, Self::P99_999];

    /// Makes a quantile of thousandths; more than 1000 are 1000.
    pub const fn per_mille(thousandths: u32) -> Self {
        Self(if thousandths < 1000 { thousandths * (ONE / 1000) } else { ONE })
    }

    /// Returns the nearest number in floating point.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// Returns the rank, from 1, among `count` values: the least one with at least that
    /// share at or below it.
    pub fn rank(self, count: u64) -> u64 {
        let rank = (u128::from(count) * u128::from(self.0)).div_ceil(ONE.into()).max(1);
        u64::try_from(rank).unwrap_or(u64::MAX)
    }

    /// Returns how many values it takes: those with ten beyond it, on the side that has fewer. The
    /// extremes are values themselves and take one.
    pub fn needs(self) -> u64 {
        match self.0.min(ONE - self.0) {
            0 => 1,
            beyond => (BEYOND * u64::from(ONE)).div_ceil(beyond.into()),
        }
    }

    /// Returns whether `count` values are enough for it. Nothing else decides this.
    pub fn is_known_of(self, count: u64) -> bool {
        count >= self.needs()
    }

    /// Returns the quantile with ten times as many values above it, from the median on.
    #[must_use]
    pub fn farther_in(self) -> Self {
        Self(ONE - (ONE - self.0).saturating_mul(10).min(ONE / 2))
    }
}

/// `p50`, `p99.99`; `min` and `max` for both ends.
impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (percent, rest) = (self.0 / (ONE / 100), self.0 % (ONE / 100));
        match (*self, rest) {
            (Self::MIN, _) => f.write_str("min"),
            (Self::MAX, _) => f.write_str("max"),
            (_, 0) => write!(f, "p{percent}"),
            _ => write!(f, "p{percent}.{}", format!("{rest:07}").trim_end_matches('0')),
        }
    }
}

impl FromStr for Quantile {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let named = [Self::MIN, Self::MAX].into_iter().find(|one| one.to_string() == text);
        let parsed = named.or_else(|| {
            let (percent, rest) =
                text.strip_prefix('p')?.split_once('.').unwrap_or((&text[1..], ""));
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let sound = (1..=2).contains(&percent.len()) && rest.len() <= 7;
            let whole = format!("{percent}{rest:0<7}");
            let one = (sound && digits(&whole)).then(|| whole.parse().ok().map(Self))??;
            (one > Self::MIN).then_some(one)
        });
        parsed.ok_or_else(|| QuantityError::Quantile(text.to_owned()))
    }
}

/// As a number between 0 and 1.
impl Serialize for Quantile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.share())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_exact() {
        let names = Quantile::OF_SUMMARIES.map(|one| one.to_string());
        assert_eq!(names, ["p5", "p50", "p95", "p99", "p99.9", "p99.99", "p99.999"]);
        for name in names.iter().map(String::as_str).chain(["min", "max", "p0.1", "p99.9999999"]) {
            assert_eq!(name.parse::<Quantile>().unwrap().to_string(), name);
        }
        for wrong in
            ["p100", "p0", "p", "99", "median", "pNaN", "p-5", "p+5", "p99.99999999", "p5.é"]
        {
            assert!(wrong.parse::<Quantile>().is_err(), "{wrong}");
        }
        assert_eq!("p99.90".parse(), Ok(Quantile::P99_9));
    }

    #[test]
    fn ranks_are_exact_where_floating_point_is_not() {
        assert_eq!([1, 10, 1000].map(|count| Quantile::P99_9.rank(count)), [1, 10, 999]);
        assert_eq!([0, 100_000].map(|count| Quantile::P99_999.rank(count)), [1, 99_999]);
        assert_eq!(Quantile::MAX.rank(u64::MAX), u64::MAX);
        assert_eq!(
            (Quantile::P99_99.farther_in(), Quantile::P50.farther_in()),
            (Quantile::P99_9, Quantile::P50)
        );
    }

    #[test]
    fn it_takes_ten_values_beyond_a_quantile() {
        let needs = Quantile::OF_SUMMARIES.map(Quantile::needs);
        assert_eq!(needs, [200, 20, 200, 1_000, 10_000, 100_000, 1_000_000]);
        assert_eq!([Quantile::MIN, Quantile::MAX].map(Quantile::needs), [1, 1]);
        assert_eq!([999, 1_000].map(|n| Quantile::P99.is_known_of(n)), [false, true]);
        assert_eq!([0, 1].map(|n| Quantile::MAX.is_known_of(n)), [false, true]);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(billionths in 0..=ONE) {
            let one = Quantile(billionths);
            prop_assert_eq!(one.to_string().parse(), Ok(one));
            prop_assert_eq!((one.share() * f64::from(ONE)).round() as u32, billionths);
        }

        #[test]
        fn any_text_is_a_quantile_or_none(text in ".*") {
            let _ = text.parse::<Quantile>();
        }
    }
}
