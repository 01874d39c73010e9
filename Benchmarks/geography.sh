#!/usr/bin/env bash
# Runs the queries Q1 to Q6 and Q15 (regions of all sizes, ten nearest neighbours) on 1,000,000 synthetic
# places, in Cadastre and in shapely, S2, SpatiaLite and DuckDB if they are installed. Then measures building
# and updating the spatial index, compared with SQLite's R*Tree. Medians of 7, release build; compare ratios.
#
#   Benchmarks/geography.sh [COUNT]
#
# Hits: rows marked "planar" have edges that are straight in degrees, as in the peers, and must have equal
# hits. Other rows have great circles and must equal S2. SpatiaLite's sphere is 0.11 % smaller than Cadastre's.
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
