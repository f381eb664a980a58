#!/usr/bin/env bash
# Makes a fresh clone ready to build, test and benchmark: installs the system packages that are
# missing (after saying which), then the npm packages, then builds the addon. Run it again at will;
# with nothing missing it takes a moment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# need PACKAGE TEST...: notes PACKAGE, unless it is noted already or the test succeeds.
packages=()
need() {
  local package=$1
  shift
  "$@" >/dev/null 2>&1 && return
  [[ " ${packages[*]-} " == *" $package "* ]] || packages+=("$package")
}

has_libqpdf() { pkg-config --exists libqpdf; }

# needs COMPILER MAKE PYTHON PKG-CONFIG LIBQPDF QPDF POPPLER: the packages that hold them here.
needs() {
  need "$1" have c++
  need "$1" have cc
  need "$2" have make
  need "$3" have python3
  need "$4" have pkg-config
  need "$5" has_libqpdf
  need "$6" have qpdf
  need "$7" have pdfinfo
  need "$7" have pdftoppm
}

# as_root COMMAND...: runs it as root; or, where that cannot be, says what a person who can should run.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif have sudo && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    die "that needs root, and sudo is not there or asks for a password. As root, install: ${packages[*]}"
  fi
}

install_with_apt() {
  needs build-essential build-essential python3 pkg-config libqpdf-dev qpdf poppler-utils
  [[ ${#packages[@]} -gt 0 ]] || return 0
  say "installing with apt-get: ${packages[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    say 'apt-get update failed; trying with the lists that are there'
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    "${packages[@]}"
}

install_with_dnf() {
  needs gcc-c++ make python3 pkgconf-pkg-config qpdf-devel qpdf poppler-utils
  [[ ${#packages[@]} -gt 0 ]] || return 0
  say "installing with dnf: ${packages[*]}"
  as_root dnf install -q -y "${packages[@]}"
}

install_with_brew() {
  xcode-select -p >/dev/null 2>&1 ||
    die 'the compiler is missing: run xcode-select --install, then this again'
  needs '' '' python pkgconf qpdf qpdf poppler
  [[ ${#packages[@]} -gt 0 ]] || return 0
  say "installing with brew: ${packages[*]}"
  brew install --quiet "${packages[@]}"
}

install_system_packages() {
  if [[ $(uname -s) == Darwin ]]; then
    have brew || die 'Homebrew is needed to install qpdf: https://brew.sh'
    install_with_brew
  elif have apt-get; then
    install_with_apt
  elif have dnf; then
    install_with_dnf
  else
    needs 'a C and C++ compiler' make python3 pkg-config libqpdf qpdf poppler-utils
    [[ ${#packages[@]} -eq 0 ]] ||
      die "no apt-get, dnf or brew here. Install by hand: $(printf '%s; ' "${packages[@]}")"
  fi
}

# npm removes and installs everything anew, so it is only asked when the lock file is newer than
# what it installed last. No package needs its install script.
install_npm_packages() {
  [[ node_modules/.package-lock.json -nt package-lock.json ]] && return
  say 'installing npm packages into node_modules'
  npm ci --ignore-scripts --no-audit --no-fund
}

if ! have node || ! have npm; then
  die 'Node.js 20 or newer, with npm, is needed first: https://nodejs.org'
fi
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
  die "Node.js 20 or newer is needed, this is $(node --version)"

install_system_packages
install_npm_packages
npm run --silent build -- --incremental
say 'ready'
