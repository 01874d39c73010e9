"""DuckDB, a column store: with one or more threads, with or without its spatial extension and RTREE.

Third argument: `spatial` or `plain`; fourth: the number of threads.
"""

import sys
import time
from pathlib import Path

import duckdb

from peer import Skipped, corners, serve, window, wkt
from sql import COMMITS, TABLE, SQLPeer, literal


def extension():
    """Returns the path of the spatial extension in the package duckdb-extension-spatial."""
    import duckdb_extension_spatial
    folder = Path(duckdb_extension_spatial.__file__).parent / "extensions"
    return next(folder.glob("*/spatial.duckdb_extension"))


class DuckDB(SQLPeer):
    def __init__(self, data, work):
        super().__init__(data, work)
        self.spatial, self.threads = sys.argv[3] == "spatial", int(sys.argv[4])
        self.name = "DuckDB spatial" if self.spatial else f"DuckDB, threads: {self.threads}"
        self.file = "spatial.duckdb" if self.spatial else "plain.duckdb"
        self.note = ("RTREE, ST_Intersects, circles by haversines in a bounding box" if self.spatial
                     else "columns scanned; no polygons")

    def version(self):
        return duckdb.__version__

    def connect(self, file):
        store = duckdb.connect(str(self.work / file), config={"threads": self.threads})
        if self.spatial:
            store.execute(f"LOAD '{extension()}'")
        return store

    def fill(self, store):
        spot = ", ST_Point(longitude, latitude) AS spot" if self.spatial else ""
        store.execute(f"CREATE TABLE place{TABLE}")
        if self.spatial:
            store.execute("ALTER TABLE place ADD COLUMN spot GEOMETRY")
        store.execute(f"INSERT INTO place SELECT *{spot} FROM read_csv('{self.data / 'places.csv'}')")

    def index(self, store):
        if not self.spatial:
            return None
        start = time.perf_counter()
        store.execute("CREATE INDEX spots ON place USING RTREE (spot)")
        return time.perf_counter() - start

    def load(self):
        store = self.store = self.connect(self.file)
        self.fill(store)
        seconds = self.index(store)
        store.execute("CREATE TABLE indexed AS SELECT id, name, population FROM place")
        store.execute("CREATE INDEX populations ON indexed(population)")
        store.execute("CREATE INDEX names ON indexed(name)")
        store.execute("CHECKPOINT")
        return seconds, (self.work / self.file).stat().st_size

    def open(self):
        self.store = self.connect(self.file)

    def ids(self, sql):
        return next(iter(self.store.execute(sql).fetchnumpy().values()))

    def numbers(self, sql):
        values = self.ids(sql)
        return len(values), int(values.sum())

    def look_up(self, key):
        return self.store.execute("SELECT population FROM place WHERE id = ?", [key]).fetchone()[0]

    def starts(self, column, text):
        return f"starts_with({column}, {literal(text)})"

    def prefix(self, column, text):
        return self.starts(column, text)

    def contains(self, column, text):
        return f"contains(lower({column}), {literal(text)})"

    def in_box(self, box):
        west, south, east, north = box
        if self.spatial:
            return f"ST_Within(spot, ST_MakeEnvelope({west!r}, {south!r}, {east!r}, {north!r}))"
        return f"longitude BETWEEN {west!r} AND {east!r} AND latitude BETWEEN {south!r} AND {north!r}"

    def region(self, name, query):
        if name == "Q16":
            longitude, latitude = query["point"]
            return lambda: self.ids("SELECT id FROM place WHERE "
                                    f"longitude = {longitude!r} AND latitude = {latitude!r}")
        if name == "Q15":
            order = f"ORDER BY {self.haversine(*query['center'])}, id LIMIT {query['limit']}"
            return lambda: self.ids(f"SELECT id FROM place {order}")
        if "ring" in query and not self.spatial:
            raise Skipped("no polygons without the spatial extension")

        def run():
            near, table = "", "place"
            if "center" in query:
                where = self.within(query)
                box = self.in_box(window(query["center"], self.angle(query)))
                if self.spatial:
                    # With another long condition in the same WHERE, the box would not use the index.
                    near = f"WITH near AS MATERIALIZED (SELECT * EXCLUDE spot FROM place WHERE {box}) "
                    table = "near"
                else:
                    where = f"{box} AND {where}"
            elif self.spatial:
                where = f"ST_Intersects(spot, ST_GeomFromText('{wkt(corners(query))}'))"
            else:
                where = self.in_box(query["box"])
            what = "count(*)" if name == "Q22" else "id"
            values = self.ids(f"{near}SELECT {what} FROM {table} WHERE {where}{self.filters(query)}")
            return values[0] if name == "Q22" else values
        return run

    def write(self, name):
        file = "written.duckdb"
        if name == "W1":
            start = time.perf_counter()
            store = self.written = self.connect(file)
            store.execute("BEGIN")
            self.fill(store)
            self.index(store)
            store.execute("COMMIT")
            store.execute("CHECKPOINT")
            return time.perf_counter() - start, self.count, (self.work / file).stat().st_size
        if name == "W2" and self.spatial:
            self.written.execute("DROP INDEX spots")
            return self.index(self.written), self.count, None
        if name == "W3":
            store = self.written
            store.execute("CREATE INDEX populations ON place(population)")
            store.execute("CREATE INDEX names ON place(name)")
            spot = ", ST_Point(?3, 45)" if self.spatial else ""
            start = time.perf_counter()
            for number in range(COMMITS):
                store.execute(f"INSERT INTO place VALUES (?1, 'new', 'category 3', ?2, 2.5, ?3, 45{spot})",
                              [self.count + 1 + number, number, number / 100])
            return time.perf_counter() - start, COMMITS, None
        raise Skipped("no spatial index without the spatial extension")


if __name__ == "__main__":
    serve(DuckDB)
