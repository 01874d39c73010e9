#!/usr/bin/env bash
# Asks 1,000,000 made-up places the questions Q1 to Q6 and Q15 (regions of all sizes, ten neighbours), and
# the same of shapely, S2, SpatiaLite and DuckDB where they are installed; then what building and
# keeping the index costs, beside SQLite's own R*Tree. Medians of 7, in release mode; compare ratios.
#
#   Benchmarks/geography.sh [NUMBER OF PLACES]
#
# Where hits differ: "planar" means straight edges in degrees, as the peers have them, and must agree;
# without it edges are great circles, and S2 must agree. SpatiaLite's sphere is 0.11 % smaller than ours.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$here/Scripts/setup"
cities="$here/Datasets/cities/cities500.csv"
test -f "$cities" || python3 "$here/Datasets/cities/fetch.py"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export CADASTRE_DEVELOPMENT=1
swift build --package-path "$here" -c release --product GeographyBenchmark --quiet >&2
"$here/.build/release/GeographyBenchmark" "$cities" "$work" "${1:-1000000}"
python3 "$here/Benchmarks/Sources/GeographyBenchmark/peers.py" "$work"
