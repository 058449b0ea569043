# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a page with nothing to show offers one thing to do; a scenario is written on it, checked with the line
# of what is wrong, refused where it may reach beyond a guest, and started; and while it is measured its lines are
# shown, held, and triggered on the worst, above a latency and once.
# Runs: beside others
. tests/lib/lib.sh

serve_page ${PAGE:+--page "$PAGE"}
timeout 420 node "$TESTS/74-page-scenario.mjs" "$page" "$WORK/pictures"
end_page
