# SPDX-License-Identifier: Apache-2.0 OR MIT
"""overlay.py WORK BOARD WIRING: applies WORK/rpiBOARD.dtbo to the least device tree
that has a GPIO controller, and compares its lines with the table in WIRING."""
import re
import subprocess
import sys

work, board, wiring = sys.argv[1:]
chip = {"4": "bcm2711", "5": "bcm2712"}[board]
BASE = f"""/dts-v1/;
/ {{ compatible = "brcm,{chip}"; soc {{ gpio: gpio {{ gpio-controller; #gpio-cells = <2>; }}; }}; }};
"""


def call(*words, text=None):
    return subprocess.run(words, input=text, check=True, capture_output=True, text=True).stdout


base, merged = f"{work}/base{board}.dtb", f"{work}/rpi{board}.dtb"
call("dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", base, text=BASE)
call("fdtoverlay", "-i", base, "-o", merged, f"{work}/rpi{board}.dtbo")


def cells(node, name):
    return [int(cell) for cell in call("fdtget", "-t", "u", merged, node, name).split()]


controller = cells("/soc/gpio", "phandle")[0]
lines = cells("/irqscope-gpio-lines", "trigger-gpios") + cells("/irqscope-gpio-lines", "response-gpios")
entries = list(zip(lines[0::3], lines[1::3], lines[2::3]))
assert all(entry == (controller, number, 0) for entry, number in zip(entries, lines[1::3])), entries
# | trigger | 35 | GPIO 19 |
rows = re.findall(r"^\| (trigger|line \d) \| \d+ \| GPIO (\d+) \|", open(wiring).read(), re.M)
assert [name for name, _ in rows] == ["trigger"] + [f"line {line}" for line in range(8)], rows
assert [int(number) for _, number in rows] == lines[1::3], (rows, lines)
pins = cells("/irqscope-gpio-lines", "pinctrl-0")
assert pins == cells("/soc/gpio/irqscope-pins", "phandle")
print(f"Raspberry Pi {board}: trigger and {len(rows) - 1} lines as in {wiring}")
