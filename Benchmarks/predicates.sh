#!/usr/bin/env bash
# Measures how fast predicates are read, bound and planned, beside SQLite's preparing the same in SQL.
# Microseconds each, medians of 15 rounds, in release mode; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$here/Scripts/setup"
CADASTRE_DEVELOPMENT=1 swift run --package-path "$here" -c release --quiet PredicateBenchmark
