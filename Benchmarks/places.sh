#!/usr/bin/env bash
# Measures queries, reads and writes of a million places, compared with SQL on SQLite and with DuckDB (if
# Python has it) in the same run. Milliseconds, medians of 7, release build; compare ratios.
#   Benchmarks/places.sh [COUNT [PART]]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
cities="$here/../Datasets/cities/cities500.csv"
test -f "$cities" || python3 "$here/../Datasets/cities/fetch.py"
swift run --package-path "$here" -c release --quiet PlaceBenchmark "$cities" "$@"
