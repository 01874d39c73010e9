#!/usr/bin/env bash
# Measures the delivery of a change of one object and the incremental update of 100, 10,000 and 1,000,000
# results, compared with a new query in the same run. Microseconds, medians, release build.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet NotificationBenchmark
