"""How answers grow with the number of places."""

from . import figures, options, questions
from .fleet import Fleet, Member
from .oracle import Oracle

# Rounds, and seconds for all rounds of an engine, at each size.
ROUNDS, BUDGET = 5, 6.0


def sizes(count):
    """The sizes up to five times the scale of the run."""
    return [size for size in options.SCALES.values() if size <= 5 * count]


def measure(chosen, run, members, workshop, work, prepare, repository):
    """Loads every engine at each size and asks the questions of the plot."""
    rows = [row for row in questions.GROWING if row in chosen.rows]
    for size in sizes(chosen.count):
        run.say(f"  {size:,} places")
        data, columns, asked = prepare(workshop.cache, repository, size)
        oracle = Oracle(columns, asked, questions.EARTH_RADIUS)
        skipped = []
        fleet = Fleet(run.say, skipped)
        fleet.members = [Member(member.entry, member.program, data, work / f"growth-{member.key}")
                         for member in members]
        try:
            fleet.load()
            found = run.found["growth"][str(size)] = {}
            for row in rows:
                answers = fleet.ask(row, ROUNDS, BUDGET)
                found[row] = {}
                for key, answer in answers.items():
                    run.judge(row, key, answer, oracle, fleet, at=f" at {size:,}")
                    found[row][key] = {"median": figures.summary(answer["ms"])["median"],
                                       "hits": answer["hits"]}
                run.keep()
        finally:
            fleet.stop()
            for note in skipped:
                run.found["skipped"].append({**note, "what": f"{note['what']} at {size:,}"})
