"""Helpers of the tests; adds the runner and the peers to the module path."""

import sys
from array import array
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
for folder in (BENCHMARKS, BENCHMARKS / "Peers"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def columns(*rows):
    """Returns places with the given (name, category, population, rating, longitude, latitude)."""
    from runner.places import Places
    places = object.__new__(Places)
    places.names = [row[0] for row in rows]
    places.categories = [row[1] for row in rows]
    places.populations = array("q", [row[2] for row in rows])
    places.ratings = array("d", [row[3] for row in rows])
    places.longitudes = array("d", [row[4] for row in rows])
    places.latitudes = array("d", [row[5] for row in rows])
    return places


def spots(*pairs):
    """Returns places with the given (longitude, latitude)."""
    return columns(*(("", "category 0", 0, 0.0, longitude, latitude) for longitude, latitude in pairs))
