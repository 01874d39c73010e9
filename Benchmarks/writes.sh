#!/usr/bin/env bash
# Measures asyncWrite of many tasks on four actors beside the same plain writes on one thread; commits that share
# synchronisations of the disk beside SQLite with synchronous=FULL and NORMAL; and changes of 100,000 objects by a query
# beside one SQL statement. Arguments: async, shared, batches.
# Nanoseconds per object, medians, release build; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet WriteBenchmark "$@"
