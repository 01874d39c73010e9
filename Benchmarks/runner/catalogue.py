"""The engines, in the order of the report, and how each is started."""

import sys
from pathlib import Path

OURS = "cadastre"
# The same work by hand: what can be reached at best, and no product.
FLOOR = "yardstick"


class Entry:
    """An engine that can be had: `make(workshop)` gives the words of its program."""

    def __init__(self, key, title, make, *arguments):
        self.key, self.title, self.make, self.arguments = key, title, make, arguments


def _peer(name):
    return Path(__file__).resolve().parent.parent / "Peers" / name


def _python(file, *modules):
    return lambda shop: [shop.packages(*modules), _peer(file)]


CATALOGUE = [
    Entry(OURS, "Cadastre", lambda shop: [shop.swift("CadastreEngine")]),
    Entry(FLOOR, "C yardstick", lambda shop: [shop.c(_peer("yardstick.c"))]),
    Entry("grdb", "GRDB", lambda shop: [shop.swift("GRDBEngine")]),
    Entry("sqlite", "SQLite", lambda shop: [sys.executable, _peer("plain_sqlite.py")]),
    Entry("spatialite", "SpatiaLite", lambda shop: [shop.spatialite(), _peer("spatialite.py")]),
    Entry("duckdb", "DuckDB", _python("duck.py", "duckdb"), "plain", "2"),
    Entry("duckdb1", "DuckDB, 1 thread", _python("duck.py", "duckdb"), "plain", "1"),
    Entry("duckspatial", "DuckDB spatial",
          _python("duck.py", "duckdb", "duckdb_extension_spatial"), "spatial", "2"),
    Entry("shapely", "shapely", _python("trees.py", "shapely", "scipy")),
    Entry("postgis", "PostGIS", lambda shop: [shop.postgis(), _peer("postgis.py")]),
]
KEYS = [entry.key for entry in CATALOGUE]


def wanted(peers):
    """The entries of `all`, `none` or a list of keys; Cadastre is always there."""
    keys = KEYS if peers == "all" else [] if peers == "none" else peers.split(",")
    unknown = [key for key in keys if key not in KEYS]
    if unknown:
        raise ValueError(f"no such peer: {', '.join(unknown)}; there are {', '.join(KEYS)}")
    return [entry for entry in CATALOGUE if entry.key == OURS or entry.key in keys]
