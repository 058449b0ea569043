# SPDX-License-Identifier: Apache-2.0 OR MIT
# Thin: it only says which command does what.

export PATH := $(HOME)/.cargo/bin:$(PATH)
SHELL := /bin/bash
# The agent is static: musl where rustup is, else glibc linked statically.
MUSL := x86_64-unknown-linux-musl
AGENT_TARGET := $(shell rustup target list --installed 2>/dev/null | grep -qx $(MUSL) && echo $(MUSL) || echo x86_64-unknown-linux-gnu)
# Cargo's: dist makes a smaller program, for packages and for make install; quick is compiled in half the
# time, for the first make run, which uses release if that is there. The agent is the same in both: the twin
# counts its instructions.
PROFILE ?= release
AGENT_PROFILE := $(PROFILE:quick=release)
BUILT := target/$(PROFILE)
IRQSCOPE := target/release/irqscope
RUN_PROFILE := $(if $(wildcard $(IRQSCOPE)),release,quick)

# The program looks for its parts beside itself: $(call beside,MACHINE,TARGET).
beside = ! [ -e target/$2/$(AGENT_PROFILE)/irqscope-agent ] || \
	ln -sf ../$2/$(AGENT_PROFILE)/irqscope-agent $(BUILT)/irqscope-agent-$1

export DESTDIR PREFIX ZSH_SITE

TESTFLAGS :=

.PHONY: help run check test soak build page programs host agent arm64 riscv64 agents install uninstall release bootstrap lint bench fuzz kernels kernels-of-demo clean

help:
	@echo "make run     install what is missing, build, measure the demo, write a report"
	@echo "make check   in minutes: format, clippy, unit tests, the page's, three numbered tests"
	@echo "make test    every test, the same that CI runs"
	@echo "make soak    what takes longer than CI should: thousands of loads, long fuzzing"
	@echo "make build   the program, the agent and the twin's generator"
	@echo "make arm64   the agent for the twin's Arm machine; make riscv64: for its RISC-V machine"
	@echo "make agents  these two, and the one for 32-bit Arm"
	@echo "make install    what was built, below PREFIX (/usr/local); make uninstall takes it away"
	@echo "make release    sources, packages, an apt repository, into dist/VERSION"
	@echo "make lint    fmt, clippy, checkpatch, sparse, tsc, shellcheck, ruff, mypy, links, English"
	@echo "make bench   speed and instrumentation cost"
	@echo "make fuzz    the parsers, for longer than make test does"

bootstrap:
	@scripts/bootstrap

build: page programs

page:
	scripts/build-ui

programs: agent host
	@$(call beside,x86_64,$(AGENT_TARGET))

host:
	cargo build --profile $(PROFILE) --locked -p irqscope -p irqscope-vm -p irqscope-twin-plugin

agent:
	scripts/build-agent $(AGENT_TARGET) $(AGENT_PROFILE)

# Debian's Rust has no such targets.
arm64:
	@! command -v rustup >/dev/null || scripts/build-agent aarch64-unknown-linux-musl $(PROFILE)
	@$(call beside,aarch64,aarch64-unknown-linux-musl)

# $(call agent,MACHINE,TARGET,COMPILER).
agent = if rustup target list --installed 2>/dev/null | grep -qx $2 && command -v $3 >/dev/null; then \
	scripts/build-agent $2 $(PROFILE) || exit; \
	else echo "no agent for $1: scripts/bootstrap --release installs $3 and Rust's target $2"; fi

riscv64:
	@$(call agent,riscv64,riscv64gc-unknown-linux-gnu,riscv64-linux-gnu-gcc)
	@$(call beside,riscv64,riscv64gc-unknown-linux-gnu)

# No driver of ours runs on 32-bit Arm: benchmarks do.
agents: arm64 riscv64
	@$(call agent,armv7l,armv7-unknown-linux-gnueabihf,arm-linux-gnueabihf-gcc)
	@$(call beside,armv7l,armv7-unknown-linux-gnueabihf)

install:
	@scripts/install $(BUILT)

uninstall:
	@scripts/install --remove

# Kernels are fetched while the agent is compiled.
run: bootstrap
	@$(MAKE) --no-print-directory page host PROFILE=$(RUN_PROFILE)
	@$(MAKE) --no-print-directory -j 2 agent kernels-of-demo PROFILE=$(RUN_PROFILE)
	@$(MAKE) --no-print-directory programs PROFILE=$(RUN_PROFILE)
	target/$(RUN_PROFILE)/irqscope run demo

kernels-of-demo:
	$(BUILT)/irqscope fetch demo

# Property tests take the same cases each time, so that a commit is judged by what it changes; new
# cases are what scripts/fuzz tries, for as long as one likes.
check test: export PROPTEST_RNG_SEED = 1

# The part of make test that finds most mistakes, for every commit.
check:
	@scripts/bootstrap --test
	@$(MAKE) --no-print-directory build
	@scripts/lint rustfmt clippy page shellcheck python SPDX licences links prose
	cargo test -q --release --locked --workspace
	@npm --silent --prefix ui test
	@tests/run $(TESTFLAGS) 13 20 22

test:
	@scripts/bootstrap --test
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory arm64 riscv64
	@scripts/lint
	cargo test --release --locked --workspace
	@npm --prefix ui test
	@$(IRQSCOPE) kernel build delayed-locking
	@tests/run $(TESTFLAGS)

# All files of a release, into dist/VERSION; SNAPSHOT=1 tries it on any commit.
release:
	@scripts/bootstrap --release
	scripts/release $(if $(SNAPSHOT),--snapshot) dist/$(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)

soak:
	@scripts/bootstrap --test
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory arm64 riscv64
	@scripts/bootstrap --release
	@$(IRQSCOPE) kernel build delayed-locking
	@$(IRQSCOPE) kernel build delayed-locking-debug
	@$(IRQSCOPE) kernel build source:6.12+delayed-locking
	@$(IRQSCOPE) kernel build source:6.12+lockdep+delayed-locking
	cargo test --release --locked -p irqscope-generator --all-features
	IRQSCOPE_SOAK=1 tests/run $(TESTFLAGS)
	PACKAGES=1 tests/run --time-limit 7200 79
	KILLS=1000 tests/run --time-limit 36000 03
	CYCLES=1000 tests/run --time-limit 7200 31 86
	CPUS=4 TORTURE=3600 tests/run --time-limit 7200 86
	CPUS=4 TORTURE=600 DLOCK_KERNEL=delayed-locking-kasan tests/run --time-limit 7200 86
	DLOCK_KERNEL=source:6.12+lockdep+delayed-locking tests/run --time-limit 7200 86
	FUZZ_KERNEL="$(foreach line,6.1 6.1-rt 6.12 6.12-rt,$(foreach part,kasan kcsan kcsan+kcsan-modules,source:$(line)+lockdep+$(part)))" \
		FUZZ_SECONDS=1800 tests/run --time-limit 36000 88
	@scripts/fuzz 600

lint:
	@scripts/bootstrap --test
	@scripts/lint

bench:
	@scripts/bootstrap --test
	@$(MAKE) --no-print-directory build
	@scripts/bench

fuzz: bootstrap
	@scripts/fuzz

clean:
	cargo clean
