"""SpatiaLite with its spatial index and its exact tests; edges are straight in degrees."""

import time

# Python's sqlite3 is often built without support of extensions; apsw always supports them.
import apsw

from peer import Skipped, corners, growing, serve, window, wkt
from sql import COMMITS, SQLPeer


class SpatiaLite(SQLPeer):
    name = "SpatiaLite"
    # PtDistWithin measures on a sphere whose radius is the mean of WGS 84's axes; distances are scaled to it.
    sphere = (2 * 6_378_137.0 + 6_356_752.314245) / 3
    note = "SpatialIndex and ST_Covers; circles by PtDistWithin on its sphere, radius scaled to the same angle"

    def version(self):
        store = self.connect(":memory:")
        [[version]] = store.execute("SELECT spatialite_version()")
        return f"{version} on SQLite {apsw.sqlite_lib_version()}"

    def connect(self, file):
        store = apsw.Connection(str(self.work / file) if file != ":memory:" else file)
        store.enable_load_extension(True)
        store.load_extension("mod_spatialite")
        for setting in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -262144"):
            store.execute(f"PRAGMA {setting}").fetchall()
        return store

    def fill(self, store):
        """Fills a table of places without an index, in a transaction that the caller commits."""
        store.execute("SELECT InitSpatialMetaData(1, 'WGS84')").fetchall()
        store.execute("BEGIN")
        store.execute("CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, category TEXT, "
                      "population INTEGER, rating DOUBLE, longitude DOUBLE, latitude DOUBLE)")
        store.execute("SELECT AddGeometryColumn('place', 'spot', 4326, 'POINT', 'XY')").fetchall()
        store.executemany("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, MakePoint(?6, ?7, 4326))",
                          self.rows())

    def index(self, store):
        start = time.perf_counter()
        store.execute("SELECT CreateSpatialIndex('place', 'spot')").fetchall()
        return time.perf_counter() - start

    def load(self):
        file = self.work / "spatial.sqlite"
        store = self.store = self.connect(file.name)
        self.fill(store)
        seconds = self.index(store)
        store.execute("CREATE TABLE indexed AS SELECT id, name, population FROM place")
        store.execute("CREATE INDEX populations ON indexed(population DESC, id)")
        store.execute("CREATE INDEX names ON indexed(name)")
        store.execute("COMMIT")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return seconds, file.stat().st_size

    def open(self):
        self.store = self.connect("spatial.sqlite")

    def ids(self, sql):
        return [row[0] for row in self.store.execute(sql)]

    def look_up(self, key):
        return self.store.execute("SELECT population FROM place WHERE id = ?", (key,)).fetchone()[0]

    def near(self, frame, what="id"):
        return (f"SELECT {what} FROM place WHERE id IN (SELECT rowid FROM SpatialIndex "
                f"WHERE f_table_name = 'place' AND search_frame = {frame})")

    def circle(self, center, angle, what="id", margin=1.001):
        longitude, latitude = center
        west, south, east, north = window(center, angle * margin)
        return (self.near(f"BuildMbr({west!r}, {south!r}, {east!r}, {north!r}, 4326)", what)
                + f" AND PtDistWithin(spot, MakePoint({longitude!r}, {latitude!r}, 4326), "
                f"{angle * self.sphere!r}, 0)")

    def region(self, name, query):
        if name == "Q16":
            longitude, latitude = query["point"]
            point = f"MakePoint({longitude!r}, {latitude!r}, 4326)"
            sql = f"{self.near(point)} AND ST_Equals(spot, {point})"
            return lambda: self.ids(sql)
        if name == "Q15":
            center = query["center"]
            order = f"ORDER BY {self.haversine(*center)}, id LIMIT {query['limit']}"
            return lambda: growing(lambda _, angle: self.ids(f"{self.circle(center, angle)} {order}"),
                                   center, query["limit"])
        if "center" in query:
            what = "count(*)" if name == "Q22" else "id"
            sql = self.circle(query["center"], self.angle(query), what) + self.filters(query)
            return (lambda: self.ids(sql)[0]) if name == "Q22" else (lambda: self.ids(sql))

        def covered():
            shape = f"GeomFromText('{wkt(corners(query))}', 4326)"
            return self.ids(f"{self.near(shape)} AND ST_Covers({shape}, spot){self.filters(query)}")
        return covered

    def write(self, name):
        file = self.work / "written.spatialite"
        if name == "W1":
            start = time.perf_counter()
            store = self.connect(file.name)
            self.fill(store)
            self.index(store)
            store.execute("COMMIT")
            seconds = time.perf_counter() - start
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return seconds, self.count, file.stat().st_size
        if name == "W2":
            store = self.connect(file.name)
            store.execute("BEGIN")
            store.execute("SELECT DisableSpatialIndex('place', 'spot')").fetchall()
            store.execute("DROP TABLE idx_place_spot")
            seconds = self.index(store)
            store.execute("COMMIT")
            return seconds, self.count, None
        if name == "W3":
            store = self.connect(file.name)
            store.execute("CREATE INDEX populations ON place(population)")
            store.execute("CREATE INDEX names ON place(name)")
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            start = time.perf_counter()
            for number in range(COMMITS):
                store.execute("BEGIN IMMEDIATE")
                store.execute(
                    "INSERT INTO place VALUES (?1, 'new', 'category 3', ?2, 2.5, ?3, 45, MakePoint(?3, 45, 4326))",
                    (self.count + 1 + number, number, number / 100))
                store.execute("COMMIT")
            return time.perf_counter() - start, COMMITS, None
        raise Skipped("not a task of this peer")


if __name__ == "__main__":
    serve(SpatiaLite)
