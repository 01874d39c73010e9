#!/usr/bin/env python3
"""Runs the queries of GeographyBenchmark on peers with the same places.

The argument is the folder to which GeographyBenchmark wrote the places and the queries. Peers that
are not installed are skipped with a message. Times are medians of seven runs in milliseconds and
include the keys of all hits.
"""

import math
import statistics
import sys
import time
from pathlib import Path

EARTH_RADIUS = 6_378_100.0
PARIS = (2.3522, 48.8566)


def median(run):
    """Returns the last result, and the median milliseconds of seven runs."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        result = run()
        times.append((time.perf_counter() - start) * 1000)
    return result, statistics.median(times)


def row(peer, query, hits, milliseconds, note=""):
    print(f"{peer:12}{query:38}{hits:>8}{milliseconds:>12.3f}  {note}")


def window(longitude, latitude, radius):
    """Returns west, south, east and north of a circle that does not touch the poles."""
    height = math.degrees(radius)
    width = math.degrees(math.asin(math.sin(radius) / math.cos(math.radians(latitude))))
    return longitude - width, latitude - height, longitude + width, latitude + height


def haversines(numpy, longitudes, latitudes, longitude, latitude):
    """Returns the haversines of the distances to a point."""
    north = numpy.sin(numpy.radians(latitudes - latitude) / 2)
    east = numpy.sin(numpy.radians(longitudes - longitude) / 2)
    return north * north + numpy.cos(numpy.radians(latitudes)) * math.cos(
        math.radians(latitude)) * east * east


def run_shapely(longitudes, latitudes, queries):
    import numpy
    import shapely

    start = time.perf_counter()
    points = shapely.points(longitudes, latitudes)
    tree = shapely.STRtree(points)
    tree.query(shapely.Point(0, 0))
    print(f"shapely {shapely.__version__}: STRtree of {len(points)} points built in "
          f"{time.perf_counter() - start:.2f} s; planar, and circles by haversines within a bounding box")
    for name, kind, *fields in queries:
        if kind == "circle":
            longitude, latitude, radius = map(float, fields)
            around = shapely.box(*window(longitude, latitude, radius))
            limit = math.sin(radius / 2) ** 2

            def run():
                near = tree.query(around)
                return near[haversines(
                    numpy, longitudes[near], latitudes[near], longitude, latitude) <= limit]
        else:
            shape = shapely.from_wkt(fields[0])

            def run():
                shapely.prepare(shape)
                return tree.query(shape, predicate="covers")
        keys, taken = median(run)
        row("shapely", name, len(keys), taken)
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        print("scipy is not installed: no cKDTree for Q15.")
        return
    angles = numpy.radians([longitudes, latitudes])

    def vectors(longitude, latitude):
        return numpy.stack([numpy.cos(latitude) * numpy.cos(longitude),
                            numpy.cos(latitude) * numpy.sin(longitude), numpy.sin(latitude)], -1)

    kd_tree = cKDTree(vectors(*angles))
    origin = vectors(*numpy.radians(PARIS))
    keys, taken = median(lambda: kd_tree.query(origin, 10)[1])
    row("cKDTree", "Q15 10 nearest", len(keys), taken)


def run_s2(longitudes, latitudes, queries):
    import spherely

    points = spherely.points(longitudes, latitudes)
    print("S2 (spherely): every point is tested, for the hits on the sphere; no circles")
    for name, kind, *fields in queries:
        if kind == "shape":
            shape = spherely.from_wkt(fields[0])
            start = time.perf_counter()
            hits = int(spherely.intersects(shape, points).sum())
            row("S2", name, hits, (time.perf_counter() - start) * 1000, "no index, one run")


def run_spatialite(longitudes, latitudes, queries):
    # Python's sqlite3 is often built without support of extensions; apsw always supports them.
    import apsw

    store = apsw.Connection(":memory:")
    store.enable_load_extension(True)
    try:
        store.load_extension("mod_spatialite")
    except apsw.ExtensionLoadingError as error:
        raise ImportError(f"mod_spatialite: {error}") from error
    version = store.execute("SELECT spatialite_version()").fetchone()[0]
    store.execute("SELECT InitSpatialMetaData(1, 'WGS84')").fetchall()
    start = time.perf_counter()
    store.execute("CREATE TABLE place(id INTEGER PRIMARY KEY)")
    store.execute("SELECT AddGeometryColumn('place', 'spot', 4326, 'POINT', 'XY')").fetchall()
    store.execute("BEGIN")
    store.executemany("INSERT INTO place(spot) VALUES (MakePoint(?, ?, 4326))",
                      zip(longitudes.tolist(), latitudes.tolist()))
    store.execute("COMMIT")
    rows = time.perf_counter() - start
    store.execute("SELECT CreateSpatialIndex('place', 'spot')").fetchall()
    index = time.perf_counter() - start - rows
    print(f"SpatiaLite {version}, in memory: rows in {rows:.2f} s, index in {index:.2f} s; planar, "
          "and circles by PtDistWithin on a sphere of about 6,371,009 m")
    near = ("id IN (SELECT rowid FROM SpatialIndex WHERE f_table_name = 'place' "
            "AND search_frame = ?)")
    for name, kind, *fields in queries:
        if kind == "circle":
            longitude, latitude, radius = map(float, fields)
            frame = "BuildMbr(?, ?, ?, ?, 4326)"
            sql = (f"SELECT id FROM place WHERE {near.replace('?', frame)} "
                   "AND PtDistWithin(spot, MakePoint(?, ?, 4326), ?, 0)")
            values = (*window(longitude, latitude, radius * 1.01), longitude, latitude,
                      radius * EARTH_RADIUS)
        else:
            sql = (f"SELECT id FROM place WHERE {near.replace('?', 'GeomFromText(?1, 4326)')} "
                   "AND Covers(GeomFromText(?1, 4326), spot)")
            values = (fields[0],)
        keys, taken = median(lambda: store.execute(sql, values).fetchall())
        row("SpatiaLite", name, len(keys), taken)


def run_duckdb(longitudes, latitudes, queries):
    import duckdb

    store = duckdb.connect()
    try:
        store.execute("INSTALL spatial")
        store.execute("LOAD spatial")
    except duckdb.Error:
        print("DuckDB is skipped: its spatial extension could not be installed.")
        return
    import numpy
    ids = numpy.arange(len(longitudes))
    columns = {"id": ids, "longitude": longitudes, "latitude": latitudes}
    store.register("columns", columns)
    start = time.perf_counter()
    store.execute("CREATE TABLE place AS SELECT id, ST_Point(longitude, latitude) AS spot FROM columns")
    rows = time.perf_counter() - start
    store.execute("CREATE INDEX spots ON place USING RTREE (spot)")
    print(f"DuckDB {duckdb.__version__}: rows in {rows:.2f} s, "
          f"index in {time.perf_counter() - start - rows:.2f} s; planar, no circles")
    for name, kind, *fields in queries:
        if kind == "shape":
            sql = "SELECT id FROM place WHERE ST_Intersects(spot, ST_GeomFromText(?))"
            keys, taken = median(lambda: store.execute(sql, [fields[0]]).fetchnumpy()["id"])
            row("DuckDB", name, len(keys), taken)


def main():
    try:
        import numpy
    except ImportError:
        print("All peers are skipped: numpy is not installed.")
        return
    folder = Path(sys.argv[1])
    longitudes = numpy.fromfile(folder / "longitudes.f64")
    latitudes = numpy.fromfile(folder / "latitudes.f64")
    queries = [line.split("\t") for line in (folder / "queries.tsv").read_text().splitlines()]
    print(f"\n{'peer':12}{'query':38}{'hits':>8}{'ms':>12}")
    for name, run in [("shapely", run_shapely), ("spherely", run_s2),
                      ("SpatiaLite", run_spatialite), ("DuckDB", run_duckdb)]:
        try:
            run(longitudes, latitudes, queries)
        except ImportError as error:
            print(f"{name} is skipped: {error}.")


main()
