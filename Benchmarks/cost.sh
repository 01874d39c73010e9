#!/usr/bin/env bash
# Measures what the constants of CostModel stand for, on the GeoNames cities
# (Datasets/cities/fetch.py fetches them), and prints each in row reads.
# The medians of 15 runs each, in release mode; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$here/Scripts/setup"
cities="$here/Datasets/cities/cities500.csv"
test -f "$cities" || python3 "$here/Datasets/cities/fetch.py"
swift build --package-path "$here" -c release --product cadastre --quiet >&2
cadastre="$here/.build/release/cadastre"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
store="$work/cities.cadastre"
"$cadastre" import "$cities" --store "$store" --into City --pk id --index country --no-progress

# median NAME PREDICATE [OPTION…]: microseconds, and the number of objects
median() {
  "$cadastre" query "$store" City "$@" --repeat 15 2>&1 >/dev/null |
    sed -E 's/.*"medianMs":([0-9.e-]+),"count":([0-9]+).*/\1 \2/'
}
read -r scan _ < <(median "population > -1" --format count --indexes off)
read -r entries indexed < <(median "country == 'US'" --format count)
read -r fetched _ < <(median "country == 'US' AND population > -1" --format count)
read -r region inside < <(median "location GEOWITHIN geoCircle([10, 48], 0.2)" --format count)
rows=$("$cadastre" query "$store" City --format count)
awk -v scan="$scan" -v rows="$rows" -v entries="$entries" -v indexed="$indexed" \
  -v fetched="$fetched" -v region="$region" -v inside="$inside" 'BEGIN {
    read = (fetched - entries) / indexed
    printf "row read      %6.3f us = 1\n", read * 1000
    printf "scan step     %6.3f row reads\n", scan / rows / read
    printf "index step    %6.3f row reads\n", entries / indexed / read
    printf "spatial step  %6.3f row reads\n", region / inside / read
  }'
