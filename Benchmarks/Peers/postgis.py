"""PostGIS on its own cluster: geography for the sphere, geometry for edges straight in degrees.

The cluster is in a temporary folder, listens only on a Unix socket, and stops with this process.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from peer import Skipped, corners, serve, wkt
from sql import COMMITS, TABLE, SQLPeer

# The timeout of a query in seconds.
TIMEOUT = 60
SETTINGS = {
    "listen_addresses": "", "shared_buffers": "1GB", "work_mem": "256MB",
    "maintenance_work_mem": "512MB", "max_wal_size": "4GB", "effective_cache_size": "4GB",
    "random_page_cost": "1.1", "jit": "off",
    # No background work may run while another engine is measured.
    "autovacuum": "off", "checkpoint_timeout": "1d",
}


def programs():
    """Returns the folder of initdb and postgres, which Debian does not put on the search path."""
    program = shutil.which("initdb")
    folders = [Path(program).parent] if program else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(folder for folder in folders if (folder / "postgres").exists())


class Cluster:
    """A server in a temporary folder; if this process is root, the server runs as user postgres."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.prefix = []
        if os.geteuid() == 0:
            self.prefix = ["runuser", "-u", "postgres", "--"]
            shutil.chown(self.folder, "postgres")
        self.server = None

    def start(self):
        data = self.folder / "data"
        subprocess.run([*self.prefix, programs() / "initdb", "-D", data, "-U", "bench", "-A", "trust",
                        "-E", "UTF8", "--locale=C"], check=True, stdout=subprocess.DEVNULL, cwd="/")
        options = [f"--{name}={value}" for name, value in SETTINGS.items()]
        # A child process, so that it ends with this process; SIGINT is the fast shutdown.
        self.server = subprocess.Popen(
            [*self.prefix, programs() / "postgres", "-D", data, "-k", self.folder, *options],
            stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=subprocess.DEVNULL, cwd="/")
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.connect()
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self.server.poll() is not None:
                    raise
                time.sleep(0.1)

    def connect(self):
        return psycopg.connect(host=str(self.folder), user="bench", dbname="postgres", autocommit=True)

    def stop(self):
        if self.server and self.server.poll() is None:
            pid_file = self.folder / "data" / "postmaster.pid"
            os.kill(int(pid_file.read_text().split("\n")[0]), signal.SIGINT)
            self.server.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)


class PostGIS(SQLPeer):
    name = "PostGIS"
    edges = ["spherical", "planar"]
    # ST_DWithin(…, false) measures on a sphere with the mean radius of WGS 84; distances are scaled to it.
    sphere = 6_371_008.7714150598325213222
    note = "over a Unix socket, rows in binary; geography on the sphere, geometry for straight edges"

    def __init__(self, data, work):
        super().__init__(data, work)
        self.cluster = Cluster()
        try:
            self.store = self.cluster.start()
            self.store.execute("CREATE EXTENSION postgis")
        except BaseException:
            self.cluster.stop()
            raise

    def close(self):
        self.cluster.stop()

    def version(self):
        return (self.ids("SELECT postgis_lib_version()")[0] + " on PostgreSQL "
                + self.ids("SHOW server_version")[0].split()[0])

    def fill(self, table):
        self.store.execute(f"CREATE TABLE {table}{TABLE}")
        self.store.execute(f"ALTER TABLE {table} ADD COLUMN spot geometry(Point, 4326), "
                           "ADD COLUMN place geography(Point, 4326)")
        self.store.execute(f"CREATE TEMPORARY TABLE read{TABLE}")
        with (self.store.cursor() as cursor, (self.data / "places.csv").open("rb") as file,
              cursor.copy("COPY read FROM STDIN (FORMAT csv, HEADER)") as copy):
            while block := file.read(1 << 20):
                copy.write(block)
        self.store.execute(
            f"INSERT INTO {table} SELECT *, ST_SetSRID(ST_MakePoint(longitude, latitude), 4326), "
            "ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography FROM read")
        self.store.execute("DROP TABLE read")

    def index(self, table, column="spot"):
        start = time.perf_counter()
        self.store.execute(f"CREATE INDEX ON {table} USING gist ({column})")
        return time.perf_counter() - start

    def load(self):
        self.fill("place")
        seconds = self.index("place")
        self.index("place", "place")
        self.store.execute("CREATE TABLE indexed AS SELECT id, name, population FROM place")
        self.store.execute("CREATE INDEX ON indexed(population DESC, id)")
        self.store.execute("CREATE INDEX ON indexed(name)")
        self.store.execute("VACUUM ANALYZE place")
        self.store.execute("VACUUM ANALYZE indexed")
        self.store.execute("CHECKPOINT")
        self.store.execute(f"SET statement_timeout = '{TIMEOUT}s'")
        return seconds, self.size("place") + self.size("indexed")

    def open(self):
        raise Skipped("a new server starts with each process")

    def size(self, table):
        return self.ids(f"SELECT pg_total_relation_size('{table}')")[0]

    def ids(self, sql):
        with self.store.cursor(binary=True) as cursor:
            return [row[0] for row in cursor.execute(sql).fetchall()]

    def prepare(self, name, query):
        run = super().prepare(name, query)

        def bounded():
            try:
                return run()
            except psycopg.errors.QueryCanceled as error:
                raise Skipped(f"the query takes more than {TIMEOUT} s") from error
        return bounded

    def look_up(self, key):
        with self.store.cursor(binary=True) as cursor:
            return cursor.execute("SELECT population FROM place WHERE id = %s", (key,),
                                  prepare=True).fetchone()[0]

    def contains(self, column, text):
        return super().contains(column, text).replace("LIKE", "ILIKE")

    def region(self, name, query):
        point = "ST_SetSRID(ST_MakePoint({!r}, {!r}), 4326)"
        if name == "Q16":
            here = point.format(*query["point"])
            return lambda: self.ids(f"SELECT id FROM place WHERE spot = {here}")
        if name == "Q15":
            here = point.format(*query["center"]) + "::geography"
            limit = query["limit"]
            # The index sorts by distance on the spheroid, so more rows are read and sorted on the sphere.
            return lambda: self.ids(
                f"SELECT id FROM (SELECT id, place FROM place ORDER BY place <-> {here} LIMIT {4 * limit}) "
                f"AS near ORDER BY ST_Distance(place, {here}, false), id LIMIT {limit}")
        if "center" in query:
            here = point.format(*query["center"]) + "::geography"
            what = "count(*)" if name == "Q22" else "id"
            sql = (f"SELECT {what} FROM place WHERE ST_DWithin(place, {here}, "
                   f"{self.angle(query) * self.sphere!r}, false){self.filters(query)}")
            return (lambda: self.ids(sql)[0]) if name == "Q22" else (lambda: self.ids(sql))

        def covered():
            shape = f"ST_GeomFromText('{wkt(corners(query))}', 4326)"
            test = (f"ST_Covers({shape}, spot)" if self.planar
                    else f"ST_Covers({shape}::geography, place)")
            return self.ids(f"SELECT id FROM place WHERE {test}{self.filters(query)}")
        return covered

    def write(self, name):
        if name == "W1":
            start = time.perf_counter()
            with self.store.transaction():
                self.fill("written")
                self.index("written")
            self.store.execute("CHECKPOINT")
            return time.perf_counter() - start, self.count, self.size("written")
        if name == "W2":
            self.store.execute("DROP INDEX written_spot_idx")
            return self.index("written"), self.count, None
        if name == "W3":
            self.store.execute("CREATE INDEX ON written(population)")
            self.store.execute("CREATE INDEX ON written(name)")
            start = time.perf_counter()
            for number in range(COMMITS):
                self.store.execute(
                    "INSERT INTO written VALUES (%s, 'new', 'category 3', %s, 2.5, %s, 45, "
                    "ST_SetSRID(ST_MakePoint(%s, 45), 4326))",
                    (self.count + 1 + number, number, number / 100, number / 100), prepare=True)
            return time.perf_counter() - start, COMMITS, None
        raise Skipped("not a task of this peer")


if __name__ == "__main__":
    serve(PostGIS)
