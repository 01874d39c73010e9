#!/usr/bin/env bash
# Measures what each constant of CostModel stands for on places made of GeoNames cities
# (Datasets/cities/fetch.py fetches them), and prints it in row reads beside the constant's value.
# Medians of 7, in release mode; compare ratios, not times.
#   Benchmarks/cost.sh [NUMBER OF PLACES]
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
