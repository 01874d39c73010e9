#!/usr/bin/env python3
"""Does thirty tasks of an analyst with `cadastre` and with geopandas, and compares the results.

    Benchmarks/tasks.py            # installs geopandas into Benchmarks/.cache/tasks, prints a table of Markdown

The data are the airports and countries of the repository. The seconds of cadastre are those of its processes, start and commit
included; those of geopandas are the statements alone, in a process that has imported it and read the files. Results must be equal;
areas and lengths of overlays may differ by 1 %, because geopandas has straight edges in degrees.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
VENV = REPOSITORY / "Benchmarks/.cache/tasks"
AIRPORTS = REPOSITORY / "Datasets/airports/airports.csv"
COUNTRIES = REPOSITORY / "Datasets/naturalearth/countries.geojson"
BOX = (0.0, 40.0, 20.0, 55.0)
BOX_WKT = "POLYGON((0 40,20 40,20 55,0 55,0 40))"


def install():
    """Starts the script again in an environment with geopandas."""
    if Path(sys.prefix) == VENV:
        return
    if not (VENV / "bin/python3").exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([VENV / "bin/pip", "install", "--quiet", "geopandas", "pyarrow", "openpyxl"], check=True)
    os.execv(VENV / "bin/python3", [VENV / "bin/python3", __file__, *sys.argv[1:]])


class Cadastre:
    """The program, and a store in a temporary folder."""

    def __init__(self, program, folder):
        self.program, self.folder, self.store = program, folder, folder / "store.cadastre"
        self.seconds, self.commands = 0.0, []

    def __call__(self, command, *arguments):
        words = [str(argument) for argument in arguments]
        self.commands.append(" ".join(["cadastre", command] + [
            word if word.replace("-", "").isalnum() else f"'{word}'" for word in
            (word.replace(str(self.folder) + "/", "").replace(str(REPOSITORY) + "/", "") for word in words)]))
        start = time.monotonic()
        process = subprocess.run([self.program, command, *words], capture_output=True, text=True)
        self.seconds += time.monotonic() - start
        if process.returncode != 0:
            raise RuntimeError(process.stderr.strip() or f"status {process.returncode}")
        return process.stdout

    def rows(self, command, *arguments):
        """The output as JSON."""
        return json.loads(self(command, *arguments, "--format", "json"))

    def count(self, name, *arguments):
        return int(self("query", self.store, name, *arguments, "--format", "count"))


class Peer:
    """The same tasks with geopandas."""

    def __init__(self):
        import geopandas
        import pandas
        from pyproj import Geod
        self.gpd, self.pd, self.geod = geopandas, pandas, Geod(ellps="WGS84")
        table = pandas.read_csv(AIRPORTS, keep_default_na=False, na_values={"elevation": [""]})
        self.airports = geopandas.GeoDataFrame(
            table, geometry=geopandas.points_from_xy(table.lon, table.lat), crs=4326)
        self.countries = geopandas.read_file(COUNTRIES)

    def area(self, geometries):
        """The area on the ellipsoid."""
        return sum(abs(self.geod.geometry_area_perimeter(geometry)[0]) for geometry in geometries if geometry)

    def length(self, geometries):
        return sum(self.geod.geometry_length(geometry) for geometry in geometries if geometry)


def total(c, name, measure="area"):
    """The sum of a measure on the ellipsoid over a class."""
    rows = c.rows("query", c.store, name, "--ellipsoid", "--select", f"geometry.{measure} as value")
    return sum(row["value"] or 0 for row in rows)


def tasks(c, p):
    """Each task: a title, what cadastre does, what geopandas does, and the relative tolerance."""
    from shapely.geometry import LineString, Point, box
    gpd, a, k, s = p.gpd, p.airports, p.countries, c.store
    paris = Point(2.35, 48.86)
    french = a[a.country == "FR"]

    def export(name, *options):
        file = c.folder / name
        c("export", s, "Country", "--to", file, *options)
        return file

    yield ("import a table with coordinates", lambda: (
        c("import", AIRPORTS, "--store", s, "--into", "Airport", "--pk", "icao"), c.count("Airport"))[1], lambda: len(a), 0)
    yield ("import polygons", lambda: (
        c("import", COUNTRIES, "--store", s, "--into", "Country", "--on-invalid", "repair"), c.count("Country"))[1], lambda: len(k), 0)
    yield ("describe a file before its import", lambda: "elevation" in c("inspect", AIRPORTS),
           lambda: "elevation" in gpd.pd.read_csv(AIRPORTS).dtypes, 0)
    yield ("filter by text and number", lambda: c.count("Airport", "country == 'FR' AND elevation > 1000"),
           lambda: len(a[(a.country == "FR") & (a.elevation > 1000)]), 0)
    yield ("sort, first ten", lambda: [row["icao"] for row in c.rows(
        "query", s, "Airport", "--sort", "elevation desc nulls last, icao", "--limit", "10", "--select", "icao")],
        lambda: list(a.sort_values(["elevation", "icao"], ascending=[False, True]).icao[:10]), 0)
    yield ("three highest of each country", lambda: sorted(row["icao"] for row in c.rows(
        "query", s, "Airport", "elevation != null", "--sort", "elevation desc, icao", "--top", "3", "--per", "country",
        "--select", "icao")),
        lambda: sorted(a.dropna(subset="elevation").sort_values(["elevation", "icao"], ascending=[False, True])
                       .groupby("country").head(3).icao), 0)
    yield ("mean and count by group", lambda: {row["country"]: row["avg(elevation)"] for row in c.rows(
        "aggregate", s, "Airport", "elevation != null", "--by", "country", "--compute", "count,avg(elevation)")},
        lambda: a.dropna(subset="elevation").groupby("country").elevation.mean().to_dict(), 1e-9)
    yield ("histogram", lambda: [row["count"] for row in c.rows(
        "aggregate", s, "Airport", "elevation != null", "--histogram", "elevation", "--bins", "10")],
        lambda: list(__import__("numpy").histogram(a.elevation.dropna(), 10)[0].tolist()), 0)
    yield ("new calculated column", lambda: (
        c("set", s, "Airport", "elevation != null", "--add", "metres double = elevation * 0.3048"),
        c.rows("aggregate", s, "Airport", "--compute", "sum(metres)"))[1][0]["sum(metres)"],
        lambda: float((a.elevation * 0.3048).sum()), 1e-9)
    yield ("change values by condition", lambda: (
        c("set", s, "Airport", "city == ''", "city=null"), c.count("Airport", "city == null"))[1],
        lambda: int((a.city == "").sum()), 0)
    yield ("points in polygons", lambda: {row["name"]: row["count"] for row in c.rows(
        "join", s, "Country", "Airport", "Airport.location GEOWITHIN geometry", "--counts", "--select", "name")
        if row["count"]}, lambda: gpd.sjoin(a, k, predicate="within").groupby("name_right").size().to_dict(), 0.35)
    yield ("points within a distance", lambda: c.count("Airport", "--within", "100km", "--of", "2.35,48.86"),
           lambda: int(sum(p.geod.inv(2.35, 48.86, q.x, q.y)[2] <= 100_000 for q in a.geometry)), 0)
    yield ("five nearest with distances", lambda: [round(row["distance"]) for row in c.rows(
        "query", s, "Airport", "--near", "2.35,48.86", "--ellipsoid", "--limit", "5", "--select", "icao")],
        lambda: sorted(round(p.geod.inv(2.35, 48.86, q.x, q.y)[2]) for q in a.geometry)[:5], 0)
    yield ("join by attribute into a class", lambda: (
        c("import", codes(c.folder), "--store", s, "--into", "Code"),
        c("join", s, "Airport", "Code", "country == iso", "--into", "Named"), c.count("Named"))[2],
        lambda: int(a.country.isin(["FR", "DE", "IT"]).sum()), 0)
    yield ("pairs nearer than 2 km, each once", lambda: int(c(
        "join", s, "Airport", "Airport", "--once", "GEODISTANCE(location, other.location) < 2km", "--where",
        "country == 'FR'", "--format", "count")),
        lambda: sum(p.geod.inv(q.x, q.y, r.x, r.y)[2] < 2000 for i, q in enumerate(french.geometry)
                    for r in french.geometry[i + 1:]), 0)
    yield ("buffer of 50 km", lambda: (
        c("map-geometry", s, "Airport", "country == 'FR'", "--buffer", "50km", "--into", "Near"), total(c, "Near"))[1],
        lambda: p.area(french.to_crs(2154).buffer(50_000).to_crs(4326)), 0.05)
    yield ("dissolve by a column", lambda: (
        c("dissolve", s, "Country", "--by", "continent", "--into", "Continent"), total(c, "Continent"))[1],
        lambda: p.area(k.assign(geometry=k.make_valid()).dissolve("continent").geometry), 0.01)
    yield ("clip to a box", lambda: (
        c("map-geometry", s, "Country", "geometry GEOINTERSECTS $0", "--arg", BOX_WKT, "--clip", BOX_WKT, "--into", "Clip"),
        total(c, "Clip"))[1], lambda: p.area(k.clip(box(*BOX)).geometry), 0.01)
    yield ("erase a box", lambda: (
        c("map-geometry", s, "Country", "continent == 'Europe' AND name != 'Russia'", "--erase", BOX_WKT, "--into", "Rest"),
        total(c, "Rest"))[1],
        lambda: p.area(k[(k.continent == "Europe") & (k.name != "Russia")].difference(box(*BOX))), 0.01)
    yield ("convex hulls", lambda: (
        c("map-geometry", s, "Country", "continent == 'South America'", "--hull", "--into", "Hull"), total(c, "Hull"))[1],
        lambda: p.area(k[k.continent == "South America"].convex_hull), 0.02)
    yield ("simplify to 20 km", lambda: (
        c("map-geometry", s, "Country", "name == 'France' OR name == 'Spain'", "--simplify", "20km", "--into", "Simple"),
        total(c, "Simple"))[1],
        lambda: p.area(k[k.name.isin(["France", "Spain"])].to_crs(2154).simplify(20_000).to_crs(4326)), 0.02)
    yield ("centroids", lambda: (
        c("map-geometry", s, "Country", "name == 'Spain'", "--centroid", "--into", "Middle"),
        [row["value"] for row in c.rows("query", s, "Middle", "--select", "geometry.latitude as value")][0])[1],
        lambda: float(k[k.name == "Spain"].to_crs(2062).centroid.to_crs(4326).y.iloc[0]), 0.001)
    yield ("union of two polygons", lambda: (
        c("dissolve", s, "Country", "name IN {'France', 'Spain'}", "--into", "Two"), total(c, "Two"))[1],
        lambda: p.area([k[k.name.isin(["France", "Spain"])].union_all()]), 0.01)
    yield ("repair invalid polygons", lambda: (
        c("import", bow(c.folder), "--store", s, "--into", "Bow", "--on-invalid", "keep"),
        c("map-geometry", s, "Bow", "--repair"), total(c, "Bow"))[2],
        lambda: p.area(gpd.read_file(bow(c.folder)).make_valid()), 0.001)
    yield ("length of borders", lambda: total(c, "Continent", "perimeter"),
           lambda: sum(p.geod.geometry_area_perimeter(part)[1] + p.length(part.interiors)
                       for g in k.assign(geometry=k.make_valid()).dissolve("continent").geometry
                       for part in (g.geoms if hasattr(g, "geoms") else [g]) if part.geom_type == "Polygon"), 0.01)
    yield ("export in Web Mercator", lambda: list(map(round, gpd.read_file(
        export("w.gpkg", "--crs", "EPSG:3857")).total_bounds)), lambda: list(map(round, k.to_crs(3857).total_bounds)), 0.01)
    yield ("export as GeoParquet", lambda: len(gpd.read_parquet(export("k.parquet"))), lambda: len(k), 0)
    yield ("export as Shapefile", lambda: len(gpd.read_file(export("k.shp"))), lambda: len(k), 0)
    yield ("export as spreadsheet", lambda: len(gpd.pd.read_excel(export("k.xlsx"))), lambda: len(k), 0)
    yield ("update by key, nothing else changes", lambda: (
        c("import", AIRPORTS, "--store", s, "--into", "Airport", "--upsert", "--columns", "icao,name"),
        c.count("Airport", "metres != null"))[1], lambda: int(a.elevation.notna().sum()), 0)
    yield ("copy to another store", lambda: (
        c("copy", s, "Country", c.folder / "b.cadastre"),
        int(c("query", c.folder / "b.cadastre", "Country", "--format", "count")))[1], lambda: len(k), 0)


def codes(folder):
    file = folder / "codes.csv"
    file.write_text("iso,title\nFR,France\nDE,Germany\nIT,Italy\n")
    return file


def bow(folder):
    file = folder / "bow.geojson"
    file.write_text('{"type":"Feature","properties":{},"geometry":{"type":"Polygon",'
                    '"coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}}')
    return file


def difference(ours, theirs):
    """The greatest relative difference; infinite for other kinds of results."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return max((difference(ours.get(key, 0), theirs.get(key, 0)) for key in set(ours) | set(theirs)), default=0)
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return max((difference(*pair) for pair in zip(ours, theirs)), default=0)
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return abs(ours - theirs) / max(abs(theirs), 1e-9) if ours != theirs else 0
    return 0 if ours == theirs else float("inf")


def main(arguments):
    install()
    program = arguments[0] if arguments else REPOSITORY / ".build/release/cadastre"
    if not arguments:
        subprocess.run(["swift", "build", "-c", "release", "--quiet", "--product", "cadastre", "--package-path", REPOSITORY],
                       check=True)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="cadastre-tasks-") as folder:
        c, p = Cadastre(program, Path(folder)), Peer()
        print("| task | commands | s | geopandas, s | result | difference |\n|---|---|---|---|---|---|")
        for title, ours, theirs, tolerance in tasks(c, p):
            c.seconds, c.commands = 0.0, []
            try:
                found = ours()
            except RuntimeError as error:
                found = str(error)
            start = time.monotonic()
            expected = theirs()
            seconds = time.monotonic() - start
            gap = difference(found, expected)
            is_right = gap <= tolerance
            wrong += not is_right
            commands = "<br>".join(f"`{command.replace('|', chr(92) + '|')}`" for command in c.commands)
            shown = f"{gap:.1e}" if gap else "0"
            print(f"| {title} | {commands} | {c.seconds:.2f} | {seconds:.2f} | "
                  f"{'right' if is_right else f'WRONG: {str(found)[:80]}, expected {str(expected)[:80]}'} | {shown} |", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
