"""Compares exported GeoParquet and FlatGeobuf files, as read by other programs, with the objects."""

import json
import math
import random
import subprocess
import sys
from datetime import datetime, timezone

import duckdb
import geopandas
import pyarrow.parquet
import pyogrio

program, work, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
random.seed(seed)


def place(n):
    """Returns a Feature with values of all types that JSON has, and nulls."""
    maybe = lambda value: value if random.random() < 0.8 else None
    point = [random.uniform(-180, 180), random.uniform(-90, 90)]
    if random.random() < 0.3:
        point.append(random.uniform(0, 9000))
    return {
        "type": "Feature",
        "geometry": maybe({"type": "Point", "coordinates": point}),
        "properties": {
            "n": n,
            "text": maybe(random.choice(["", "é", "漢字", 'a"b', "x" * 100, f"t{n}"])),
            "number": maybe(random.choice([0.1, -0.0, 1e300, 5e-324, n / 7])),
            "flag": maybe(random.random() < 0.5),
            "when": maybe(f"2024-02-{1 + n % 28:02}T01:02:03.{n % 1000000:06}Z"),
            "tags": [random.choice("abc") for _ in range(random.randrange(4))],
            "inner": maybe({"a": maybe(n), "b": {"c": f"c{n % 5}"}}),
            "parts": [{"k": maybe(k)} for k in range(random.randrange(3))],
        },
    }


def run(*arguments):
    subprocess.run([program, *arguments], check=True, stderr=subprocess.DEVNULL)


def moment(text):
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


def check(condition, message):
    if not condition:
        sys.exit(f"columnar: {message}")


places = [place(n) for n in range(5000)]
with open(f"{work}/places.ndjson", "w") as file:
    file.writelines(json.dumps(feature) + "\n" for feature in places)
run("import", f"{work}/places.ndjson", "--store", f"{work}/s.cadastre", "--into", "Place")
run("export", f"{work}/s.cadastre", "Place", "--to", f"{work}/p.parquet", "--row-group", "700")
run("export", f"{work}/s.cadastre", "Place", "--to", f"{work}/p.fgb")
run("export", f"{work}/s.cadastre", "Place", "location.coordinates.@count > 0", "--to", f"{work}/i.fgb")

# pyarrow: every value.
table = pyarrow.parquet.read_table(f"{work}/p.parquet")
rows = sorted(table.to_pylist(), key=lambda row: row["n"])
check(len(rows) == len(places), "pyarrow reads another number of rows")
for row, feature in zip(rows, places):
    expected = dict(feature["properties"])
    expected["when"] = moment(expected["when"])
    for name, value in expected.items():
        found = row[name]
        same = found == value and (not isinstance(value, float) or math.copysign(1, found) == math.copysign(1, value))
        check(same, f"pyarrow: {name} of {row['n']} is {found!r}; expected {value!r}")
    check((row["geometry"] is None) == (feature["geometry"] is None), "pyarrow: a geometry is missing")
    check((row["bbox"] is None) == (feature["geometry"] is None), "pyarrow: a covering is missing")

# Statistics: bounds and numbers of nulls by column and row group.
file = pyarrow.parquet.ParquetFile(f"{work}/p.parquet")
bounds = 0
for group in range(file.num_row_groups):
    values = file.read_row_group(group)
    metadata = file.metadata.row_group(group)
    for index in range(metadata.num_columns):
        column = metadata.column(index)
        if column.path_in_schema not in ("n", "text", "number", "flag", "when"):
            continue
        found = [value for value in values.column(column.path_in_schema).to_pylist()]
        present = [value for value in found if value is not None]
        statistics = column.statistics
        check(statistics.null_count == len(found) - len(present), "a number of nulls is wrong")
        if statistics.has_min_max:
            bounds += 2
            key = (lambda value: value.encode()) if column.path_in_schema == "text" else None
            check(statistics.min == min(present, key=key), "a minimum is wrong")
            check(statistics.max == max(present, key=key), "a maximum is wrong")

# Indexes of pages, and files of another writer with such indexes.
for index in range(file.metadata.num_columns):
    column = file.metadata.row_group(0).column(index)
    check(column.has_offset_index, f"{column.path_in_schema} has no index of its pages")
    flat = column.path_in_schema in ("n", "flag", "when", "bbox.xmin")
    check(column.has_column_index or not flat, f"{column.path_in_schema} has no statistics of its pages")
pyarrow.parquet.write_table(
    pyarrow.table({"n": list(range(50000)), "text": [f"t{n % 1000}" for n in range(50000)],
                   "tags": [[n, n + 1] if n % 3 else [] for n in range(50000)]}),
    f"{work}/pages.parquet", write_page_index=True, data_page_size=4096, row_group_size=20000)
run("import", f"{work}/pages.parquet", "--store", f"{work}/pages.cadastre", "--into", "Page",
    "--where", "n >= 19990 AND n < 20777")
found = subprocess.run([program, "query", f"{work}/pages.cadastre", "Page", "--format", "ndjson"],
                       check=True, capture_output=True, text=True).stdout.splitlines()
expected = [{"n": n, "text": f"t{n % 1000}", "tags": [n, n + 1] if n % 3 else []} for n in range(19990, 20777)]
check([json.loads(line) for line in found] == expected, "rows of pages of pyarrow are wrong")

# DuckDB: aggregates and points.
connection = duckdb.connect()
count, total, length = connection.execute(
    f"select count(*), sum(n), sum(len(tags)) from '{work}/p.parquet'").fetchall()[0]
check(count == len(places) and total == sum(range(len(places))), "DuckDB reads other numbers")
check(length == sum(len(p["properties"]["tags"]) for p in places), "DuckDB reads other lists")

# geopandas and GDAL: points, and boxes with and without pruning.
frame = geopandas.read_parquet(f"{work}/p.parquet")
check(frame.crs is not None and frame.crs.to_epsg() in (None, 4326), "the reference system is wrong")
points = {p["properties"]["n"]: p["geometry"] and p["geometry"]["coordinates"] for p in places}


def coordinates(geometry):
    return None if geometry is None else list(geometry.coords[0])[: 3 if geometry.has_z else 2]


def same(found, expected):
    if found is None or expected is None:
        return found is expected
    return [x for x in found if not math.isnan(x)] == expected


for n, geometry in zip(frame["n"], frame.geometry):
    check(same(coordinates(geometry), points[n]), f"geopandas: the point of {n} differs")
for name in ("p", "i"):
    features = pyogrio.read_dataframe(f"{work}/{name}.fgb")
    expected = [n for n, point in points.items() if name == "p" or point is not None]
    check(sorted(features["n"]) == expected, f"GDAL reads other features of {name}.fgb")
    for n, geometry, text in zip(features["n"], features.geometry, features["text"]):
        check(same(coordinates(geometry), points[n]), f"GDAL: the point of {n} differs")
        value = places[n]["properties"]["text"]
        check(text == value or value is None, f"GDAL: the text of {n} differs")
boxes = 0
for _ in range(50):
    x = sorted(random.uniform(-180, 180) for _ in range(2))
    y = sorted(random.uniform(-90, 90) for _ in range(2))
    box = (x[0], y[0], x[1], y[1])
    inside = sorted(n for n, p in points.items() if p and x[0] <= p[0] <= x[1] and y[0] <= p[1] <= y[1])
    for found in (
        pyogrio.read_dataframe(f"{work}/i.fgb", bbox=box)["n"],
        geopandas.read_parquet(f"{work}/p.parquet", bbox=box).cx[x[0] : x[1], y[0] : y[1]]["n"],
    ):
        check(sorted(found) == inside, f"another set of objects in the box {box}")
        boxes += 1
print(f"Columnar files: {len(places)} objects, {bounds} bounds and {boxes} boxes are the same in other programs.")
