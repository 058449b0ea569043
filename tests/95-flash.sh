#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the image that is built reaches a boot drive as the blocks that its chip takes,
# byte for byte; another chip's image, and what is no boot drive, are refused and stay
# as they were; picotool and probe-rs get the right arguments; what is not found has a hint.
# Runs: beside others
. tests/lib/lib.sh

need_board
drive() { # DIRECTORY BOARD-ID
	mkdir "$WORK/$1"
	printf 'UF2 Bootloader v3.0\r\nModel: a board\r\nBoard-ID: %s\r\n' "$2" >"$WORK/$1/INFO_UF2.TXT"
}

drive pico RPI-RP2
expect 0 "$IRQSCOPE" generator flash --to "$WORK/pico"
says "for RP2040"
python3 - "$IMAGE" "$WORK/pico/irqscope.uf2" <<'PY'
import struct, sys
elf, uf2 = (open(path, "rb").read() for path in sys.argv[1:])
flash = {}
for at in range(0, len(uf2), 512):
    block = uf2[at : at + 512]
    begin, second, flags, address, size, number, count, family = struct.unpack("<8I", block[:32])
    assert (begin, second, flags, size) == (0x0A324655, 0x9E5D5157, 0x2000, 256)
    assert (number, count, family) == (at // 512, len(uf2) // 512, 0xE48BFF56)
    assert block[508:] == struct.pack("<I", 0x0AB16F30)
    flash.update({address + n: byte for n, byte in enumerate(block[32:288])})
table, = struct.unpack_from("<I", elf, 28)
size, count = struct.unpack_from("<HH", elf, 42)
told = {}
for n in range(count):
    kind, offset, _, address, length = struct.unpack_from("<5I", elf, table + n * size)
    if kind == 1:
        told.update({address + k: byte for k, byte in enumerate(elf[offset : offset + length])})
assert told and all(flash.get(address) == byte for address, byte in told.items())
assert {byte for address, byte in flash.items() if address not in told} <= {0xFF}
PY

# Nothing that is there is overwritten, whatever it is.
expect 3 "$IRQSCOPE" generator flash --to "$WORK/pico"
drive pico2 RP2350
expect 2 "$IRQSCOPE" generator flash --to "$WORK/pico2" --image "$IMAGE"
says "firmware/build rp2350"
drive other SAMD21G18A
expect 2 "$IRQSCOPE" generator flash --to "$WORK/other" --image "$IMAGE"
says "SAMD21G18A"
mkdir "$WORK/none"
expect 2 "$IRQSCOPE" generator flash --to "$WORK/none" --image "$IMAGE"
says "BOOTSEL"
expect 2 "$IRQSCOPE" generator flash --to "$WORK/pico2" --image tests/lib/lib.sh
says "ELF"
for place in none pico2 other; do
	[ ! -e "$WORK/$place/irqscope.uf2" ] || fail "something was written to $place"
done

# Programs of others, or what says how it was called in their place.
mkdir "$WORK/bin"
for tool in picotool probe-rs; do
	printf '#!/bin/sh\necho %s "$@" >>"%s/called"\n' $tool "$WORK" >"$WORK/bin/$tool"
	chmod +x "$WORK/bin/$tool"
	expect 0 env PATH="$WORK/bin:$PATH" "$IRQSCOPE" generator flash --with $tool --image "$IMAGE"
done
printf '%s\n' "picotool load -v -x -t elf $IMAGE" "probe-rs download --chip RP2040 $IMAGE" \
	"probe-rs reset --chip RP2040" | diff - "$WORK/called" || fail "called otherwise"

expect 0 "$IRQSCOPE" generator list
