#!/usr/bin/env bash
# Measures what it costs to bring a store of 1,000,000 objects to other classes, beside the same change by hand
# on SQLite. Milliseconds, medians, in release mode, in the same run.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet MigrationBenchmark
