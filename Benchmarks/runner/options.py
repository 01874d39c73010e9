"""The command line of `Benchmarks/run`."""

import argparse
from pathlib import Path

from . import catalogue, questions

SCALES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "5m": 5_000_000}


def parse(arguments, benchmarks):
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run", description="Measures Cadastre beside its peers, in one run.")
    parser.add_argument("--scale", choices=SCALES, default="1m", help="how many places (default 1m)")
    parser.add_argument("--peers", default="all", help="all, none or some of: "
                        + ", ".join(key for key in catalogue.KEYS if key != catalogue.OURS))
    parser.add_argument("--only", help="some questions and tasks, such as Q1,Q5,W3 (default all)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds after the warm-up (default 7)")
    parser.add_argument("--growth", action="store_true", help="ask at all sizes up to five times the scale")
    parser.add_argument("--threads", action="store_true",
                        help="ask by one and two readers at once, and beside a writer")
    parser.add_argument("--install", action="store_true", help="install the peers that are missing")
    parser.add_argument("--out", type=Path, default=Path(benchmarks) / "Results",
                        help="folder of the report (default Benchmarks/Results)")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds is 1 or more")
    try:
        options.entries = catalogue.wanted(options.peers)
        options.rows, options.tasks = chosen(options.only)
    except ValueError as error:
        parser.error(str(error))
    options.count = SCALES[options.scale]
    return options


def chosen(only):
    """Rows of the report and writing tasks, in their order; a question brings its planar row along."""
    names = only.split(",") if only else [*questions.ORDER, *questions.WRITING]
    unknown = [name for name in names if name not in questions.ORDER and name not in questions.WRITING]
    if unknown:
        raise ValueError(f"no such question or task: {', '.join(unknown)}")
    rows = [row for row in questions.ORDER if row in names or questions.base(row) in names]
    return rows, [task for task in questions.WRITING if task in names]
