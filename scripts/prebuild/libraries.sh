#!/usr/bin/env bash
# Usage: libraries.sh OUT HEADERS
# Builds static, position-independent libjpeg and libqpdf from Debian's source packages, against
# the headers of Node in HEADERS, and leaves include, lib and NOTICE in OUT. What they take from
# OpenSSL and zlib stays open, for Node's process to fill in.
set -euo pipefail
made_from=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1
headers=$2

# Leaves the source packages in the current folder; touches nothing of the system's own apt.
fetch_sources() {
  mkdir -p apt/lists/partial apt/archives/partial
  local options=(
    -q
    -o "Dir::Etc::sourcelist=$made_from/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$PWD/apt/lists" -o "Dir::Cache=$PWD/apt"
    -o "APT::Sandbox::User=$(id -un)"
  )
  apt-get "${options[@]}" update
  apt-get "${options[@]}" source --download-only qpdf=11.3.0-1+deb12u1 libjpeg-turbo=1:2.1.5-2
  sha256sum --check --strict "$made_from/sources.sha256"
}

build_libjpeg() {
  nice cmake -S libjpeg -B libjpeg-build -DCMAKE_BUILD_TYPE=Release -DENABLE_SHARED=OFF \
    -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_C_FLAGS="$flags"
  nice make -C libjpeg-build -j"$(nproc)" jpeg-static
  cp libjpeg-build/libjpeg.a "$new/lib/"
  cp libjpeg/{jpeglib,jmorecfg,jerror}.h libjpeg-build/jconfig.h "$new/include/"
}

# Only libqpdf's archive is made, so what is named as a library here is never looked for.
build_libqpdf() {
  nice cmake -S qpdf -B qpdf-build -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DUSE_IMPLICIT_CRYPTO=OFF -DREQUIRE_CRYPTO_OPENSSL=ON \
    -DDEFAULT_CRYPTO=openssl -DPKG_CONFIG_EXECUTABLE=/bin/false \
    -DOPENSSL_H_PATH="$headers" -DOPENSSL_LIB_PATH=crypto \
    -DZLIB_H_PATH="$headers" -DZLIB_LIB_PATH=z \
    -DLIBJPEG_H_PATH="$new/include" -DLIBJPEG_LIB_PATH=jpeg \
    -DCMAKE_CXX_FLAGS="-fPIC $flags" -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG'
  nice make -C qpdf-build -j"$(nproc)" libqpdf
  cp qpdf-build/libqpdf/libqpdf.a "$new/lib/"
  cp -r qpdf/include/qpdf "$new/include/"
}

write_notice() {
  cat <<'END'
The binary in prebuilds holds, beside offloop itself, the following works. It was linked from
Debian's source packages qpdf 11.3.0-1+deb12u1 and libjpeg-turbo 1:2.1.5-2, built without changes.
It also holds parts of GCC's libstdc++ and libgcc, under the GNU General Public License 3 with the
GCC Runtime Library Exception 3.1, which lets them be part of a work under any licence.

This software is based in part on the work of the Independent JPEG Group.
END
  local file
  for file in qpdf/NOTICE.md qpdf/LICENSE.txt libjpeg/LICENSE.md libjpeg/README.ijg; do
    printf '\n%s\n%s\n\n' "$(printf '=%.0s' {1..80})" "$file"
    cat "$file"
  done
}

work=$out-work
new=$out-new
flags="-ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=2 \
  -ffile-prefix-map=$work=. -Wno-deprecated-declarations"
rm -rf "$work" "$new"
mkdir -p "$work" "$new/include" "$new/lib"
cd "$work"
fetch_sources
dpkg-source --no-check -x qpdf_*.dsc qpdf
dpkg-source --no-check -x libjpeg-turbo_*.dsc libjpeg
build_libjpeg
build_libqpdf
write_notice >"$new/NOTICE"
cd /
rm -rf "$work" "$out"
mv "$new" "$out"
