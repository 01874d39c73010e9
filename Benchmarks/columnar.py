"""Measures import and export of 1,000,000 places as CSV and GeoParquet beside DuckDB and pyarrow.

The arguments are a release build of `cadastre` and a folder for the files. The packages duckdb and pyarrow are needed.
Every figure is the time of one process or one read on one thread.
"""

import os
import subprocess
import sys
import time

import duckdb
import pyarrow.parquet

program, folder = sys.argv[1], sys.argv[2]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000


def measure(name, work, size=None):
    start = time.perf_counter()
    work()
    seconds = time.perf_counter() - start
    rate = f"{rows / seconds:12,.0f} rows/s"
    print(f"{name:32} {seconds:8.2f} s {rate}" + (f" {os.path.getsize(size) / 1e6:8.1f} MB" if size else ""))


def run(*arguments):
    subprocess.run([program, *arguments], check=True, stderr=subprocess.DEVNULL)


csv, store = f"{folder}/places.csv", f"{folder}/csv.cadastre"
own, other = f"{folder}/places.parquet", f"{folder}/duckdb.parquet"
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute(f"""
    COPY (SELECT i AS id, 'place ' || i AS name, 'kind ' || (i % 50) AS kind,
      (random() * 1e6)::BIGINT AS population, round(random() * 1000, 2) AS area,
      round(random() * 360 - 180, 6) AS longitude, round(random() * 180 - 90, 6) AS latitude
    FROM range({rows}) t(i)) TO '{csv}' (HEADER)""")
measure("cadastre import CSV", lambda: run("import", csv, "--store", store, "--into", "Place"), csv)
measure("cadastre export GeoParquet", lambda: run("export", store, "Place", "--to", own), own)
measure(
    "DuckDB writes Parquet (zstd)",
    lambda: connection.execute(f"COPY (FROM '{own}') TO '{other}' (FORMAT parquet, COMPRESSION zstd)"), other)
measure(
    "cadastre import GeoParquet",
    lambda: run("import", own, "--store", f"{folder}/parquet.cadastre", "--into", "Place"))
measure("DuckDB reads all columns", lambda: connection.execute(f"FROM '{own}'").fetchmany(1) and connection.execute(
    f"CREATE OR REPLACE TEMP TABLE t AS FROM '{own}'"))
measure("pyarrow reads all columns", lambda: pyarrow.parquet.read_table(own, use_threads=False))
