#!/usr/bin/env bash
# Compiles and runs the tests of the pure C parts (test/native/*_test.c) under AddressSanitizer and
# UndefinedBehaviorSanitizer, without Node. Arguments: names of tests (crc_test …); none means all.
# Needs a C compiler and OpenSSL's development files (Debian: libssl-dev).
set -euo pipefail
cd "$(dirname "$0")/.."

cc=${CC:-cc}
out=build/native
flags=(-std=gnu11 -g -O1 -Wall -Wextra -Isrc -Itest/native -fno-omit-frame-pointer
  -fsanitize=address,undefined -fno-sanitize-recover=all)
mkdir -p "$out"

# One archive of everything that knows neither Node nor libuv: a test links what it uses.
sources=(src/core/*.c)
for source in src/pdf/*.c; do
  [ -e "$source" ] && sources+=("$source")
done
objects=()
commands=()
for source in "${sources[@]}"; do
  object="$out/$(tr / _ <<<"${source%.c}").o"
  objects+=("$object")
  commands+=("$cc ${flags[*]} -c $source -o $object")
done
printf '%s\0' "${commands[@]}" | xargs -0 -P "$(nproc)" -I{} sh -c '{}'
rm -f "$out/libcore.a"
ar rcs "$out/libcore.a" "${objects[@]}"

if [ $# -gt 0 ]; then
  tests=("$@")
else
  tests=()
  for test in test/native/*_test.c; do tests+=("$(basename "$test" .c)"); done
fi

failed=0
for name in "${tests[@]}"; do
  echo "# $name"
  "$cc" "${flags[@]}" "test/native/$name.c" "$out/libcore.a" -lcrypto -lpthread -o "$out/$name"
  "$out/$name" || { failed=$((failed + 1)); echo "# $name failed"; }
done
echo "# ${#tests[@]} native tests, $failed failed"
[ "$failed" -eq 0 ]
