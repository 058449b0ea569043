# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: Prometheus can scrape the server while it measures: promtool finds nothing wrong, the figures are
# those of the live stream, and docs/grafana-dashboard.json asks for no metric and no label that is not
# there.
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/small.toml" <<-TOML
	version = 1
	about = "A short measurement"
	kernels = ["6.1"]
	states = ["idle"]
	stages = ["irq", "softirq", "user"]
	[trigger]
	kind = "line"
	period = "1ms"
	count = 1200
TOML
serve_page "$WORK/small.toml"

scrape() { curl -sf "${page%/*}/metrics" -o "$WORK/metrics" && grep -q "$1" "$WORK/metrics"; }
await 120 scrape 'irqscope_samples_per_second' || fail "never measured: $(cat "$WORK/metrics")"
target/promtool check metrics <"$WORK/metrics" >"$WORK/said" 2>&1 || fail "promtool while it measures: $(cat "$WORK/said")"
await 120 scrape 'irqscope_measuring{.*} 0' || fail "never done"
target/promtool check metrics <"$WORK/metrics" >"$WORK/said" 2>&1 || fail "promtool: $(cat "$WORK/said")"
curl -sfI "${page%/*}/metrics" | grep -qi '^content-type: application/openmetrics-text' || fail "no OpenMetrics"

target/venv/bin/python "$TESTS/73-metrics.py" "$WORK/metrics" docs/grafana-dashboard.json "$WORK"/runs/*/summary.json
end_page
