// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator of the real core on this host's clock, for benchmarks of the
//! dashboard: it listens until it is killed.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/generator.rs"]
mod generator;

fn main() {
    let generator = generator::Generator::start(4096);
    println!("listens on {}", generator.address);
    loop {
        std::thread::park();
    }
}
