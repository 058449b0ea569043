// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the figures of a run are shown.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use irqscope_report::{Choice, Field};

/// Chooses the output of `irqscope run` and `irqscope report`.
#[derive(Debug, Default, Args)]
pub struct Shown {
    /// Print the whole table instead of the answer and a narrow one: both views, what stages cost,
    /// the account of each case, all warnings.
    #[arg(long, conflicts_with_all = ["columns", "sort", "csv", "json"])]
    pub wide: bool,
    /// The columns of the table, separated by commas
    /// [default: stage,case,p50,p99,max,lost; more where the terminal is wide].
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', value_parser = field())]
    pub columns: Vec<Field>,
    /// Sort the rows by a column: names from the first, numbers from the greatest.
    #[arg(long, value_name = "COLUMN", value_parser = field(), hide_possible_values = true)]
    pub sort: Option<Field>,
    /// Print the table alone, as CSV with times in nanoseconds.
    #[arg(long)]
    pub csv: bool,
    /// Print summary.json instead.
    #[arg(long, conflicts_with_all = ["columns", "sort", "csv"])]
    pub json: bool,
}

impl Shown {
    /// Returns the columns and their order.
    pub fn choice(&self) -> Choice {
        Choice { columns: self.columns.clone(), sort: self.sort }
    }
}

/// Takes a column by its name; help says what each is.
fn field() -> impl TypedValueParser<Value = Field> {
    let value = |field: &Field| PossibleValue::new(field.name()).help(field.about());
    PossibleValuesParser::new(Field::ALL.iter().map(value)).try_map(|name| name.parse::<Field>())
}
