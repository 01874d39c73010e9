#!/usr/bin/env bash
# Measures parsing, binding and planning of predicates, compared with SQLite's preparation of equivalent SQL.
# Microseconds each, medians of 15 rounds, release build; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
source "$here/Scripts/setup"
CADASTRE_DEVELOPMENT=1 swift run --package-path "$here" -c release --quiet PredicateBenchmark
