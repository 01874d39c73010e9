#!/usr/bin/env python3
"""Compares the conversion of coordinates with pyproj.

systems.py PROGRAM: imports random positions in each system of `systems.txt` with `PROGRAM import --crs`, where the system
is given by its code and in well-known text of Esri without a code. Prints the greatest distance from
`Transformer.from_crs(system, "EPSG:4326", always_xy=True)` in metres; the exit status is 1 if it exceeds 1 mm, or if a
position is rejected. Both use the library and the database of pyproj, because versions and grids change results.

systems.py: writes systems.csv, positions that pyproj converts without a choice between operations with and without grids,
so that the expected values hold with and without installed grids.
"""

import csv
import glob
import math
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pyproj

FOLDER = Path(__file__).resolve().parent
SYSTEMS = (FOLDER / "systems.txt").read_text().split()
LIMIT_METRES = 0.001
SPHERE = pyproj.Geod(a=6378137, b=6378137)
warnings.simplefilter("ignore")


def positions(system, count, seed):
    """Yields positions in the area of use of a system, as degrees and in the system."""
    numbers = random.Random(f"{seed} {system}")
    west, south, east, north = pyproj.CRS(system).area_of_use.bounds
    east += 360 if east < west else 0
    inverse = pyproj.Transformer.from_crs("EPSG:4326", system, always_xy=True)
    for _ in range(count):
        longitude, latitude = numbers.uniform(west, east), numbers.uniform(south, north)
        longitude -= 360 if longitude > 180 else 0
        x, y = inverse.transform(longitude, latitude)
        if math.isfinite(x) and math.isfinite(y):
            yield (longitude, latitude), (x, y)


def environment():
    """The environment in which the program uses pyproj's library and database."""
    libraries = os.path.join(os.path.dirname(pyproj.__file__), os.pardir, "pyproj.libs")
    library = os.path.realpath(glob.glob(os.path.join(libraries, "libproj*"))[0])
    data = pyproj.datadir.get_data_dir()
    return os.environ | {
        "CADASTRE_PROJ_LIBRARY": library, "LD_LIBRARY_PATH": os.path.dirname(library), "PROJ_DATA": data,
        "PROJ_LIB": data, "PROJ_NETWORK": "OFF",
    }


def imported(program, folder, definition, points):
    """Returns the longitudes and latitudes that the program stores, by the index of the position."""
    table, store, output = (os.path.join(folder, name) for name in ("a.csv", "s.cadastre", "b.csv"))
    for path in glob.glob(os.path.join(folder, "*")):
        os.remove(path)
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([("n", "x", "y")] + [(n, repr(x), repr(y)) for n, (x, y) in enumerate(points)])
    arguments = ["import", table, "--store", store, "--into", "T", "--crs", definition, "--max-rejects", "100000"]
    subprocess.run([program] + arguments, env=environment(), check=True, capture_output=True)
    subprocess.run([program, "export", store, "T", "--to", output], check=True, capture_output=True)
    with open(output, newline="") as file:
        rows = list(csv.DictReader(file))
    return {int(row["n"]): (float(row["longitude"]), float(row["latitude"])) for row in rows}


def compare(program):
    print(f"PROJ {pyproj.proj_version_str}, {len(SYSTEMS)} systems; greatest differences in metres")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for system in SYSTEMS:
            points = [point for _, point in positions(system, 300, seed=2)]
            transformer = pyproj.Transformer.from_crs(system, "EPSG:4326", always_xy=True)
            results = []
            for definition in [system, pyproj.CRS(system).to_wkt("WKT1_ESRI")]:
                found = imported(program, folder, definition, points)
                expected = {n: transformer.transform(*point) for n, point in enumerate(points)}
                distance = max(SPHERE.inv(*expected[n], *place)[2] for n, place in found.items())
                results.append(f"{distance:.6f}")
                missing = len(points) - len(found)
                if missing:
                    results.append(f"{missing} of {len(points)} rejected")
                failures += missing > 0 or distance > LIMIT_METRES
            print(f"{system}\t{pyproj.CRS(system).name}\t" + "\t".join(results), flush=True)
    print(f"{failures} differences of more than {LIMIT_METRES} m" if failures else "no differences")
    return 1 if failures else 0


def write_fixture():
    rows = []
    for system in SYSTEMS:
        group = pyproj.transformer.TransformerGroup(system, "EPSG:4326", always_xy=True)
        areas = [operation.area_of_use.bounds for operation in group.unavailable_operations]
        transformer = pyproj.Transformer.from_crs(system, "EPSG:4326", always_xy=True)

        def needs_grids(longitude, latitude):
            return any(
                south - 1 <= latitude <= north + 1
                and (west > east or west - 1 <= longitude <= east + 1)
                for west, south, east, north in areas)

        free = [point for place, point in positions(system, 2000, seed=1) if not needs_grids(*place)]
        rows += [(system, *map(repr, point + transformer.transform(*point))) for point in free[:3]]
    with open(FOLDER / "systems.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([("system", "x", "y", "longitude", "latitude")] + rows)
    print(f"PROJ {pyproj.proj_version_str}: {len(rows)} positions in {len({row[0] for row in rows})} systems")
    return 0


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]) if len(sys.argv) > 1 else write_fixture())
