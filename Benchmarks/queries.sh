#!/usr/bin/env bash
# Measures questions about collections, links and words beside the same questions in SQL, asked of the same
# file. Nanoseconds for a question, medians, in release mode; compare ratios, not times.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/../Scripts/setup"
swift run --package-path "$here" -c release --quiet QuestionBenchmark
