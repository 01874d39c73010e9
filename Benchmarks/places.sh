#!/usr/bin/env bash
# Measures questions about a million places, and reading and writing them, beside SQLite by hand and DuckDB
# (where Python has it) in the same run. Milliseconds, medians of 7, in release mode; compare ratios.
#   Benchmarks/places.sh [COUNT [PART]]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
cities="$here/../Datasets/cities/cities500.csv"
test -f "$cities" || python3 "$here/../Datasets/cities/fetch.py"
swift run --package-path "$here" -c release --quiet PlaceBenchmark "$cities" "$@"
