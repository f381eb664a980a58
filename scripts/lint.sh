#!/usr/bin/env bash
# Looks at everything without changing anything: formats, types, C's usual mistakes, and the package
# as those see it who install it. Needs (Debian): clang-format, cppcheck.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in clang-format cppcheck; do
  command -v "$tool" >/dev/null ||
    { echo "lint: $tool is missing (Debian: apt-get install clang-format cppcheck)" >&2; exit 1; }
done

failed=()
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "lint: $name: ok"
  else
    printf '%s\nlint: %s: FAILED\n' "$output" "$name"
    failed+=("$name")
  fi
}

bin=node_modules/.bin
mapfile -t native < <(git ls-files '*.c' '*.cc' '*.h')
mapfile -t sources < <(git ls-files 'src/*.c')

check prettier "$bin/prettier" --check lib test benchmarks examples fixtures scripts index.d.ts index.d.mts
check clang-format clang-format --dry-run --Werror "${native[@]}"
check types "$bin/tsc" -p tsconfig.json
check cppcheck cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability \
  --std=c11 --inline-suppr --suppressions-list=.cppcheck-suppressions \
  --suppress=missingIncludeSystem -Isrc "${sources[@]}"
check publint "$bin/publint" --strict
check attw "$bin/attw" --pack . --profile node16 --quiet

if [ ${#failed[@]} -gt 0 ]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
