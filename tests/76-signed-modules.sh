# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: on a kernel that takes signed modules only, doctor and a run say which of signing and
# enrolment holds the driver back, and the command that mends it: with no driver installed, with one
# that is not signed, and with one that is signed by a key that the kernel does not trust.
# Runs: beside others, in make soak
. tests/lib/lib.sh

need_guest
. "$TESTS/lib/local.sh"
# The driver that the guest would load is built for the twin, too.
expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --count 20 --no-report --out "$WORK/built"
openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=A module key of the test's own/" -outform DER \
	-keyout "$WORK/key.pem" -out "$WORK/key.der" 2>/dev/null
local_scenario timer timer 10
local_script >"$WORK/script"
echo "cache=$CACHE; . $TESTS/lib/driver.sh" >>"$WORK/script"
echo "sign=$(ls "$CACHE"/kernels/6.1/usr/lib/linux-kbuild-*/scripts/sign-file)" >>"$WORK/script"
cat >>"$WORK/script" <<'SCRIPT'
PATH=$PATH:/usr/sbin:/sbin
driver=$(built_driver)/irqscope.ko
to=/lib/modules/$(uname -r)/updates/dkms
mkdir -p "$to"
says() { grep -qF -- "$1" said || { cat said; fail "does not say: $1"; }; }
refused() { # the reason, what mends it
	"$irqscope" doctor >said 2>&1
	says "held back by $1"
	says "$2"
	"$irqscope" run timer.toml --no-report --out refused >said 2>&1 && fail "it ran"
	says "held back by $1"
	says "$2"
	rm -rf refused
}

"$irqscope" doctor >said 2>&1
says "the kernel loads modules"
echo 1 >/sys/module/module/parameters/sig_enforce
cp "$driver" irqscope.ko
insmod irqscope.ko 2>said && fail "the kernel takes any module"
says "Key was rejected by service"

refused "signing: no driver is installed" "apt-get install irqscope-dkms linux-headers-$(uname -r)"
cp irqscope.ko "$to"
depmod
refused "signing: $to/irqscope.ko has no signature" "dkms"
"$sign" sha256 key.pem key.der irqscope.ko "$to/irqscope.ko" || fail "sign-file"
depmod
refused "enrolment: $to/irqscope.ko is signed by" "mokutil --import"
says "A module key of the test's own"
says "module.sig_enforce is set"
echo "each is named"
SCRIPT
run_guest 600 6.1 "$WORK"
grep -q "^each is named" "$WORK/script.output" || fail "not to the end"
