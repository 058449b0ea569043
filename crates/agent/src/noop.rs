// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent noop`: exits at once. It is what the exec load executes,
//! so it is recognised before anything else is done.

/// The name by which the program does nothing.
pub const NAME: &std::ffi::CStr = c"noop";

/// Returns whether it was started by that name.
pub fn is_meant() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument.as_encoded_bytes() == NAME.to_bytes())
}
