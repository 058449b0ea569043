// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Getting a target up, measured and down: kernels, the driver's build, the
//! guest, its agent and its bytes.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod agent_link;
mod arch;
mod bundle;
mod cache;
mod case;
mod command;
mod deb;
pub mod doctor;
mod downloads;
mod error;
mod foreign;
pub mod generator;
pub mod guest;
mod kernel;
mod machine;
mod owned_dir;
mod parts;
mod payload;
mod plan;
mod prepared;
mod rigs;
mod scratch;
mod stop;
mod text;
pub mod threads;
mod transport;

pub use arch::Arch;
pub use bundle::{Wanted, pack as pack_bundle, unpack as unpack_bundle};
pub use cache::{Entry as CacheEntry, content, entries as cache_entries, hex, root as cache_root};
pub use case::{Event, Events, Stream};
pub use downloads::{OFFLINE, are_downloads_forbidden, forbid_downloads};
pub use error::{Result, RigError};
pub use generator::{board, find, flash};
pub use guest::console::{complaints, first_complaint};
pub use kernel::build::{RECIPES, Recipe, git};
pub use kernel::driver::{Build, Driver};
pub use kernel::release::{Release, kernel_version};
pub use kernel::{Kernel, TESTED, check_name, fragment, list as kernels, offered};
pub use parts::Part;
pub use prepared::Prepared;
pub use rigs::{Job, OpenTwin, Rig, open_plan, rig};
pub use scratch::Scratch;
pub use stop::Stop;
