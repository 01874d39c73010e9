"""Puts the runner and the peers within reach of the tests."""

import sys
from array import array
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
for folder in (BENCHMARKS, BENCHMARKS / "Peers"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def columns(*rows):
    """Places from (name, category, population, rating, longitude, latitude)."""
    from runner.places import Places
    made = object.__new__(Places)
    made.names = [row[0] for row in rows]
    made.categories = [row[1] for row in rows]
    made.populations = array("q", [row[2] for row in rows])
    made.ratings = array("d", [row[3] for row in rows])
    made.longitudes = array("d", [row[4] for row in rows])
    made.latitudes = array("d", [row[5] for row in rows])
    return made


def spots(*pairs):
    """Places of which only longitude and latitude matter."""
    return columns(*(("", "category 0", 0, 0.0, longitude, latitude) for longitude, latitude in pairs))
