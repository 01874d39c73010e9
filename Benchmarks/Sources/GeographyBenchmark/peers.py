#!/usr/bin/env python3
"""Asks others the questions that GeographyBenchmark asked, of the same places.

Argument: the folder into which GeographyBenchmark wrote the places and the questions. Peers that
are not installed are skipped with a sentence. Times are medians of seven runs, in milliseconds;
the keys of all hits are produced.
"""

import math
import statistics
import sys
import time
from pathlib import Path

EARTH_RADIUS = 6_378_100.0
PARIS = (2.3522, 48.8566)


def median(ask):
    """The last answer, and the median milliseconds of seven runs."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        answer = ask()
        times.append((time.perf_counter() - start) * 1000)
    return answer, statistics.median(times)


def row(peer, question, hits, milliseconds, note=""):
    print(f"{peer:12}{question:38}{hits:>8}{milliseconds:>12.3f}  {note}")


def window(longitude, latitude, radius):
    """West, south, east and north of a circle of some radians, clear of the poles."""
    height = math.degrees(radius)
    width = math.degrees(math.asin(math.sin(radius) / math.cos(math.radians(latitude))))
    return longitude - width, latitude - height, longitude + width, latitude + height


def haversines(numpy, longitudes, latitudes, longitude, latitude):
    """The haversines of the distances to a place."""
    north = numpy.sin(numpy.radians(latitudes - latitude) / 2)
    east = numpy.sin(numpy.radians(longitudes - longitude) / 2)
    return north * north + numpy.cos(numpy.radians(latitudes)) * math.cos(
        math.radians(latitude)) * east * east


def ask_shapely(longitudes, latitudes, questions):
    import numpy
    import shapely

    start = time.perf_counter()
    points = shapely.points(longitudes, latitudes)
    tree = shapely.STRtree(points)
    tree.query(shapely.Point(0, 0))
    print(f"shapely {shapely.__version__}: STRtree of {len(points)} points built in "
          f"{time.perf_counter() - start:.2f} s; planar, and circles by haversines of what is near")
    for name, kind, *fields in questions:
        if kind == "circle":
            longitude, latitude, radius = map(float, fields)
            around = shapely.box(*window(longitude, latitude, radius))
            most = math.sin(radius / 2) ** 2

            def ask():
                near = tree.query(around)
                return near[haversines(
                    numpy, longitudes[near], latitudes[near], longitude, latitude) <= most]
        else:
            shape = shapely.from_wkt(fields[0])

            def ask():
                shapely.prepare(shape)
                return tree.query(shape, predicate="covers")
        found, taken = median(ask)
        row("shapely", name, len(found), taken)
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
    found, taken = median(lambda: kd_tree.query(origin, 10)[1])
    row("cKDTree", "Q15 10 nearest", len(found), taken)


def ask_s2(longitudes, latitudes, questions):
    import spherely

    points = spherely.points(longitudes, latitudes)
    print("S2 (spherely): every point is asked, for the hits on the sphere; circles are not asked")
    for name, kind, *fields in questions:
        if kind == "shape":
            shape = spherely.from_wkt(fields[0])
            start = time.perf_counter()
            hits = int(spherely.intersects(shape, points).sum())
            row("S2", name, hits, (time.perf_counter() - start) * 1000, "no index, one run")


def ask_spatialite(longitudes, latitudes, questions):
    # Python's own sqlite3 is often built without extensions; apsw never is.
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
          "and circles by PtDistWithin on a sphere of 6,371,009 m or so")
    near = ("id IN (SELECT rowid FROM SpatialIndex WHERE f_table_name = 'place' "
            "AND search_frame = ?)")
    for name, kind, *fields in questions:
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
        found, taken = median(lambda: store.execute(sql, values).fetchall())
        row("SpatiaLite", name, len(found), taken)


def ask_duckdb(longitudes, latitudes, questions):
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
          f"index in {time.perf_counter() - start - rows:.2f} s; planar, circles are not asked")
    for name, kind, *fields in questions:
        if kind == "shape":
            sql = "SELECT id FROM place WHERE ST_Intersects(spot, ST_GeomFromText(?))"
            found, taken = median(lambda: store.execute(sql, [fields[0]]).fetchnumpy()["id"])
            row("DuckDB", name, len(found), taken)


def main():
    try:
        import numpy
    except ImportError:
        print("All peers are skipped: numpy is not installed.")
        return
    folder = Path(sys.argv[1])
    longitudes = numpy.fromfile(folder / "longitudes.f64")
    latitudes = numpy.fromfile(folder / "latitudes.f64")
    questions = [line.split("\t") for line in (folder / "questions.tsv").read_text().splitlines()]
    print(f"\n{'peer':12}{'question':38}{'hits':>8}{'ms':>12}")
    for name, ask in [("shapely", ask_shapely), ("spherely", ask_s2),
                      ("SpatiaLite", ask_spatialite), ("DuckDB", ask_duckdb)]:
        try:
            ask(longitudes, latitudes, questions)
        except ImportError as error:
            print(f"{name} is skipped: {error}.")


main()
