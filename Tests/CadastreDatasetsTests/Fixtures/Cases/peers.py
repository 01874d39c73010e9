"""Writes peers.tsv: the number of rows that GDAL and DuckDB read of each file in cases.zip.

Run with Python 3.11, pyogrio, geopandas and duckdb: python3 peers.py. GDAL reads the first layer; a refusal is `-`.
"""

import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
COMPANIONS = (".dbf", ".shx", ".prj", ".cpg", ".qix")


def gdal(path):
    import pyogrio

    return len(pyogrio.read_dataframe(path, use_arrow=False))


def duckdb(path):
    import duckdb

    kind = path.lower().removesuffix(".gz").rsplit(".", 1)[-1]
    function = {
        "csv": "read_csv", "ndjson": "read_json", "json": "read_json", "parquet": "read_parquet",
    }.get(kind)
    if function is None:
        return None
    return duckdb.sql(f"SELECT count(*) FROM {function}('{path}')").fetchall()[0][0]


def rows(reader, path):
    """Runs a reader in a process of its own, because damaged files can stop it."""
    done = subprocess.run(
        [sys.executable, __file__, reader, path], capture_output=True, text=True, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else "-"


def main():
    if len(sys.argv) == 3:
        count = {"gdal": gdal, "duckdb": duckdb}[sys.argv[1]](sys.argv[2])
        print("" if count is None else count)
        return
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(os.path.join(HERE, "cases.zip")) as archive:
            archive.extractall(folder)
            names = sorted(archive.namelist())
        with open(os.path.join(HERE, "peers.tsv"), "w", encoding="utf-8") as table:
            print("file\tGDAL\tDuckDB", file=table)
            for name in names:
                stem = name.rsplit(".", 1)[0]
                if name.endswith(COMPANIONS) and stem + ".shp" in names:
                    continue
                path = os.path.join(folder, name)
                print(name, rows("gdal", path), rows("duckdb", path), sep="\t", file=table)


if __name__ == "__main__":
    main()
