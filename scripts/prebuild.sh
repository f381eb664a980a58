#!/usr/bin/env bash
# Makes what the package ships: prebuilds/linux-x64/offloop.node and NOTICE. The binary holds
# libqpdf, libjpeg and the C++ runtime, takes OpenSSL, zlib and libuv from the process of Node that
# loads it, and needs nothing else but a glibc as old as Node's own.
#
# The libraries are built from Debian's source packages, whose versions and hashes are pinned in
# scripts/prebuild, against the headers of the oldest supported Node. They are kept in .cache (or
# OFFLOOP_CACHE) until something that they are made from changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
made_from=$root/scripts/prebuild

say() { printf 'prebuild: %s\n' "$*"; }
die() { printf 'prebuild: %s\n' "$*" >&2; exit 1; }

[[ $(uname -sm) == 'Linux x86_64' ]] || die 'this makes the binary for linux-x64 only, and on it'
for tool in apt-get dpkg-source cmake make c++; do
  command -v "$tool" >/dev/null ||
    die "$tool is missing (Debian: apt-get install build-essential cmake dpkg-dev)"
done

{ read -r cache && read -r node; } < <(node scripts/cache.js) || die 'no Node to build for'
headers=$node/include/node

key=$({ cat "$made_from"/{libraries.sh,sources.*}; c++ --version; } | sha256sum | cut -c1-16)
out=$cache/libraries-$key

if [[ ! -d $out ]]; then
  say 'building libjpeg and libqpdf; this takes a few minutes'
  mkdir -p "$cache"
  "$made_from/libraries.sh" "$out" "$headers" >"$cache/libraries.log" 2>&1 ||
    { tail -n 40 "$cache/libraries.log" >&2; die "that failed; all of it is in $cache/libraries.log"; }
fi

# Away from the tree, whose own build stays as it is.
addon=$cache/addon
rm -rf "$addon"
mkdir -p "$addon/scripts" "$addon/node_modules"
cp -r binding.gyp package.json src "$addon/"
cp -r "$made_from" "$addon/scripts/"
cp -r node_modules/node-addon-api "$addon/node_modules/"
say "building the addon for Node $(sed -n 's/.*"version": "\(.*\)".*/\1/p' "$node/package.json") and later"
node node_modules/node-gyp/bin/node-gyp.js rebuild --silent -C "$addon" --nodedir="$node" \
  -j "$(nproc)" -- -Dqpdf_static="$out" >"$cache/addon.log" 2>&1 ||
  { tail -n 40 "$cache/addon.log" >&2; die "that failed; all of it is in $cache/addon.log"; }

newer=$(objdump -T "$addon/build/Release/offloop.node" |
  grep -oE 'GLIBC_2\.(29|[3-9][0-9])\)? +\w+' || true)
[[ -z $newer ]] || die "these need a newer glibc than Node does; see scripts/prebuild/glibc.c: $newer"

mkdir -p prebuilds/linux-x64
cp "$addon/build/Release/offloop.node" prebuilds/linux-x64/offloop.node.new
mv prebuilds/linux-x64/offloop.node.new prebuilds/linux-x64/offloop.node
cp "$out/NOTICE" NOTICE
rm -rf "$addon"
say "prebuilds/linux-x64/offloop.node: $(stat -c %s prebuilds/linux-x64/offloop.node) bytes"
