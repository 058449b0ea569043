# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: with the page alone, in at most six actions, a browser finds the cause of the latest response:
# a fault of known name and length, as irqscope explain names it. The lines can be zoomed, panned,
# measured with cursors and piled up, triggers are found, and the address says all of it.
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/fault.toml" <<-TOML
	version = 1
	about = "A fault of known name and length now and then"
	rig = "twin"
	kernels = ["6.1"]
	states = ["idle"]
	explain = true
	[faults]
	kinds = ["irqs-off"]
	length = "200us"
	interval = "12ms"
	seed = 3
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	seed = 2
	count = 600
TOML
expect 0 "$IRQSCOPE" run "$WORK/fault.toml" --out "$WORK/runs/fault"
expect 0 "$IRQSCOPE" explain "$WORK/runs/fault" --above max --json
cp "$WORK/said" "$WORK/explained.json"

serve_page ${PAGE:+--page "$PAGE"}
timeout 200 node "$TESTS/72-page-cause.mjs" "$page" fault "$WORK/runs/fault/summary.json" "$WORK/explained.json"
end_page
