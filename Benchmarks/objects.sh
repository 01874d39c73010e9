#!/usr/bin/env bash
# Measures reads and writes of properties and collections, compared with SQL on SQLite.
# Nanoseconds per operation, medians, release build; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet ObjectBenchmark
