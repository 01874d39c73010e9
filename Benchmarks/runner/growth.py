"""The growth of query times with the number of places."""

from . import figures, options, queries
from .engine_group import EngineGroup, Member
from .oracle import Oracle

# The rounds, and the seconds for all rounds of an engine, at each size.
ROUNDS, BUDGET = 5, 6.0


def sizes(count):
    """Returns the sizes up to five times the scale of the run."""
    return [size for size in options.SCALES.values() if size <= 5 * count]


def measure(chosen, run, members, installer, work, prepare, repository):
    """Loads every engine at each size and runs the queries of the plot."""
    rows = [row for row in queries.GROWING if row in chosen.rows]
    for size in sizes(chosen.count):
        run.say(f"  {size:,} places")
        data, columns, constants = prepare(installer.cache, repository, size)
        oracle = Oracle(columns, constants, queries.EARTH_RADIUS)
        skipped = []
        group = EngineGroup(run.say, skipped)
        group.members = [Member(member.entry, member.program, data, work / f"growth-{member.key}")
                         for member in members]
        try:
            group.load()
            medians = run.results["growth"][str(size)] = {}
            for row in rows:
                results = group.run_query(row, ROUNDS, BUDGET)
                medians[row] = {}
                for key, result in results.items():
                    run.compare(row, key, result, oracle, group, at=f" at {size:,}")
                    medians[row][key] = {"median": figures.summary(result["ms"])["median"],
                                       "hits": result["hits"]}
                run.keep()
        finally:
            group.stop()
            for note in skipped:
                run.results["skipped"].append({**note, "what": f"{note['what']} at {size:,}"})
