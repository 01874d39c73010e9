#!/usr/bin/env bash
# Measures what it costs to follow the change of one object, for 100, 10,000 and 1,000,000 results.
# Microseconds, medians, in release mode, beside asking the same question anew in the same run.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet NotificationBenchmark
