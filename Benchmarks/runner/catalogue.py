"""The engines in the order of the report, and the commands that start them."""

import sys
from pathlib import Path

OURS = "cadastre"
# The C baseline: the same work written by hand, a lower bound of the times and not a product.
BASELINE = "baseline"


class Entry:
    """An available engine: `make(installer)` returns its command line."""

    def __init__(self, key, title, make, *arguments):
        self.key, self.title, self.make, self.arguments = key, title, make, arguments


def _peer(name):
    return Path(__file__).resolve().parent.parent / "Peers" / name


def _python(file, *modules):
    return lambda installer: [installer.packages(*modules), _peer(file)]


CATALOGUE = [
    Entry(OURS, "Cadastre", lambda installer: [installer.swift("CadastreBenchmarkEngine")]),
    Entry(BASELINE, "C baseline", lambda installer: [installer.c(_peer("baseline.c"))]),
    Entry("grdb", "GRDB", lambda installer: [installer.swift("GRDBEngine")]),
    Entry("sqlite", "SQLite", lambda installer: [sys.executable, _peer("plain_sqlite.py")]),
    Entry("spatialite", "SpatiaLite", lambda installer: [installer.spatialite(), _peer("spatialite.py")]),
    Entry("duckdb", "DuckDB", _python("duck.py", "numpy", "duckdb"), "plain", "2"),
    Entry("duckdb1", "DuckDB, 1 thread", _python("duck.py", "numpy", "duckdb"), "plain", "1"),
    Entry("duckspatial", "DuckDB spatial",
          _python("duck.py", "numpy", "duckdb", "duckdb_extension_spatial"), "spatial", "2"),
    Entry("shapely", "shapely", _python("trees.py", "shapely", "scipy")),
    Entry("postgis", "PostGIS", lambda installer: [installer.postgis(), _peer("postgis.py")]),
]
KEYS = [entry.key for entry in CATALOGUE]


def selected(peers):
    """Returns the entries for `all`, `none` or a list of keys; Cadastre is always included."""
    keys = KEYS if peers == "all" else [] if peers == "none" else peers.split(",")
    unknown = [key for key in keys if key not in KEYS]
    if unknown:
        raise ValueError(f"no such peer: {', '.join(unknown)}; there are {', '.join(KEYS)}")
    return [entry for entry in CATALOGUE if entry.key == OURS or entry.key in keys]
