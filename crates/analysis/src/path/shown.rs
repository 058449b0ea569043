// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One path of a run with its functions, as it is printed and sent.

use irqscope_run::RunDir;
use irqscope_wire::Stage;
use serde::Serialize;

use super::{At, CallTree, CasePath, Difference, FunctionCount, PathCheck, PathSample};
use crate::Result;

/// One path with its calls.
#[derive(Clone, Debug, Serialize)]
pub struct ShownPath {
    /// The case.
    pub case: String,
    /// The sample whose path it is.
    pub sample: PathSample,
    /// Every function, most instructions of its own first.
    pub functions: Vec<FunctionCount>,
    /// Whether instructions and latencies of all traced samples agree.
    pub check: PathCheck,
    /// The calls.
    #[serde(skip)]
    pub tree: CallTree,
}

/// Two paths, and which functions the second has more of.
#[derive(Clone, Debug, Serialize)]
pub struct ComparedPaths {
    /// The path that the other is compared with.
    pub first: ShownPath,
    /// The other path.
    pub second: ShownPath,
    /// The instructions that the second executes more, by function.
    pub difference: Difference,
}

impl ComparedPaths {
    /// Compares two paths.
    pub fn of(first: ShownPath, second: ShownPath) -> Self {
        let difference = Difference::new(&first.tree, &second.tree);
        Self { first, second, difference }
    }
}

impl ShownPath {
    /// Reads the path of one sample; without a name, of the first case that was traced.
    ///
    /// # Errors
    /// There is no such case, trace or sample, or the run cannot be read.
    pub fn of(run: &RunDir, case: Option<&str>, stage: Stage, at: At) -> Result<Self> {
        let path = CasePath::open(run, case)?;
        let sample = path.choose(stage, at)?;
        let tree = path.tree(&sample)?;
        let (case, check) = (path.case().to_owned(), path.check());
        Ok(Self { case, sample, functions: tree.functions(), check, tree })
    }
}
