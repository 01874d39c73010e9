"""Runs queries on DuckDB.

The arguments are a CSV file of places and the number of threads. Each input line has a name, a tab and a
statement; the output has the name, the milliseconds and the hits.
"""

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
        columns = connection.execute(sql).fetchnumpy()
        times.append(time.perf_counter() - start)
    hits = len(next(iter(columns.values())))
    print(name, sorted(times)[3] * 1e3, hits, sep="\t", flush=True)
