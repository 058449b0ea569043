# SPDX-License-Identifier: Apache-2.0 OR MIT
# Asks a real target what decides whether and how it can be measured; facts.rs
# reads the answers. Changes nothing.
headers=/lib/modules/$(uname -r)/build
tell() {
    echo "$1=$(cat "$2" 2>/dev/null)"
}
echo "release=$(uname -r)"
echo "machine=$(uname -m)"
echo "uid=$(id -u)"
if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then echo sudo=yes; fi
echo "headers_dir=$headers"
if [ -e "$headers/Makefile" ]; then
    echo "headers=$(cat "$headers/include/config/auto.conf" "$headers/Module.symvers" | sha256sum)"
fi
if command -v make >/dev/null && command -v gcc >/dev/null; then echo compiler=yes; fi
if [ -e /sys/module/irqscope ]; then echo loaded=yes; fi
if [ -e /proc/modules ]; then echo modules=yes; fi
PATH=$PATH:/usr/sbin:/sbin
echo "driver=$(modinfo -n irqscope 2>/dev/null)"
echo "signer=$(modinfo -F signer irqscope 2>/dev/null)"
echo "keys=$(sed -n 's/.* asymmetri *//p' /proc/keys 2>/dev/null | tr '\n' ';')"
tell online /sys/devices/system/cpu/online
tell disabled /proc/sys/kernel/modules_disabled
tell enforced /sys/module/module/parameters/sig_enforce
tell machine_id /etc/machine-id
tell lockdown /sys/kernel/security/lockdown
