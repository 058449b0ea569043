# SPDX-License-Identifier: Apache-2.0 OR MIT
# built_driver: prints the directory, in the cache at $cache, of the newest driver that was built
# for the kernel that runs. Modules of a user's own lie there, too, in directories with like names.
# For scripts in guests.
built_driver() {
	_module=$(ls -t "$cache"/drivers/"$(uname -r)"-release-*/irqscope.ko | head -n 1)
	[ -n "$_module" ] && dirname "$_module"
}
