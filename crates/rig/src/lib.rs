// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Getting a target up, measured and down: kernels, the driver's build, the
//! guest, its agent and its bytes.
#![forbid(unsafe_code)]

mod agent;
mod arch;
pub mod board;
mod cache;
mod case;
mod command;
mod connection;
mod console;
pub mod doctor;
mod doorbell;
mod driver;
mod error;
mod facts;
mod fetch;
pub mod find;
pub mod flash;
pub mod generator;
pub mod guest;
mod image;
mod initramfs;
mod keeper;
mod kernel;
mod kernel_build;
mod kvm;
pub mod local;
mod machine;
mod modules;
mod outside;
mod plan;
mod plugin;
mod prepared;
mod qemu;
mod remote_build;
mod shell;
mod spare_cpu;
pub mod ssh;
mod stop;
pub mod threads;
pub mod twin;
pub mod vm;

pub use agent::find as find_agent;
pub use arch::Arch;
pub use cache::root as cache_root;
pub use case::{Event, Events, Stream};
pub use console::first_complaint;
pub use driver::{Build, Driver};
pub use error::{Result, RigError};
pub use kernel::{Kernel, TESTED, check_name, list as kernels};
pub use kernel_build::{RECIPES, Recipe};
pub use prepared::Prepared;
pub use stop::Stop;
