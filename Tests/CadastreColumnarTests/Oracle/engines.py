"""Compares the ids of random predicates in Cadastre, DuckDB and SedonaDB.

The arguments are the program, a folder, a seed and the number of predicates. The objects are those of a store
`s.cadastre` and of a file `p.parquet` in the folder, which peers.py has written.
"""

import random
import subprocess
import sys
from collections import Counter

import duckdb
import sedona.db
import shapely

program, work, seed, wanted = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
store, file = f"{work}/s.cadastre", f"{work}/p.parquet"

connection = duckdb.connect()
# The package of PyPI has no extension spatial: these are its functions for points and planar polygons.
coordinate = "split_part(split_part(split_part(ST_AsText(g), '(', 2), ')', 1), ' ', {})::DOUBLE"
connection.execute(f"CREATE MACRO ST_X(g) AS {coordinate.format(1)}")
connection.execute(f"CREATE MACRO ST_Y(g) AS {coordinate.format(2)}")
connection.execute("CREATE MACRO ST_GeomFromText(t) AS t")
connection.execute("CREATE MACRO ST_Point(x, y) AS struct_pack(x := x, y := y)")
connection.create_function(
    "planar_intersects", lambda text, x, y: bool(shapely.from_wkt(text).intersects(shapely.Point(x, y))),
    ["VARCHAR", "DOUBLE", "DOUBLE"], "BOOLEAN")
connection.execute("CREATE MACRO ST_Intersects(a, b) AS planar_intersects(a, b.x, b.y)")
sedona_connection = sedona.db.connect()

orders = ["==", "!=", "<", "<=", ">", ">="]


def number():
    kinds = [
        lambda: random.randrange(-10, 5010),
        lambda: random.choice([0, 0.0, -0.0, 0.1, 1e300, 5e-324, 0.5, 2499.5, -1.5]),
        lambda: random.randrange(5000) / 7,
        lambda: random.choice([9223372036854775807, -9223372036854775808, 9007199254740993, 1e19, -1e19]),
    ]
    return repr(random.choice(kinds)())


def text():
    return random.choice(["''", "'é'", "'É'", "'漢字'", "'a\"b'", "'xxx'", "'t'", "'T1'", "'x'", "'t12'", "'%'"])


def date():
    return f"2024-02-{random.randrange(1, 29):02}@01:02:{random.randrange(60):02}"


def degrees(low, high):
    return round(random.uniform(low, high), 3)


def region():
    x, y = degrees(-170, 150), degrees(-80, 60)
    kind = random.randrange(3)
    if kind == 0:
        return f"location GEOWITHIN geoCircle([{x}, {y}], {round(random.uniform(0.001, 1.5), 4)})"
    width, height = degrees(1, 20), degrees(1, 20)
    if kind == 1:
        return f"location GEOWITHIN geoBox([{x}, {y}], [{round(x + width, 3)}, {round(y + height, 3)}])"
    corners = [(x, y), (round(x + width, 3), y), (round(x + width / 3, 3), round(y + height, 3)), (x, y)]
    return "location GEOWITHIN geoPolygon({" + ", ".join(f"[{a}, {b}]" for a, b in corners) + "})"


def leaf():
    order = random.choice(orders)
    part = random.choice(["BEGINSWITH", "ENDSWITH", "CONTAINS"])
    fold = random.choice(["", "", "[c]"])
    return random.choice([
        lambda: f"n {order} {number()}",
        lambda: f"number {order} {number()}",
        lambda: f"number BETWEEN {{{number()}, {number()}}}",
        lambda: f"n IN {{{number()}, {number()}, {number()}}}",
        lambda: f"text {order} {text()}",
        lambda: f"text {part}{fold} {text()}",
        lambda: f"text =={fold} {text()}",
        lambda: f"text LIKE {random.choice(['*', 't?', 't1*', '?', '*b', 'a*b', '*%b*'])!r}",
        lambda: f"text {random.choice(['==', '!='])} nil",
        lambda: f"number {random.choice(['==', '!='])} nil",
        lambda: f"flag {random.choice(['==', '!='])} {random.choice(['true', 'false', 'nil'])}",
        lambda: f"when {order} {date()}",
        lambda: f"when {random.choice(['==', '!='])} nil",
        lambda: f"inner.a {order} {number()}",
        lambda: f"inner.b.c {order} {random.choice(['nil', text(), repr('c3')])}",
        lambda: f"{random.choice(['ANY', 'ALL', 'NONE'])} tags {random.choice(['==', '!=', '<'])} "
        + repr(random.choice("abcd")),
        lambda: f"{random.choice(['ANY', 'NONE'])} parts.k {order} {random.choice(['0', '1', 'nil'])}",
        lambda: f"tags.@count {order} {random.randrange(5)}",
        region, region,
    ])()


def predicate(depth):
    if depth == 0:
        return leaf()
    kind = random.randrange(3)
    if kind == 0:
        return f"NOT ({predicate(depth - 1)})"
    word = "AND" if kind == 1 else "OR"
    return f"({predicate(depth - 1)} {word} {predicate(depth - 1)})"


def run(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True)


def ids(dialect, text):
    if dialect == "duckdb":
        return sorted(row[0] for row in connection.execute(text.replace("SELECT *", "SELECT n")).fetchall())
    statement = "\n".join(line for line in text.splitlines() if not line.startswith("--")).rstrip(";\n")
    table = sedona_connection.sql(statement.replace("SELECT *", "SELECT n")).to_arrow_table()
    return sorted(table.column("n").to_pylist())


compared, refused, matches, tried = Counter(), Counter(), 0, 0
while min(compared["duckdb"], compared["sedona"]) < wanted:
    tried += 1
    query = predicate(random.randrange(4))
    edges = random.choice(["spherical", "planar"])
    expected = None
    for dialect in ("duckdb", "sedona"):
        if compared[dialect] >= wanted:
            continue
        printed = run("sql", store, "Place", query, "--edges", edges, "--dialect", dialect, "--file", file)
        if printed.returncode != 0:
            if "with the same meaning" not in printed.stderr:
                sys.exit(f"engines: seed {seed}: {query}\n{printed.stderr}")
            refused[dialect] += 1
            continue
        if expected is None:
            found = run("query", store, "Place", query, "--edges", edges, "--select", "n", "--format", "csv")
            expected = sorted(int(line) for line in found.stdout.split()[1:])
            matches += len(expected)
        result = ids(dialect, printed.stdout)
        if result != expected:
            difference = sorted(set(result) ^ set(expected))[:10]
            sys.exit(f"engines: seed {seed}: {dialect} has other ids, such as {difference}:\n{query}\n{printed.stdout}")
        compared[dialect] += 1
print(
    f"SQL of other engines, seed {seed}: {tried} random predicates, the same ids in DuckDB for {compared['duckdb']} "
    f"(refused {refused['duckdb']}) and in SedonaDB for {compared['sedona']} (refused {refused['sedona']}); "
    f"{matches / max(1, tried):,.0f} matches of 5,000 on average.")
