#!/usr/bin/env bash
# Cross-compiles the CRC engine for AArch64 and runs its native test in qemu's user mode, so that
# the PMULL kernel is tested on any machine. Needs (Debian): gcc-aarch64-linux-gnu,
# libc6-dev-arm64-cross, qemu-user-static.
set -euo pipefail
cd "$(dirname "$0")/.."

cc=${AARCH64_CC:-aarch64-linux-gnu-gcc}
qemu=${AARCH64_QEMU:-qemu-aarch64-static}
for tool in "$cc" "$qemu"; do
  command -v "$tool" >/dev/null || {
    echo "test-aarch64: $tool is missing (Debian: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)" >&2
    exit 1
  }
done

out=build/aarch64
mkdir -p "$out"
# Static, so that qemu needs no AArch64 system around it. AddressSanitizer does not run under
# qemu's user mode; undefined behaviour traps instead.
"$cc" -std=gnu11 -g -O2 -Wall -Wextra -Werror -Isrc -Itest/native -static \
  -fsanitize=undefined -fsanitize-undefined-trap-on-error \
  test/native/crc_test.c src/core/crc*.c src/core/cpu.c -lpthread -o "$out/crc_test"
output=$("$qemu" "$out/crc_test") || { echo "$output"; exit 1; }
echo "$output"
grep -q '^kernel pmull: tested$' <<<"$output" || { echo 'test-aarch64: pmull did not run' >&2; exit 1; }
