#!/bin/sh
# Tests AES-CBC side by side: under the sanitizers on this processor and, where a cross compiler
# and qemu-user are installed, the AArch64 code against what OpenSSL made here.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
node_include=$(node -p 'require("path").resolve(process.execPath, "../../include/node")')
include="-Isrc"
[ -e /usr/include/openssl/evp.h ] || include="-Isrc -I$node_include"
lanes="src/pdf/lanes.c src/pdf/lanes_schedule.c src/pdf/lanes_x86.c src/pdf/lanes_arm.c src/pdf/lanes_rc4.c src/pdf/rc4.c"

${CC:-cc} -std=gnu11 -O2 -g -Wall -Wextra -fsanitize=address,undefined \
  -fno-sanitize-recover=undefined $include test/native/fast_lanes_test.c $lanes src/core/cpu.c \
  -lcrypto -lpthread -o "$out/test"
"$out/test" "$@"

if command -v aarch64-linux-gnu-gcc > /dev/null && command -v qemu-aarch64-static > /dev/null; then
  "$out/test" --write "$out/jobs"
  aarch64-linux-gnu-gcc -std=gnu11 -O2 -Wall -Wextra -static -DOL_LANES_CHECK_ONLY -Isrc \
    test/native/fast_lanes_test.c src/pdf/lanes_schedule.c src/pdf/lanes_arm.c -o "$out/arm"
  qemu-aarch64-static "$out/arm" --check "$out/jobs"
else
  echo 'skipped: AArch64, for want of aarch64-linux-gnu-gcc and qemu-aarch64-static'
fi
