// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Serial lines: the same frames as over TCP, for bringing a board up, for the emulator, and for
//! users without a network over USB.
//!
//! A serial line does not say when a host comes or goes. A host that comes sends a wake-up
//! sequence: several zero bytes in a row, each of which is an empty frame. While it is there it
//! sends one in every second; one that was silent for longer has gone.

use embassy_rp::peripherals::{PIN_0, PIN_1, UART0};
use embassy_rp::uart::{BufferedInterruptHandler, BufferedUart, BufferedUartTx, Config};
use embassy_rp::{Peri, bind_interrupts};
use embassy_time::{Duration, Instant, Timer, with_timeout};
use embedded_io_async::{Read, Write};
use static_cell::StaticCell;

use crate::board::Shared;
use crate::link::{self, Sink, Source};

/// The speed of common adapters; another one is chosen when the image is built.
const BAUD: u32 = match option_env!("IRQSCOPE_BAUD") {
    Some(text) => match u32::from_str_radix(text, 10) {
        Ok(baud) => baud,
        Err(_) => panic!("IRQSCOPE_BAUD is not a number"),
    },
    None => 921_600,
};
/// Zeros in a row, and how fast they follow each other.
const WAKE_UP: u32 = 3;
const IN_A_ROW: Duration = Duration::from_millis(100);
/// A host that is silent for this time has gone.
const GONE: Duration = Duration::from_secs(5);
/// After a line that could not be read.
const AGAIN: Duration = Duration::from_millis(1);

bind_interrupts!(struct Interrupts {
    UART0_IRQ => BufferedInterruptHandler<UART0>;
});

pub fn uart(
    uart: Peri<'static, UART0>,
    tx: Peri<'static, PIN_0>,
    rx: Peri<'static, PIN_1>,
) -> BufferedUart {
    static SENDS: StaticCell<[u8; 1024]> = StaticCell::new();
    static HEARS: StaticCell<[u8; 512]> = StaticCell::new();
    let mut config = Config::default();
    config.baudrate = BAUD;
    BufferedUart::new(uart, tx, rx, Interrupts, SENDS.init([0; 1024]), HEARS.init([0; 512]), config)
}

/// Serves one host after another.
pub async fn serve(shared: &Shared, rx: impl Read, mut tx: impl Sink) -> ! {
    let mut line = Line::new(rx);
    line.wait_for_host().await;
    loop {
        // A frame that was begun for the host before ends here, and not in the hello.
        tx.write(&[0]).await;
        link::serve(shared, &mut line, &mut tx).await;
        if !line.woken {
            line.wait_for_host().await;
        }
        line.woken = false;
    }
}

struct Line<R> {
    rx: R,
    zeros: u32,
    last: Instant,
    /// Another host has sent the wake-up sequence, and what this one sent is over.
    woken: bool,
}

impl<R: Read> Line<R> {
    fn new(rx: R) -> Self {
        Self { rx, zeros: 0, last: Instant::now(), woken: false }
    }

    async fn wait_for_host(&mut self) {
        let mut byte = [0];
        while !self.woken {
            match self.rx.read(&mut byte).await {
                Ok(0) => {}
                Ok(_) => self.look(byte[0]),
                Err(_) => Timer::after(AGAIN).await,
            }
        }
        self.woken = false;
    }

    fn look(&mut self, byte: u8) {
        let in_a_row = self.last.elapsed() < IN_A_ROW;
        self.last = Instant::now();
        self.zeros = match byte {
            0 if in_a_row => self.zeros + 1,
            0 => 1,
            _ => 0,
        };
        // Once for every sequence, however long it is.
        self.woken |= self.zeros == WAKE_UP;
    }
}

impl<R: Read> Source for Line<R> {
    async fn read(&mut self, buffer: &mut [u8]) -> Option<usize> {
        loop {
            match with_timeout(GONE, self.rx.read(buffer)).await {
                // Noise on the line: a frame will be garbled, and refused. Or there is
                // no cable, which lasts.
                Ok(Err(_)) => Timer::after(AGAIN).await,
                Err(_) => return None,
                Ok(Ok(length)) => {
                    buffer[..length].iter().for_each(|byte| self.look(*byte));
                    return (!self.woken).then_some(length);
                }
            }
        }
    }
}

impl Sink for BufferedUartTx {
    async fn write(&mut self, bytes: &[u8]) -> bool {
        // A serial line takes whatever it is given.
        self.write_all(bytes).await.is_ok()
    }
}
