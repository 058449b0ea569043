// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest that plays a real machine, to test rigs `local` and `ssh` on: some
//! CPUs in real time, the host's own files (its compiler, this program) under a
//! layer that is thrown away, and a network. Its figures mean nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Result, RigError, Trying, lost};
use crate::generator::doorbell::Doorbell;
use crate::guest::emulator::Emulator;
use crate::guest::initramfs::Initramfs;
use crate::guest::monitor::Monitor;
use crate::guest::qemu::{Machine, Qemu};
use crate::kernel::Kernel;
use crate::kernel::modules::Modules;
use crate::stop::Stop;
use crate::text::words;

const INIT: &str = include_str!("stand_in.sh");
const BUSYBOX: &str = "/bin/busybox";
/// The emulated counters do agree, which the kernel cannot know; an anchor taken
/// with the HPET instead is off by as long as the host lets its reader wait
/// (1.75 ms were seen, enough for a negative latency). And the emulated timer works,
/// though a busy host delivers its ticks too late for the kernel's trial of it, which
/// ends in a panic.
const CMDLINE: &str = "console=ttyS0 loglevel=5 panic=-1 oops=panic random.trust_cpu=on \
                       tsc=reliable clocksource=tsc no_timer_check nokaslr";
/// A slow kernel gives up ACPI's table of interrupts, half a minute for each device. The one of
/// multiprocessor PCs says the same.
const ROUTING: &str = "pci=noacpi";
/// On the virtual clock, minutes pass while the guest waits for the host's disk, and what waits
/// for its reader meanwhile is not hung.
const NO_HUNG_TASKS: &str = "sysctl.kernel.hung_task_timeout_secs=0";
/// Of the doorbell: as many as there are stages.
const LINES: usize = 11;
const DRIVERS: [&str; 5] = ["virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_net"];

/// The machine to play.
#[derive(Clone, Debug)]
pub struct Guest {
    /// The kernel to boot.
    pub kernel: Kernel,
    /// A directory that both sides write: holds `script`, run by the guest's
    /// root; receives its `script.output` and its exit `status`.
    pub exchange: PathBuf,
    /// The port of this machine's loopback that leads to the guest's port 22.
    pub ssh_port: Option<u16>,
    /// One CPU on the twin's virtual clock instead: what is to be done often and
    /// not to be timed takes as long as its instructions, on a busy host too.
    pub virtual_clock: bool,
    /// CPUs in real time.
    pub cpus: u32,
    /// Memory, in MiB.
    pub memory: u32,
    /// They take turns in one thread of QEMU instead of having one each: slower, but a kernel that
    /// changes its own code while it runs on several CPUs has been seen to die of QEMU 7.2
    /// otherwise (`Oops: int3`), and so did those that change it all the time.
    pub turns: bool,
    /// Its QEMU is one that does not die of that, fetched where the installed one is older: from 8.1 on no page
    /// is written while its code is translated (`tb_lock_page0` in accel/tcg/tb-maint.c).
    pub newer: bool,
    /// With the device of rig `vm`, and its generator, which waits for a host: where,
    /// is in the file `generator` in the exchange directory.
    pub doorbell: bool,
    /// Host time until the script begins; it takes some 20 s.
    pub boot_limit: Duration,
    /// Host seconds until it must have ended.
    pub limit: Duration,
}

impl Guest {
    /// Boots, runs the script, and gives its exit status. The console log is
    /// `console` in the exchange directory. A guest that hangs in its boot is booted
    /// once more, and the console of the first boot, with the addresses at which its
    /// CPUs were, stays as `console.hung`: tests/run counts these files and limits them.
    ///
    /// # Errors
    /// If QEMU or one of the guest's files is missing, if both boots hang, or if the
    /// guest ends without a status.
    pub fn run(&self, stop: &Stop) -> Result<i32> {
        if let Some(status) = self.boot(stop)? {
            return Ok(status);
        }
        let (console, hung) = (self.exchange.join("console"), self.exchange.join("console.hung"));
        std::fs::rename(&console, &hung).trying(|| format!("cannot write {}", hung.display()))?;
        self.boot(stop)?.ok_or_else(|| lost("the guest did not boot, twice", &console))
    }

    /// Returns the exit status of the script, or None if it did not begin in time.
    fn boot(&self, stop: &Stop) -> Result<Option<i32>> {
        let console = self.exchange.join("console");
        let output = self.exchange.join("script.output");
        let _ = std::fs::remove_file(&output); // of the boot before, if there was one
        let file =
            tempfile::NamedTempFile::new().trying(|| "cannot create the initramfs".into())?;
        std::fs::write(file.path(), self.initramfs()?)
            .trying(|| "cannot write the initramfs".into())?;
        let doorbell = self.doorbell.then(|| Doorbell::start(LINES, None, stop)).transpose()?;
        if let Some(doorbell) = &doorbell {
            std::fs::write(self.exchange.join("generator"), &doorbell.address)
                .trying(|| "cannot say where the generator is".into())?;
        }
        let boots = self.kernel.boots(&|step| eprintln!("{step}"))?;
        let monitor = Monitor::new()?;
        let mut args = self.args();
        args.extend(monitor.args());
        args.extend(doorbell.iter().flat_map(Doorbell::args));
        let append = self.command_line();
        let arch = self.kernel.arch();
        let emulator = match self.newer {
            true => Emulator::of(arch, self.cpus, &|step| eprintln!("{step}"))?,
            false => Emulator::installed(arch),
        };
        let machine = Machine {
            emulator: &emulator,
            kernel: &boots,
            initramfs: file.path(),
            append: &append,
            args,
            console: &console,
            limit: self.limit,
            limit_key: "none",
        };
        let mut qemu = Qemu::start(&machine, stop)?;
        let (began, mut hung) = (Instant::now(), false);
        let ran = qemu.read_to_end(stop, &mut |_| {
            hung = began.elapsed() > self.boot_limit && !output.exists();
            if hung { Err(lost("the guest did not boot", &console)) } else { Ok(None) }
        });
        if hung {
            monitor.append_positions(&console)?;
            return Ok(None);
        }
        ran?;
        let status = std::fs::read_to_string(self.exchange.join("status")).unwrap_or_default();
        status.trim().parse().map(Some).map_err(|_| qemu.lost("the guest ended without a status"))
    }

    fn command_line(&self) -> String {
        let more = [(self.turns, ROUTING), (self.virtual_clock, NO_HUNG_TASKS)];
        let more = more.into_iter().filter_map(|(wanted, words)| wanted.then_some(words));
        std::iter::once(CMDLINE).chain(more).collect::<Vec<_>>().join(" ")
    }

    fn args(&self) -> Vec<String> {
        let mut args = words("-machine pc -cpu qemu64,+rdrand");
        args.extend(["-m".to_owned(), self.memory.to_string()]);
        args.extend(words(&if self.virtual_clock {
            "-accel tcg -smp 1 -icount shift=1,sleep=off".to_owned()
        } else {
            let threads = if self.turns { "single" } else { "multi" };
            // QEMU's translations of a guest's code take up to a gigabyte, however small the guest is.
            let translations = self.memory / 2;
            format!("-accel tcg,thread={threads},tb-size={translations} -smp {}", self.cpus)
        }));
        let share = |tag: &str, path: &Path, mode: &str| {
            let path = path.display();
            let device = format!("virtio-9p-pci,fsdev={tag},mount_tag={tag}");
            let directory = format!("local,id={tag},path={path},security_model=none,{mode}");
            ["-fsdev".to_owned(), directory, "-device".to_owned(), device]
        };
        args.extend(share("host", Path::new("/"), "multidevs=remap,readonly=on"));
        args.extend(share("exchange", &self.exchange, "multidevs=remap"));
        let forward = self.ssh_port.map(|port| format!(",hostfwd=tcp:127.0.0.1:{port}-:22"));
        let network = format!("user,id=net,restrict=on{}", forward.unwrap_or_default());
        args.extend(["-netdev".to_owned(), network]);
        args.extend(words("-device virtio-net-pci,netdev=net,romfile="));
        args
    }

    fn initramfs(&self) -> Result<Vec<u8>> {
        let busybox = std::fs::read(BUSYBOX).map_err(|error| {
            RigError::unready(
                format!("cannot read {BUSYBOX}: {error}"),
                "install it: apt-get install busybox-static",
            )
        })?;
        let mut initramfs = Initramfs::new(INIT.as_bytes())?;
        initramfs.program("bin/busybox", &busybox)?;
        let modules = Modules::of(&self.kernel)?;
        let mut list = String::new();
        for driver in DRIVERS {
            for (name, contents) in modules.load_order(driver)? {
                let line = format!("/modules/{name}.ko\n");
                if !list.contains(&line) {
                    initramfs.file(line.trim().trim_start_matches('/'), &contents)?;
                    list.push_str(&line);
                }
            }
        }
        initramfs.file("modules.list", list.as_bytes())?;
        initramfs.file("guest.conf", self.conf().as_bytes())?;
        initramfs.finish()
    }

    fn conf(&self) -> String {
        format!(
            "release={}\nmodules={}\nheaders={}\n",
            self.kernel.release,
            self.kernel.modules.root().display(),
            self.kernel.headers.display()
        )
    }
}
