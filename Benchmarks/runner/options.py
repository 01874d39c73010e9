"""The command line of `Benchmarks/run`."""

import argparse
import os
from pathlib import Path

from . import catalogue, queries

SCALES = {"10k": 10_000, "100k": 100_000, "1m": 1_000_000, "5m": 5_000_000, "20m": 20_000_000}


def parse(arguments, benchmarks):
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run", description="Measures Cadastre and its peers in one run.")
    parser.add_argument("--scale", choices=SCALES, default="1m", help="number of places (default 1m)")
    parser.add_argument("--peers", default="all", help="all, none or some of: "
                        + ", ".join(key for key in catalogue.KEYS if key != catalogue.OURS))
    parser.add_argument("--only", help="selected queries, tasks and joins, such as Q1,W3,J1 (default all)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds after the warm-up (default 7)")
    parser.add_argument("--growth", action="store_true", help="measure all sizes up to five times the scale")
    parser.add_argument("--threads", action="store_true",
                        help="measure one and two concurrent readers, with and without a writer")
    parser.add_argument("--install", action="store_true", help="install missing peers")
    parser.add_argument("--before", type=Path, metavar="JSON",
                        help="results of an earlier run, whose times the report repeats")
    parser.add_argument("--column-memory", type=int, metavar="MIB",
                        help="the limit of Cadastre's cached columns in MiB (default that of the machine)")
    parser.add_argument("--limits", type=lambda text: [int(part) for part in text.split(",")], default=[],
                        metavar="MIB,…", help="further limits, each measured in a new process on the same store")
    parser.add_argument("--out", type=Path, default=Path(benchmarks) / "Results",
                        help="folder of the report (default Benchmarks/Results)")
    options = parser.parse_args(arguments)
    if options.before and not options.before.is_file():
        parser.error(f"--before: there is no file {options.before}")
    if options.column_memory is not None:
        os.environ["CADASTRE_COLUMN_MEMORY"] = str(options.column_memory << 20)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    try:
        options.entries = catalogue.selected(options.peers)
        options.rows, options.tasks, options.joins = chosen(options.only)
    except ValueError as error:
        parser.error(str(error))
    options.count = SCALES[options.scale]
    return options


def chosen(only):
    """Returns the rows of the report, the writing tasks and the joins in their order; a query includes its planar row."""
    known = [*queries.ORDER, *queries.WRITING, *queries.JOINS]
    names = only.split(",") if only else known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such query, task or join: {', '.join(unknown)}")
    rows = [row for row in queries.ORDER if row in names or queries.base(row) in names]
    return (rows, [task for task in queries.WRITING if task in names],
            [join for join in queries.JOINS if join in names])
