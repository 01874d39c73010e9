#!/usr/bin/env bash
# Measures asyncWrite of many tasks on four actors beside the same plain writes on one thread.
# Nanoseconds per durable write of one object, medians, release build; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet WriteBenchmark "$@"
