# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts beside this folder: finds the project, installs what is missing, builds.
# Sourced, not run.

project_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

build_packages=(
  build-essential cmake ninja-build pkg-config
  libsystemc-dev libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  verilator zlib1g-dev  # fstapi, the library that writes and reads FST waves, comes with Verilator
)
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev)

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

# Installs the Debian packages that are not there yet; needs root or sudo only if one is missing.
install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing and neither root nor sudo is at hand: ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# build PRESET [configure arguments --] [target ...]
build() {
  local preset=$1
  shift
  local configure=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do configure+=("$1"); shift; done
  [ $# -gt 0 ] && shift
  local targets=()
  [ $# -gt 0 ] && targets=(--target "$@")
  say "building (preset $preset)"
  (cd "$project_dir" && cmake --preset "$preset" "${configure[@]}" >/dev/null &&
    cmake --build "build/$preset" "${targets[@]}")
}
