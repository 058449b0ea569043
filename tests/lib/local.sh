# SPDX-License-Identifier: Apache-2.0 OR MIT
# The machine in hand, for tests of rig local: a guest in real time.
#
#   local_script    prints the head of the guest's script, after which it has $irqscope,
#                   await, unchanged (as-before.sh), fail, and
#                     measuring COUNT          whether the driver has had that many triggers
#                     end_long SIGNAL SECONDS  runs long.toml, ends it by a signal once it
#                                              measures, prints its exit status, and waits
#                                              until the machine is as before
#   local_scenario NAME TRIGGER COUNT
#                   writes NAME.toml into $WORK: all stages, from inside
# The guest sees this machine's files, also the functions below.
local_script() {
	cat <<-SCRIPT
		export HOME=$HOME IRQSCOPE_CACHE=$CACHE IRQSCOPE_PARTS=$PARTS
		irqscope=$(realpath "$IRQSCOPE")
		. $TESTS/lib/await.sh
		. $TESTS/lib/as-before.sh
		. $TESTS/lib/in-guest.sh
	SCRIPT
}

local_scenario() {
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "For rig local"
		rig = "local"
		states = ["idle"]
		views = ["inside"]
		[trigger]
		kind = "$2"
		period = "4ms"
		count = $3
	TOML
}
