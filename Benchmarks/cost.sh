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

# median PREDICATE [OPTION…]: milliseconds, and the number of objects
median() {
  "$cadastre" query "$store" City "$@" --repeat 15 2>&1 >/dev/null |
    sed -E 's/.*"medianMs":([0-9.e-]+),"count":([0-9]+).*/\1 \2/'
}
# The first of a process's questions has no columns in memory.
cold() {
  "$cadastre" query "$store" City "$@" --repeat 2 2>&1 >/dev/null |
    sed -E 's/.*"coldMs":([0-9.e-]+),.*/\1/'
}
scan=$(for _ in 1 2 3 4 5 6 7; do
  cold "population > 30000000" --format count --indexes off
done | sort -g | sed -n 4p)
read -r memory _ < <(median "population > 30000000" --format count --indexes off)
# So few rows, and so far apart, that each is fetched by its key.
few="country IN {'IS', 'MT', 'UY', 'OM'}"
read -r entries indexed < <(median "$few" --format count)
read -r fetched _ < <(median "$few AND population > -1" --format count)
read -r region inside < <(median "location GEOWITHIN geoCircle([10, 48], 0.2)" --format count)
rows=$("$cadastre" query "$store" City --format count)
awk -v scan="$scan" -v rows="$rows" -v entries="$entries" -v indexed="$indexed" \
  -v fetched="$fetched" -v region="$region" -v inside="$inside" -v memory="$memory" 'BEGIN {
    read = (fetched - entries) / indexed
    printf "row read      %6.3f us = 1\n", read * 1000
    printf "scan step     %6.3f row reads\n", scan / rows / read
    printf "memory step   %6.4f row reads\n", memory / rows / read
    printf "index step    %6.3f row reads\n", entries / indexed / read
    printf "spatial step  %6.3f row reads\n", region / inside / read
  }'
