#!/usr/bin/env bash
# Measures queries on collections, links and full text, compared with equivalent SQL on the same file.
# Nanoseconds per query, medians, release build; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet QueryBenchmark
