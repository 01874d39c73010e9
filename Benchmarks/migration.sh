#!/usr/bin/env bash
# Measures schema migrations of a store of 1,000,000 objects, compared with the same change in SQL on SQLite in
# the same run. Milliseconds, medians, release build.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet MigrationBenchmark
