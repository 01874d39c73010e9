"""Joins points with the polygons that contain them, beside DuckDB spatial, shapely and PostGIS.

    python3 -m runner.joins PROGRAM FOLDER ROWS COUNT

PROGRAM is a release build of `cadastre`, FOLDER receives the files, ROWS is J1, J2 or J1,J2, COUNT is the number of
places. J1 is the bundled airports and countries, J2 COUNT places and 5,000 polygons of 20 to 200 vertices. Every
result is printed as a line of JSON. Peers that are not installed are left out.

Every engine counts the pairs, with edges that are straight in degrees, on one thread, with its indexes built before.
Cadastre's time is that of a process, which starts, opens the store, reads it and ends; the others are warm. shapely has
read and prepared its polygons before, and once more in a row that includes it. All times are medians of 5, and all counts
must be equal.
"""

import csv
import json
import math
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

program, folder = sys.argv[1], Path(sys.argv[2])
chosen, count = sys.argv[3].split(","), int(sys.argv[4])
datasets = Path(__file__).parents[2] / "Datasets"
folder.mkdir(parents=True, exist_ok=True)


def wkt(rings):
    return "(" + ", ".join("(" + ", ".join(f"{x!r} {y!r}" for x, y in ring) + ")" for ring in rings) + ")"


def countries():
    """The outlines of the countries as WKT."""
    for feature in json.loads((datasets / "naturalearth/countries.geojson").read_text())["features"]:
        geometry = feature["geometry"]
        if geometry["type"] == "Polygon":
            yield "POLYGON " + wkt(geometry["coordinates"])
        else:
            yield "MULTIPOLYGON (" + ", ".join(wkt(rings) for rings in geometry["coordinates"]) + ")"


def airports():
    lines = (datasets / "airports/airports.csv").read_text().splitlines()
    header = lines[0].replace(chr(34), "").split(",")
    longitude, latitude = header.index("lon"), header.index("lat")
    for row in csv.reader(lines[1:]):
        yield float(row[longitude]), float(row[latitude])


def places(generator):
    """Half of the places are anywhere, half of them near one of 300 centres."""
    centres = [(generator.uniform(-170, 170), generator.uniform(-60, 70)) for _ in range(300)]
    for number in range(count):
        if number % 2:
            yield round(generator.uniform(-180, 180), 6), round(generator.uniform(-75, 75), 6)
        else:
            x, y = generator.choice(centres)
            yield (round(max(-180, min(180, generator.gauss(x, 2))), 6),
                   round(max(-85, min(85, generator.gauss(y, 2))), 6))


def polygons(generator):
    """Stars around random centres."""
    for _ in range(5000):
        x, y = generator.uniform(-170, 170), generator.uniform(-70, 70)
        size, corners = generator.uniform(0.2, 3), generator.randint(20, 200)
        ring = [(round(x + size * r * math.cos(a), 6), round(y + size * r * math.sin(a), 6))
                for a, r in ((2 * math.pi * k / corners, generator.uniform(0.6, 1))
                             for k in range(corners))]
        yield "POLYGON " + wkt([ring + ring[:1]])


def measured(work):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def cadastre(name, points, shapes):
    store = folder / f"{name}.cadastre"
    for file in folder.glob(f"{name}.cadastre*"):
        file.unlink()
    tables = [("Point", "id,lon,lat\n" + "".join(f"{k},{x!r},{y!r}\n" for k, (x, y) in enumerate(points))),
              ("Shape", "id,geometry\n" + "".join(f'{k},"{text}"\n' for k, text in enumerate(shapes)))]
    for kind, text in tables:
        file = folder / f"{name}-{kind}.csv"
        file.write_text(text)
        wkt_option = ["--wkt", "geometry"] if kind == "Shape" else []
        subprocess.run([program, "import", file, "--store", store, "--into", kind, "--pk", "id",
                        "--on-invalid", "keep", *wkt_option], check=True, capture_output=True)

    def join(left, right, relation):
        return measured(lambda: int(subprocess.run(
            [program, "join", store, left, right, relation, "--format", "count"], check=True,
            capture_output=True, text=True).stdout))

    yield "Cadastre, points first", *join("Point", "Shape", "location GEOWITHIN[planar] geometry")
    yield "Cadastre, polygons first", *join("Shape", "Point", "geometry GEOCONTAINS[planar] location")


def shapely(points, shapes):
    import shapely
    import numpy
    points = numpy.array(points)
    areas = shapely.from_wkt(shapes)
    places = shapely.points(points)
    shapely.prepare(areas)
    tree = shapely.STRtree(areas)
    yield "shapely, STRtree of polygons", *measured(lambda: len(tree.query(places, predicate="intersects")[0]))
    tree = shapely.STRtree(places)
    yield "shapely, STRtree of points", *measured(lambda: len(tree.query(areas, predicate="intersects")[0]))
    stored = shapely.to_wkb(areas)

    def from_bytes():
        areas = shapely.from_wkb(stored)
        shapely.prepare(areas)
        return len(shapely.STRtree(shapely.points(points)).query(areas, predicate="intersects")[0])

    yield "shapely, with reading and preparing", *measured(from_bytes)


def duckdb(points, shapes):
    import duckdb
    import duckdb_extension_spatial
    package = Path(duckdb_extension_spatial.__file__).parent / "extensions"
    database = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    database.execute(f"LOAD '{next(package.glob('*/spatial.duckdb_extension'))}'")
    (folder / "points.csv").write_text("".join(f"{x!r},{y!r}\n" for x, y in points))
    (folder / "shapes.csv").write_text("".join(f'"{text}"\n' for text in shapes))
    database.execute(f"""CREATE TABLE points AS SELECT ST_Point(x, y) AS place FROM
        read_csv('{folder}/points.csv', header=false, columns={{'x': 'DOUBLE', 'y': 'DOUBLE'}})""")
    database.execute(f"""CREATE TABLE shapes AS SELECT ST_GeomFromText(shape) AS shape FROM
        read_csv('{folder}/shapes.csv', header=false, max_line_size=100000000,
                 columns={{'shape': 'VARCHAR'}})""")
    query = "SELECT count(*) FROM points JOIN shapes ON ST_Intersects(place, shape)"
    yield "DuckDB spatial", *measured(lambda: database.execute(query).fetchone()[0])


def postgis(points, shapes):
    sys.path.insert(0, str(Path(__file__).parents[1] / "Peers"))
    import psycopg
    from postgis import Cluster
    cluster = Cluster()
    cluster.start()
    try:
        connection = psycopg.connect(host=str(cluster.folder), user="bench", dbname="postgres", autocommit=True)
        connection.execute("CREATE EXTENSION postgis")
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute("CREATE TABLE points (place geometry(Point, 4326))")
        connection.execute("CREATE TABLE shapes (shape geometry(Geometry, 4326))")
        with connection.cursor().copy("COPY points FROM STDIN") as copy:
            for x, y in points:
                copy.write_row([f"SRID=4326;POINT({x!r} {y!r})"])
        with connection.cursor().copy("COPY shapes FROM STDIN") as copy:
            for text in shapes:
                copy.write_row([f"SRID=4326;{text}"])
        for table, column in (("points", "place"), ("shapes", "shape")):
            connection.execute(f"CREATE INDEX ON {table} USING gist ({column})")
            connection.execute(f"VACUUM ANALYZE {table}")
        query = "SELECT count(*) FROM points JOIN shapes ON ST_Intersects(shape, place)"
        yield "PostGIS geometry", *measured(lambda: connection.execute(query).fetchone()[0])
        connection.close()
    finally:
        cluster.stop()


def compare(row, name, points, shapes):
    engines = []
    for engine in (lambda: cadastre(name, points, shapes), lambda: shapely(points, shapes),
                   lambda: duckdb(points, shapes), lambda: postgis(points, shapes)):
        try:
            engines += [{"engine": label, "ms": seconds * 1000, "pairs": pairs}
                        for label, seconds, pairs in engine()]
        except ImportError as error:
            print(f"left out: {error}", file=sys.stderr)
    print(json.dumps({"row": row, "points": len(points), "polygons": len(shapes), "engines": engines}), flush=True)


if "J1" in chosen:
    compare("J1", "countries", list(airports()), list(countries()))
if "J2" in chosen:
    generator = random.Random(7)
    compare("J2", "places", list(places(generator)), list(polygons(generator)))
