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

const X86_64: [Need; 2] = [
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

fn needs(arch: Arch) -> impl Iterator<Item = Need> {
    let own = match arch {
        Arch::X86_64 => X86_64,
        Arch::Arm64 => ARM64,
        Arch::Riscv64 => RISCV64,
    };
    COMMON.into_iter().chain(own)
}

/// Returns the options that all guests need, as a fragment of a configuration.
pub fn fragment(arch: Arch) -> String {
    let line = |(option, why): Need| format!("# {why}\nCONFIG_{option}=y\n");
    let wish = match arch {
        Arch::X86_64 => "PARPORT=m\nCONFIG_PARPORT_PC=m",
        Arch::Arm64 | Arch::Riscv64 => "GPIOLIB=y",
    };
    let wishes = format!(
        "# stage softirq\nCONFIG_IRQ_POLL=y\n# causes of late responses\nCONFIG_FTRACE=y\n\
         CONFIG_ENABLE_DEFAULT_TRACERS=y\n# trigger inject\nCONFIG_GENERIC_IRQ_DEBUGFS=y\n\
         CONFIG_DEBUG_FS=y\n# the wires of the twin's generator\nCONFIG_{wish}\n"
    );
    needs(arch).map(line).collect::<String>() + &wishes
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
