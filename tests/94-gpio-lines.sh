# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the ways to name GPIO lines, and what is refused, in Debian's arm64 kernel:
# by label and offset when the module is loaded and by the device tree; a known
# controller is driven by its registers, which is cheaper, another one by calls; a
# line that can sleep, one without an interrupt, a label that no controller has and what is no line
# get a message that says so. The overlays for Raspberry Pi compile, apply, and have the pins of
# docs/wiring.md.
# Runs: beside others
. tests/lib/lib.sh

for board in 4 5; do
	dtc -q -@ -I dts -O dtb -o "$WORK/rpi$board.dtbo" "kernel/overlays/irqscope-rpi$board.dts"
	python3 "$TESTS/lib/overlay.py" "$WORK" "$board" docs/wiring.md
done

need_rustup "there is no agent for arm64 (the overlays are right)"
"$IRQSCOPE" kernel fetch 6.1-arm64
kernel=$CACHE/kernels/6.1-arm64
agent=$PARTS/irqscope-agent-aarch64
make=(make -s CROSS_COMPILE=aarch64-linux-gnu-)
headers=$(echo "$kernel"/usr/src/linux-headers-*-arm64)
"${make[@]}" -C kernel/irqscope KDIR="$headers" BUILD="$WORK/driver"
cp -r kernel/gpio-double "$WORK/double"
"${make[@]}" -C "$headers" M="$WORK/double" modules

# loads TEXT [PARAMETERS]: with these the console says TEXT.
loads() {
	local dtb=()
	[ ! -e "$WORK/lines.dtb" ] || dtb=(--dtb "$WORK/lines.dtb")
	expect 0 python3 "$TESTS/lib/boot-arm64.py" "${dtb[@]}" "$kernel" "$agent" "$WORK/double/gpio_double.ko" \
		"$WORK/driver/irqscope.ko" "$WORK/driver/irqscope_gpio.ko ${2-}"
	says "$1"
}

pl061=9030000.pl061
loads "2 lines on $pl061, driven by registers" "trigger=$pl061:7 responses=$pl061:0,$pl061:1:low"
python3 - "$WORK/said" <<'PY'
import re, sys
register, call = map(int, re.search(r"registers \((\d+) ps, a call takes (\d+) ps\)", open(sys.argv[1]).read()).groups())
print("a line by its register:", register, "ps, by a call:", call, "ps, of virtual time")
assert register * 4 < call
PY
loads "1 lines on double-fast, driven by calls" "trigger=$pl061:7 responses=double-fast:0"
loads "the response line is on double-slow, which can sleep" "trigger=$pl061:7 responses=double-slow:0"
loads "the trigger line is on double-slow, which can sleep" "trigger=double-slow:7 responses=$pl061:0"
loads "the trigger line on double-fast has no interrupt" "trigger=double-fast:7 responses=$pl061:0"
loads "no controller is labelled so" "trigger=pl061:7 responses=$pl061:0"
loads "requested GPIO 0 (8) is out of range [0..7]" "trigger=$pl061:8 responses=$pl061:0"
loads "trigger=$pl061: a line is LABEL:OFFSET or LABEL:OFFSET:low" "trigger=$pl061 responses=$pl061:0"
loads "name both, trigger=LABEL:OFFSET and responses=" "trigger=$pl061:7"

# The machine's own device tree, with lines.
qemu-system-aarch64 -machine "virt,gic-version=2,dtb-randomness=off,dumpdtb=$WORK/virt.dtb" \
	-cpu cortex-a72 -m 256 -display none
controller=$(fdtget -t u "$WORK/virt.dtb" /pl061@9030000 phandle)
cat >"$WORK/lines.dts" <<-DTS
	/dts-v1/;
	/plugin/;
	&{/} {
		lines {
			compatible = "irqscope,gpio-lines";
			trigger-gpios = <$controller 7 0>;
			response-gpios = <$controller 0 0>, <$controller 1 1>, <$controller 2 0>;
		};
	};
DTS
dtc -q -I dts -O dtb -o "$WORK/lines.dtbo" "$WORK/lines.dts"
fdtoverlay -i "$WORK/virt.dtb" -o "$WORK/lines.dtb" "$WORK/lines.dtbo"
loads "lines: 3 lines on $pl061, driven by registers"
loads "there are lines already, those of lines" "trigger=$pl061:6 responses=$pl061:5"
