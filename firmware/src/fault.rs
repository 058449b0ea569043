// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The end of the board's last life, reported to the next host.
//!
//! A panic writes its message where a reset leaves memory as it is; the watchdog
//! ends whatever hangs.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;
use core::mem::MaybeUninit;
use core::panic::PanicInfo;
use core::ptr::{addr_of, addr_of_mut};

use embassy_rp::pac;
use embassy_rp::watchdog::{ResetReason, Watchdog};
use embassy_time::Duration;

/// The watchdog's. The longest thing that anyone does at a time is a microsecond's
/// business, or a frame's.
pub const PATIENCE: Duration = Duration::from_secs(2);

const TEXT: usize = 240;
/// Memory that was never written says something else.
const WRITTEN: u32 = 0x4952_5153;

#[derive(Clone, Copy)]
#[repr(C)]
struct Record {
    written: u32,
    length: u32,
    text: [u8; TEXT],
}

#[unsafe(link_section = ".uninit.fault")]
static mut RECORD: MaybeUninit<Record> = MaybeUninit::uninit();

/// Returns how the last life ended. None: it was switched on, or reset by a person.
pub fn of_the_last_life(watchdog: &Watchdog) -> Option<String> {
    // SAFETY: there is no other reader; any bytes are a record.
    let record = unsafe { addr_of!(RECORD).cast::<Record>().read_volatile() };
    forget();
    if record.written == WRITTEN {
        let said = String::from_utf8_lossy(&record.text[..(record.length as usize).min(TEXT)]);
        return Some(format!("this board has panicked and started anew: {said}"));
    }
    let hung = matches!(watchdog.reset_reason(), Some(ResetReason::TimedOut));
    hung.then(|| "this board hung, and its watchdog has started it anew".to_string())
}

fn forget() {
    // SAFETY: it has no other holder.
    unsafe { addr_of_mut!(RECORD).cast::<u32>().write_volatile(0) };
}

/// A longer message is cut off.
impl Write for Record {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes().take(TEXT - self.length as usize) {
            self.text[self.length as usize] = byte;
            self.length += 1;
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    cortex_m::interrupt::disable();
    let mut record = Record { written: WRITTEN, length: 0, text: [0; TEXT] };
    let _ = write!(record, "{info}");
    // SAFETY: nothing else runs any more.
    unsafe { addr_of_mut!(RECORD).cast::<Record>().write_volatile(record) };
    pac::WATCHDOG.ctrl().modify(|w| w.set_trigger(true));
    loop {
        cortex_m::asm::nop();
    }
}
