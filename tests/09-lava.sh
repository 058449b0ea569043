# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a job of LAVA's own dispatcher boots a device (Debian's kernel in QEMU), runs the bundled test
# definition there, and has its measurements, with unit and test set, and the verdict of each limit.
# Runs: beside others
. tests/lib/lib.sh

dispatcher=$PWD/target/lava-dispatcher
[ -e "$dispatcher/bin/lava-run" ] || skip lava "there is no lava-dispatcher: scripts/bootstrap --test unpacks it where Debian has it"
# It works below /var/lib/lava, which is a file system of its own here.
unshare -m true 2>/dev/null || skip mount "LAVA's directories cannot be hidden"
expect 0 "$IRQSCOPE" kernel fetch 6.1

# The device: this machine's program with its libraries, a shell, and a prompt.
device=$WORK/device
mkdir -p "$device"/{bin,proc,sys,dev,tmp,run,root}
cp /bin/busybox /usr/bin/setpriv "$device/bin"
strip -o "$device/bin/irqscope" "$IRQSCOPE"
strip -o "$device/bin/irqscope-agent-x86_64" "$PARTS/irqscope-agent-x86_64"
for library in $(ldd "$IRQSCOPE" /usr/bin/setpriv | grep -o '/[^ ]*\.so[^ ]*' | sort -u); do
	mkdir -p "$device${library%/*}"
	cp "$library" "$device$library"
done
cat >"$device/init" <<'SH'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
export HOME=/root PS1='device # ' IRQSCOPE_PARTS=/bin
cd
exec setsid cttyhack sh
SH
chmod +x "$device/init"
cat >"$device/root/sleeps.toml" <<'TOML'
version = 1
about = "A thread's sleeps, without a driver"
states = ["idle"]
[bench.sched]
count = 100
TOML
(cd "$device" && find . | cpio -o -H newc --quiet | gzip -1) >"$WORK/device.cpio.gz"

# The definition comes out of a repository, as LAVA's users have it.
mkdir "$WORK/repository"
cp -r integrations "$WORK/repository"
in_repository() { git -C "$WORK/repository" -c user.name=test -c user.email=test@example.org "$@"; }
in_repository init -q
in_repository add .
in_repository commit -q -m "the definition"

cat >"$WORK/device.yaml" <<'YAML'
hostname: guest
device_type: qemu
available_architectures: [amd64]
constants:
  posix:
    lava_test_sh_cmd: /bin/sh
    lava_test_results_dir: /lava-%s
    lava_test_shell_file: ~/.bashrc
  kernel-start-message: "Linux version [0-9]"
  default-shell-prompt: "lava-test: # "
  spawn_maxread: "4092"
  failure_retry: 1
  boot_retry: 1
parameters: {}
actions:
  deploy:
    connections: {serial: null}
    methods:
      image:
        parameters:
          guest: {size: 64, interface: virtio, driveid: disk}
  boot:
    connections: {serial: null}
    methods:
      qemu:
        parameters:
          command: qemu-system-x86_64
          boot_options: {root: /dev/sda1, console: "ttyS0,115200", boot_order: c}
          options: ["-nographic", "-net none", "-m 512", "-monitor none"]
timeouts: {actions: {}, connections: {}}
YAML
echo "dispatcher_ip: 127.0.0.1" >"$WORK/dispatcher.yaml"
cat >"$WORK/job.yaml" <<YAML
device_type: qemu
job_name: irqscope
visibility: public
priority: medium
timeouts:
  job: {minutes: 12}
  action: {minutes: 10}
  connection: {minutes: 4}
context: {arch: amd64}
actions:
- deploy:
    timeout: {minutes: 4}
    to: tmpfs
    os: oe
    images:
      kernel:
        image_arg: -kernel {kernel} -append "console=ttyS0 rdinit=/init panic=-1"
        url: file://$CACHE/kernels/6.1/vmlinuz
      ramdisk:
        image_arg: -initrd {ramdisk}
        url: file://$WORK/device.cpio.gz
        format: cpio.newc
        overlays: {lava: true}
        compression: gz
- boot:
    method: qemu
    media: tmpfs
    timeout: {minutes: 6}
    prompts: ["device # "]
- test:
    timeout: {minutes: 6}
    definitions:
    - from: git
      name: irqscope
      repository: $WORK/repository
      path: integrations/lava/irqscope.yaml
      parameters:
        SCENARIO: /root/sleeps.toml
        LIMITS: "sched<10s@max sched<1ns@max"
YAML
cat >"$WORK/run" <<SH
set -e
mkdir -p /var/lib/lava
mount -t tmpfs none /var/lib/lava
cd "$WORK"
PYTHONPATH=$dispatcher PYTHONDONTWRITEBYTECODE=1 exec $PWD/target/lava/bin/python $dispatcher/bin/lava-run --job-id 1 \
	--output-dir out --device device.yaml --dispatcher dispatcher.yaml job.yaml
SH
was_there=$(ls -d /var/lib/lava 2>/dev/null || true)
status=0
timeout 800 unshare -m bash "$WORK/run" >"$WORK/log" 2>&1 || status=$?
[ -n "$was_there" ] || rmdir /var/lib/lava
[ $status = 0 ] || { tail -n 20 "$WORK/log"; fail "lava-run ended with $status"; }
target/lava/bin/python - "$WORK/log" <<'PY'
import sys, yaml
lines = [yaml.safe_load(line) for line in open(sys.argv[1]) if line.startswith("{")]
results = {}
for line in lines:
    if line["lvl"] == "results" and line["msg"]["definition"] != "lava":
        results[line["msg"]["case"]] = line["msg"]
        print({key: line["msg"][key] for key in ["set", "case", "result", "measurement", "units"] if key in line["msg"]})
for case in ["measured", "exported", "limit.sched_10s@max"]:
    assert results[case]["result"] == "pass", case
assert results["limit.sched_1ns@max"]["result"] == "fail"
measured = [one for one in results.values() if one.get("units") == "us"]
names = [one["case"].rsplit(".", 1)[-1] for one in measured]
values = [float(one["measurement"]) for one in measured]
assert (names[0], names[-1]) == ("min", "max") and values == sorted(values) and values[0] > 0, measured
assert all(one["set"].endswith("_idle") for one in measured), measured
PY
nothing_left "qemu-system-x86_64.*/var/lib/lava"
