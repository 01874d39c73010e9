"""Plain SQLite: an R*Tree joined with the exact coordinates, circles by haversines in SQL."""

import sqlite3
import time

from peer import Skipped, growing, serve, window
from sql import COLUMNS, COMMITS, TABLE, SQLPeer


class PlainSQLite(SQLPeer):
    name = "SQLite"
    note = "R*Tree, exact test in SQL; through Python's sqlite3; no polygons"

    def version(self):
        return sqlite3.sqlite_version

    def connect(self, file="plain.sqlite"):
        store = sqlite3.connect(self.work / file, isolation_level=None)
        store.row_factory = lambda _, row: row[0]
        for setting in ("journal_mode = WAL", "synchronous = FULL", "cache_size = -262144",
                        "mmap_size = 1073741824"):
            store.execute(f"PRAGMA {setting}")
        return store

    def fill(self, store):
        store.execute(f"CREATE TABLE place{TABLE}")
        store.executemany("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)", self.rows())

    def index(self, store):
        """Builds the R*Tree and returns the seconds."""
        start = time.perf_counter()
        store.execute("CREATE VIRTUAL TABLE spots USING rtree(id, west, east, south, north)")
        store.execute("INSERT INTO spots SELECT id, longitude, longitude, latitude, latitude FROM place")
        return time.perf_counter() - start

    def load(self):
        store = self.store = self.connect()
        store.execute("BEGIN")
        self.fill(store)
        seconds = self.index(store)
        store.execute(f"CREATE TABLE indexed{TABLE}")
        store.execute("INSERT INTO indexed SELECT * FROM place")
        store.execute("CREATE INDEX populations ON indexed(population DESC, id)")
        store.execute("CREATE INDEX names ON indexed(name)")
        store.execute("COMMIT")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return seconds, (self.work / "plain.sqlite").stat().st_size

    def open(self):
        self.store = self.connect()

    def ids(self, sql):
        return self.store.execute(sql).fetchall()

    def look_up(self, key):
        return self.store.execute("SELECT population FROM place WHERE id = ?", (key,)).fetchone()

    def near(self, box, what="place.id"):
        west, south, east, north = box
        return (f"SELECT {what} FROM spots CROSS JOIN place USING (id) "
                f"WHERE west <= {east!r} AND east >= {west!r} AND south <= {north!r} AND north >= {south!r}")

    def region(self, name, query):
        if "ring" in query:
            raise Skipped("no polygons in SQL")
        if name == "Q16":
            longitude, latitude = query["point"]
            box = longitude, latitude, longitude, latitude
            sql = f"{self.near(box)} AND longitude = {longitude!r} AND latitude = {latitude!r}"
            return lambda: self.ids(sql)
        if name == "Q15":
            center = query["center"]
            return lambda: growing(lambda box, angle: self.ids(
                f"{self.near(box)} AND {self.within({'center': center, 'meters': angle * self.earth_radius})} "
                f"ORDER BY {self.haversine(*center)}, id LIMIT {query['limit']}"),
                center, query["limit"])
        if "box" in query:
            west, south, east, north = query["box"]
            sql = (f"{self.near(query['box'])} AND longitude BETWEEN {west!r} AND {east!r} "
                   f"AND latitude BETWEEN {south!r} AND {north!r}{self.filters(query)}")
            return lambda: self.ids(sql)
        box = window(query["center"], self.angle(query))
        where = f"{self.within(query)}{self.filters(query)}"
        if name == "Q22":
            return lambda: self.ids(f"{self.near(box, 'count(*)')} AND {where}")[0]
        return lambda: self.ids(f"{self.near(box)} AND {where}")

    def write(self, name):
        file = self.work / "written.sqlite"
        if name == "W1":
            start = time.perf_counter()
            store = self.connect(file.name)
            store.execute("BEGIN")
            self.fill(store)
            self.index(store)
            store.execute("COMMIT")
            seconds = time.perf_counter() - start
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return seconds, self.count, file.stat().st_size
        if name == "W2":
            store = self.connect(file.name)
            store.execute("BEGIN")
            store.execute("DROP TABLE spots")
            seconds = self.index(store)
            store.execute("ROLLBACK")
            return seconds, self.count, None
        if name == "W3":
            store = self.connect(file.name)
            store.execute("CREATE INDEX populations ON place(population)")
            store.execute("CREATE INDEX names ON place(name)")
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            start = time.perf_counter()
            for number in range(COMMITS):
                key, longitude = self.count + 1 + number, number / 100
                store.execute("BEGIN IMMEDIATE")
                store.execute(f"INSERT INTO place({COLUMNS}) VALUES (?, 'new', 'category 3', ?, 2.5, ?, 45)",
                              (key, number, longitude))
                store.execute("INSERT INTO spots VALUES (?, ?, ?, 45, 45)", (key, longitude, longitude))
                store.execute("COMMIT")
            return time.perf_counter() - start, COMMITS, None
        raise Skipped("not a task of this peer")


if __name__ == "__main__":
    serve(PlainSQLite)
