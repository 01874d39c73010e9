#!/usr/bin/env bash
# Measures the cost that each constant of CostModel describes, and prints it in units of one row read next
# to the value of the constant. The data are places generated from GeoNames cities, which
# Datasets/cities/fetch.py downloads. Medians of 7, release build; compare ratios, not times.
#   Benchmarks/cost.sh [COUNT]
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$here/Scripts/setup"
cities="$here/Datasets/cities/cities500.csv"
test -f "$cities" || python3 "$here/Datasets/cities/fetch.py"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export CADASTRE_DEVELOPMENT=1
swift build --package-path "$here" -c release --product CostBenchmark --quiet >&2
"$here/.build/release/CostBenchmark" "$cities" "$work" "${1:-250000}"
