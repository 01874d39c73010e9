#!/usr/bin/env bash
# Measures reading, writing and collecting objects beside the same work by hand on SQLite.
# Nanoseconds each, medians, in release mode; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet ObjectBenchmark
