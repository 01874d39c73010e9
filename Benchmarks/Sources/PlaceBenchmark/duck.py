"""Asks DuckDB questions: a CSV of places, then name, tab and SQL a line; prints name, ms and hits."""

import sys
import time

import duckdb

connection = duckdb.connect()
connection.execute(f"SET threads = {sys.argv[2]}")
connection.execute(f"CREATE TABLE place AS SELECT * FROM read_csv('{sys.argv[1]}')")
for line in sys.stdin:
    name, sql = line.rstrip("\n").split("\t")
    times = []
    for _ in range(7):
        start = time.perf_counter()
        found = connection.execute(sql).fetchnumpy()
        times.append(time.perf_counter() - start)
    hits = len(next(iter(found.values())))
    print(name, sorted(times)[3] * 1e3, hits, sep="\t", flush=True)
