// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options that a kernel's configuration needs to be measured in a guest.

use irqscope_scenario::Arch;

use crate::error::{Result, RigError};

/// An option, and why it is needed.
type Need = (&'static str, &'static str);

const COMMON: [Need; 23] = [
    ("MODULES", "the driver is a module"),
    ("BLK_DEV_INITRD", "the agent is the first process of an initramfs"),
    ("BINFMT_ELF", "the agent is a program"),
    ("PRINTK", "complaints of the kernel are read from its console"),
    ("TTY", "complaints of the kernel are read from its console"),
    ("PROC_FS", "the agent reads /proc"),
    ("SYSFS", "the driver is set by /sys"),
    ("DEVTMPFS", "the agent opens the driver's devices"),
    ("SHMEM", "/tmp and shared memory of loads"),
    ("TMPFS", "/tmp and shared memory of loads"),
    ("PCI", "samples leave by a PCI device"),
    ("VIRTIO_PCI", "samples leave by a PCI device"),
    ("VIRTIO_CONSOLE", "samples leave by a virtio port"),
    ("POSIX_TIMERS", "the agent and its benchmarks sleep"),
    ("FUTEX", "threads of loads and benchmarks"),
    ("EPOLL", "loads"),
    ("EVENTFD", "loads"),
    ("SIGNALFD", "loads"),
    ("TIMERFD", "loads"),
    ("NET", "loads talk over the loopback interface"),
    ("UNIX", "loads talk over sockets"),
    ("INET", "loads talk over the loopback interface"),
    ("KALLSYMS", "functions have names in explanations"),
];

const X86_64: [Need; 3] = [
    ("64BIT", "the agent is a program of 64 bits"),
    ("SERIAL_8250_CONSOLE", "the console"),
    ("X86_IOPL_IOPERM", "the user thread answers, and the guest stops, by port access"),
];

const ARM64: [Need; 2] = [
    ("SERIAL_AMBA_PL011_CONSOLE", "the console"),
    ("GPIO_PL061", "response lines and trigger are GPIO lines"),
];

const RISCV64: [Need; 2] = [
    ("SERIAL_OF_PLATFORM", "the console"),
    ("GPIO_SIFIVE", "response lines and trigger are GPIO lines"),
];

/// The options that a guest can do without, at a price.
const WISHES: [(&str, &str); 10] = [
    ("MODULE_UNLOAD=y", "the driver of a real machine goes when a run ends"),
    ("HIGH_RES_TIMERS=y", "timers expire at their instants, and not at the next tick"),
    ("IRQ_POLL=y", "stage softirq"),
    ("FTRACE=y", "causes of late responses"),
    ("ENABLE_DEFAULT_TRACERS=y", "causes of late responses"),
    ("DEBUG_FS=y", "trigger inject"),
    ("GENERIC_IRQ_DEBUGFS=y", "trigger inject"),
    ("MULTIUSER=y", "loads of users other than root"),
    ("BINFMT_SCRIPT=y", "loads that are scripts"),
    ("POSIX_MQUEUE=y", "message queues in the benchmark of wakeups"),
];

/// Returns the options without which a configuration that begins with tinyconfig does not take the
/// others, and what only one machine has of `WISHES`.
fn own(arch: Arch) -> &'static [(&'static str, &'static str)] {
    match arch {
        Arch::X86_64 => &[
            ("SERIAL_8250=y", "the console depends on it"),
            ("PARPORT=m", "the wires of the twin's generator"),
            ("PARPORT_PC=m", "the wires of the twin's generator"),
        ],
        Arch::Arm64 => &[
            ("SERIAL_AMBA_PL011=y", "the console depends on it"),
            ("PCI_HOST_GENERIC=y", "the PCI bus of the machine"),
            ("GPIOLIB=y", "the GPIO controller depends on it"),
        ],
        Arch::Riscv64 => &[
            ("SERIAL_8250=y", "the console depends on it"),
            ("SERIAL_8250_CONSOLE=y", "the console depends on it"),
            ("ARCH_SIFIVE=y", "the GPIO controller depends on it"),
            ("ARCH_VIRT=y", "the machine's controllers"),
            ("SOC_SIFIVE=y", "as ARCH_SIFIVE, in older kernels"),
            ("SOC_VIRT=y", "as ARCH_VIRT, in older kernels"),
            ("PCI_HOST_GENERIC=y", "the PCI bus of the machine"),
            ("GPIOLIB=y", "the GPIO controller depends on it"),
        ],
    }
}

fn needs(arch: Arch) -> impl Iterator<Item = Need> {
    let own: &[Need] = match arch {
        Arch::X86_64 => &X86_64,
        Arch::Arm64 => &ARM64,
        Arch::Riscv64 => &RISCV64,
    };
    COMMON.into_iter().chain(own.iter().copied())
}

/// Returns the options that all guests need and those that they make use of, as a fragment that any
/// configuration takes, tinyconfig included.
pub fn fragment(arch: Arch) -> String {
    let menu = [("VIRTIO_MENU=y", "the options of virtio depend on it")];
    let line = |(option, why): (&str, &str)| format!("# {why}\nCONFIG_{option}\n");
    let need = |(option, why): Need| line((&format!("{option}=y"), why));
    let others = menu.into_iter().chain(own(arch).iter().copied()).chain(WISHES).map(line);
    needs(arch).map(need).chain(others).collect()
}

/// Refuses a configuration that lacks what a guest needs.
pub(super) fn check(name: &str, config: &str, arch: Arch) -> Result<()> {
    let lacking: Vec<_> = needs(arch).filter(|(option, _)| !has(config, option)).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let list = |(option, why): &Need| format!("\n  CONFIG_{option}: {why}");
    Err(RigError::unready(
        format!(
            "the configuration of kernel {name} lacks{}",
            lacking.iter().map(list).collect::<String>()
        ),
        "add them and build again; irqscope kernel fragment > irqscope.config writes all of \
         them, and scripts/kconfig/merge_config.sh .config irqscope.config merges them",
    ))
}

/// Returns whether an option is on, built in or as a module.
pub(super) fn has(config: &str, option: &str) -> bool {
    let on = |value: &str| matches!(value, "=y" | "=m");
    let value = |line: &'_ str| -> Option<bool> {
        Some(on(line.strip_prefix("CONFIG_")?.strip_prefix(option)?))
    };
    config.lines().filter_map(value).any(|on| on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_configuration_lacks_is_named_with_its_reason() {
        for arch in Arch::ALL {
            let whole = fragment(arch);
            assert!(check("x", &whole, arch).is_ok());
            let less = whole.replace("CONFIG_EPOLL=y", "# CONFIG_EPOLL is not set");
            let error = check("x", &less, arch).unwrap_err().to_string();
            assert!(
                error.contains("CONFIG_EPOLL: loads") && !error.contains("CONFIG_NET:"),
                "{error}"
            );
        }
    }

    #[test]
    fn an_option_is_known_by_its_whole_name() {
        assert!(has("CONFIG_NET=y\n", "NET") && has("CONFIG_NET=m\n", "NET"));
        assert!(!has("CONFIG_NETDEVICES=y\n# CONFIG_NET is not set\n", "NET"));
    }
}
