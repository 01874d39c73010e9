#!/usr/bin/env python3
"""Measures imports, upserts, statistics and exports of 1,000,000 places beside ogr2ogr and DuckDB, where these are installed.

    Benchmarks/files.py                 # --large also imports 10,000,000 rows

Prints the seconds and the peak memory of each process. Builds the command line tool; `Benchmarks/run --install` installs the peers.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

BENCHMARKS = Path(__file__).resolve().parent
REPOSITORY = BENCHMARKS.parent
TABLE = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute(f\"CREATE TABLE place AS SELECT * FROM read_csv('{sys.argv[2]}')\")"
SUMMARY = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True).execute('SUMMARIZE place').fetchall()"
PARQUET = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True).execute(f\"COPY place TO '{sys.argv[2]}' (FORMAT parquet)\")"
SPATIAL = ["-oo", "X_POSSIBLE_NAMES=longitude", "-oo", "Y_POSSIBLE_NAMES=latitude", "-oo", "AUTODETECT_TYPE=YES",
           "-a_srs", "EPSG:4326"]


def measure(title, *command):
    """Runs a process, and prints its seconds and peak memory."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status != 0:
        raise SystemExit(f"{title}: status {status}: {' '.join(map(str, command))}")
    print(f"{title:44} {seconds:8.2f} s {usage.ru_maxrss // 1024:6} MB", flush=True)


def tenfold(file, copy, rows):
    """Writes the rows of a CSV file ten times, with other keys.

    It reads line by line, because the peak memory of a process begins with that of the one that starts it.
    """
    with copy.open("w", encoding="utf-8") as output:
        for part in range(10):
            with file.open(encoding="utf-8") as lines:
                header = next(lines)
                if part == 0:
                    output.write(header)
                for line in lines:
                    key, rest = line.split(",", 1)
                    output.write(f"{int(key) + part * rows},{rest}")


def imports(rows, file, cadastre, python, work):
    """Imports a CSV file with each tool."""
    measure(f"cadastre import, {rows:,} rows", cadastre, "import", file, "--store", work / f"{rows}.cadastre",
            "--into", "Place", "--pk", "id", "--no-progress")
    if shutil.which("ogr2ogr"):
        measure(f"ogr2ogr to GeoPackage, {rows:,} rows", "ogr2ogr", "-f", "GPKG", work / f"{rows}.gpkg", file, *SPATIAL)
    if python.exists():
        measure(f"DuckDB, no spatial index, {rows:,} rows", python, "-c", TABLE, work / f"{rows}.duckdb", file)


def prepare(rows):
    """Prints the CSV file of the places, which is written where it is missing."""
    from runner.main import prepare as prepared
    print(prepared(BENCHMARKS / ".cache", REPOSITORY, rows)[0] / "places.csv")


def main(arguments):
    subprocess.run(["swift", "build", "-c", "release", "--quiet", "--product", "cadastre", "--package-path", REPOSITORY],
                   check=True)
    cadastre = REPOSITORY / ".build/release/cadastre"
    python = BENCHMARKS / ".cache/venv/bin/python3"
    rows = 1_000_000
    # In a process of its own: the peak memory of a process begins with that of the one that starts it.
    prepared = subprocess.run([sys.executable, __file__, "--prepare"], check=True, capture_output=True, text=True)
    file = Path(prepared.stdout.splitlines()[-1])
    work = Path(tempfile.mkdtemp(prefix="cadastre-files-"))
    try:
        imports(rows, file, cadastre, python, work)
        store = work / f"{rows}.cadastre"
        measure("cadastre import --upsert, nothing changed", cadastre, "import", file, "--store", store,
                "--into", "Place", "--pk", "id", "--upsert", "--no-progress")
        for name, driver in (("csv", "CSV"), ("geojsonl", "GeoJSONSeq"), ("geojson", "GeoJSON")):
            measure(f"cadastre export, {driver}", cadastre, "export", store, "Place", "--to", work / f"ours.{name}")
            if shutil.which("ogr2ogr"):
                measure(f"ogr2ogr from GeoPackage, {driver}", "ogr2ogr", "-f", driver, work / f"theirs.{name}",
                        work / f"{rows}.gpkg")
        database = work / f"{rows}.duckdb"
        measure("cadastre stats, exact counts", cadastre, "stats", store, "Place")
        if database.exists():
            measure("DuckDB SUMMARIZE, approximate counts", python, "-c", SUMMARY, database)
        measure("cadastre export, GeoParquet in spatial order", cadastre, "export", store, "Place", "--to",
                work / "ours.parquet")
        measure("cadastre export, GeoParquet in order of id", cadastre, "export", store, "Place", "--sort", "id", "--to",
                work / "sorted.parquet")
        if database.exists():
            measure("DuckDB to Parquet, no geometry", python, "-c", PARQUET, database, work / "theirs.parquet")
        if "--large" in arguments:
            tenfold(file, work / "large.csv", rows)
            imports(10 * rows, work / "large.csv", cadastre, python, work)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    if "--prepare" in sys.argv:
        prepare(1_000_000)
    else:
        main(sys.argv[1:])
