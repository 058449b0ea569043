// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A limit as people write it.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

use crate::{Quantile, QuantityError, Span, exact};

/// A limit of a latency: `user<150us@p99.9`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// A stage, or a benchmark, its variant, its series.
    pub name: String,
    /// The limit.
    pub limit_ns: i64,
    /// The quantile; 1 is the maximum.
    pub quantile: Quantile,
}

/// Why a text is no limit.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    #[error("write NAME<LATENCY@QUANTILE, such as user<150us@p99.9")]
    Shape,
    #[error("{0}; write NAME<LATENCY@QUANTILE, such as user<150us@p99.9")]
    Quantity(#[from] QuantityError),
    #[error("longer than 292 years; write NAME<LATENCY@QUANTILE, such as user<150us@p99.9")]
    TooLong,
    #[error("at most {most} limits are held at once; leave some out")]
    TooMany { most: usize },
}

impl FromStr for Limit {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let parts = || {
            let (name, rest) = text.split_once('<')?;
            let (latency, quantile) = rest.rsplit_once('@')?;
            Some((name.trim(), latency.trim(), quantile.trim()))
        };
        let (name, latency, quantile) =
            parts().filter(|(name, ..)| !name.is_empty()).ok_or(LimitError::Shape)?;
        let span: Span = latency.parse()?;
        let quantile = quantile.parse()?;
        let limit_ns = i64::try_from(span.0).map_err(|_| LimitError::TooLong)?;
        Ok(Self { name: name.into(), limit_ns, quantile })
    }
}

/// Prints what is read again: `user<150 µs@p99.9`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let latency = exact(self.limit_ns.unsigned_abs()).replace(',', "");
        write!(f, "{}<{latency}@{}", self.name, self.quantile)
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Limit {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Limit".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[^<]+<[^@]+@(max|min|p[0-9.]+)$" })
    }
}

impl Limit {
    /// Parses limits with commas or ends of lines between them.
    ///
    /// # Errors
    /// The first text that is no limit, or more than `most` of them.
    pub fn list(text: &str, most: usize) -> Result<Vec<Self>, LimitError> {
        let parts = text.split([',', '\n']).map(str::trim).filter(|part| !part.is_empty());
        let all: Vec<Self> = parts.take(most + 1).map(str::parse).collect::<Result<_, _>>()?;
        if all.len() > most { Err(LimitError::TooMany { most }) } else { Ok(all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(name: &str, limit_ns: i64, quantile: Quantile) -> Limit {
        Limit { name: name.into(), limit_ns, quantile }
    }

    #[test]
    fn a_limit_is_a_name_a_latency_and_a_quantile() {
        assert_eq!("user<150us@p99.9".parse(), Ok(limit("user", 150_000, Quantile::P99_9)));
        assert_eq!(
            "sched fifo 80 < 1ms @ max".parse(),
            Ok(limit("sched fifo 80", 1_000_000, Quantile::MAX))
        );
        assert_eq!("user<1ms@p99.999".parse(), Ok(limit("user", 1_000_000, Quantile::P99_999)));
        for wrong in ["user", "user<150us", "<150us@p99", "user<fast@p99", "user<1us@p100"] {
            let error = wrong.parse::<Limit>().unwrap_err().to_string();
            assert!(error.contains("user<150us@p99.9"), "{wrong}");
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for text in
            ["user<150us@p99.9", "sched fifo 80<1500us@max", "irq<1234567ns@p50", "a b<2s@p99"]
        {
            let limit: Limit = text.parse().unwrap();
            assert_eq!(limit.to_string().parse(), Ok(limit.clone()), "{limit}");
        }
    }

    #[test]
    fn several_limits_have_commas_or_lines_between_them() {
        let both = [limit("irq", 20_000, Quantile::MAX), limit("user", 1_000, Quantile::P50)];
        for text in ["irq<20us@max,user<1us@p50", " irq<20us@max \n\nuser<1us@p50,\n"] {
            assert_eq!(Limit::list(text, 2), Ok(both.to_vec()));
        }
        assert_eq!(Limit::list("", 2), Ok(vec![]));
        let many = Limit::list("irq<20us@max,user<1us@p50", 1);
        assert_eq!(many, Err(LimitError::TooMany { most: 1 }));
        assert_eq!(Limit::list("irq<20us@max,user", 2), Err(LimitError::Shape));
    }
}
