#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rules of the repository that need no compiler: layout of the source, licence lines, arrows
# between the folders, file sizes.
set -euo pipefail
. "$(dirname "$0")/lib/setup.sh"
cd "$project_dir"

failed=0
complain() {  # title, list
  [ -z "$2" ] && return
  printf '%s\n%s\n' "$1" "$2" >&2
  failed=1
}

mapfile -t sources < <(git ls-files -- '*.h' '*.cpp')
[ ${#sources[@]} -gt 0 ] || die "no source files found: is this a git checkout?"

if ! command -v clang-format >/dev/null; then install_missing clang-format; fi
complain "Not in the layout of .clang-format (run scripts/format.sh):" \
  "$(clang-format --dry-run --Werror "${sources[@]}" 2>&1 | grep -oE '^[^:]+\.(h|cpp)' | sort -u || true)"
complain "No SPDX line:" "$(grep -L 'SPDX-License-Identifier: Apache-2.0' "${sources[@]}" || true)"
complain "Headers without #pragma once:" \
  "$(git ls-files -- '*.h' | xargs -r grep -L '#pragma once' || true)"
complain "Includes against the direction of the floors:" "$({
  git grep -nE '#include "(pcie|models|host_driver|scenarios|waves)/' -- sim
  git grep -nE '#include "(models|host_driver|scenarios|waves)/' -- pcie
  git grep -nE '#include "(pcie|host_driver|scenarios|waves)/' -- models
  git grep -nE '#include "(models|scenarios|waves)/' -- host_driver
} || true)"
complain "Files over 500 lines:" \
  "$(wc -l "${sources[@]}" | awk '$2 != "total" && $1 > 500 {print "  " $2 ": " $1}')"
[ $failed -eq 0 ] && echo "tree: ${#sources[@]} source files checked, nothing to complain about"
exit $failed
