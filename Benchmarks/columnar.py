"""Measures import, export and reading of 1,000,000 places as CSV and GeoParquet beside DuckDB and pyarrow.

    swift build -c release --product cadastre
    CADASTRE_DEVELOPMENT=1 swift build -c release --product ColumnarBenchmark
    python3 Benchmarks/columnar.py .build/release .build/columnar [ROWS]

The packages duckdb and pyarrow are needed; both run on one thread. Times are processor times in seconds, medians of three
rounds, because other programs on the machine change the elapsed times; an import uses two threads.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

import duckdb
import pyarrow.parquet

products, folder = sys.argv[1], sys.argv[2]
rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
program = f"{products}/cadastre"
os.makedirs(folder, exist_ok=True)
rounds = 3


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(*arguments):
    """Runs the program and returns its processor time."""
    start = children()
    subprocess.run([program, *arguments], check=True, stderr=subprocess.DEVNULL)
    return children() - start


def within(work):
    """Returns the processor time of a call in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def report(name, file, work):
    times, elapsed = [], []
    for _ in range(rounds):
        start = time.perf_counter()
        times.append(work())
        elapsed.append(time.perf_counter() - start)
    seconds = statistics.median(times)
    size = os.path.getsize(file) / 1e6
    print(f"{name:34} {seconds:6.2f} s {rows / seconds:12,.0f} rows/s {size / seconds:8.1f} MB/s "
          f"{size:8.1f} MB {statistics.median(elapsed):8.2f} s elapsed", flush=True)
    return seconds


def remove(store):
    for suffix in ("", "-wal", "-shm", "-lock", "-wait"):
        if os.path.exists(store + suffix):
            os.remove(store + suffix)


def imported(source, store):
    remove(store)
    return run("import", source, "--store", store, "--into", "Place")


def decoded(file):
    output = subprocess.run([f"{products}/ColumnarBenchmark", file], check=True, capture_output=True, text=True)
    return float(output.stdout.split()[1])


csv, store = f"{folder}/places.csv", f"{folder}/csv.cadastre"
own, other, arrow = f"{folder}/places.parquet", f"{folder}/duckdb.parquet", f"{folder}/pyarrow.parquet"
connection = duckdb.connect()
connection.execute("SET threads = 1")
connection.execute(f"""
    COPY (SELECT i AS id, 'place ' || i AS name, 'kind ' || (i % 50) AS kind,
      (random() * 1e6)::BIGINT AS population, round(random() * 1000, 2) AS area,
      round(random() * 360 - 180, 6) AS longitude, round(random() * 180 - 90, 6) AS latitude
    FROM range({rows}) t(i)) TO '{csv}' (HEADER)""")
pyarrow.set_cpu_count(1)

report("cadastre import CSV", csv, lambda: imported(csv, store))
run("export", store, "Place", "--to", own, "--overwrite")
report("cadastre export GeoParquet", own, lambda: run("export", store, "Place", "--to", own, "--overwrite"))
connection.execute(f"CREATE TABLE places AS FROM '{own}'")
copy = f"COPY places TO '{other}' (FORMAT parquet, COMPRESSION zstd)"
connection.execute(copy)
report("DuckDB writes Parquet (zstd)", other, lambda: within(lambda: connection.execute(copy)))
table = pyarrow.parquet.read_table(own)
write = lambda: pyarrow.parquet.write_table(table, arrow, compression="zstd")
write()
report("pyarrow writes Parquet (zstd)", arrow, lambda: within(write))
report("cadastre import GeoParquet", own, lambda: imported(own, f"{folder}/parquet.cadastre"))
reader = report("cadastre reads all records", own, lambda: decoded(own))
columns = report("DuckDB reads into a table", own, lambda: within(
    lambda: connection.execute(f"CREATE OR REPLACE TEMP TABLE t AS FROM '{own}'")))
report("DuckDB returns all rows", own, lambda: within(lambda: connection.execute(f"FROM '{own}'").fetchall()))
report("pyarrow reads into a table", own, lambda: within(
    lambda: pyarrow.parquet.read_table(own, use_threads=False)))
report("pyarrow returns all rows", own, lambda: within(
    lambda: pyarrow.parquet.read_table(own, use_threads=False).to_pylist()))
print(f"Reading all records takes {reader / columns:.1f} times the processor time of DuckDB.")
