"""Checks the server with GDAL and by the abstract tests of OGC API Features, Part 1 (OGC 17-069r4, Annex A).

    Scripts/check-server ogc
    Scripts/check-server ogc --qgis     # also with QGIS: its packages python3-qgis and qgis-providers must be installed

Installs gdal-bin if it is missing, and the validator of OpenAPI documents in a temporary folder. The store has the bundled airports and is in a temporary folder; the server has a free port.
"""
import contextlib
import csv
import datetime
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"failed: {text}")


def install_gdal():
    if shutil.which("ogrinfo"):
        return
    if not shutil.which("apt-get"):
        raise SystemExit("Install GDAL, then run this again.")
    root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run(root + ["apt-get", "update", "-qq"], check=True)
    subprocess.run(
        root + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "gdal-bin"],
        check=True, stdout=subprocess.DEVNULL)


def validate_definitions(program, store, folder):
    """The definitions with and without changes are valid OpenAPI 3.0, by openapi-spec-validator of PyPI."""
    run("python3", "-m", "venv", f"{folder}/python")
    run(f"{folder}/python/bin/pip", "install", "-q", "--disable-pip-version-check", "openapi-spec-validator==0.9.0")
    for name, options in (("reading", []), ("writing", ["--writable"])):
        server = Server(program, store, *options)
        path = pathlib.Path(folder) / f"{name}.json"
        path.write_bytes(server.get("/api")[2])
        server.stop()
        print(f"openapi-spec-validator {name}.json: {run(f'{folder}/python/bin/openapi-spec-validator', path).split(': ')[-1].strip()}")
        check(("delete" in path.read_text()) == bool(options), "changes are in the definition only where they are possible")


def programs():
    """Returns the programs, which Scripts/check-server builds."""
    return os.environ["CADASTRE"], os.environ["CADASTRE_SERVE"]


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Server:
    """A running server; requests return the status, the headers and the body."""

    def __init__(self, program, store, *options):
        self.process = subprocess.Popen(
            [program, store, "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip().rstrip("/")
        self.port = urllib.parse.urlparse(self.address).port

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()

    def json(self, path, kind="application/json"):
        status, headers, body = self.get(path, Accept="application/json")
        check(status == 200, f"{path}: {status} {body[:200]}")
        check(headers["content-type"].split(";")[0] == kind, f"{path}: content type {headers['content-type']}")
        return json.loads(body)

    def stop(self):
        self.process.terminate()
        check(self.process.wait(20) == 0, "the server ends with status 0 after SIGTERM")


def link(document, relation):
    return [one for one in document["links"] if one["rel"] == relation]


def core(server):
    """Annex A.2: the requirements class Core."""
    landing = server.json("/")
    for relation in ("service-desc", "service-doc", "conformance", "data", "self", "alternate"):
        check(link(landing, relation), f"the landing page has no link '{relation}'")
    for one in landing["links"]:
        path = one["href"].removeprefix(server.address)
        status, headers, _ = server.get(path, Accept=one["type"])
        check(status == 200, f"the link {one['rel']} to {path}: {status}")
        check(headers["content-type"].split(";")[0] == one["type"].split(";")[0], f"the type of {path}")
    classes = server.json("/conformance")["conformsTo"]
    for name in ("core", "geojson", "html", "oas30"):
        check(f"http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/{name}" in classes, f"conformance to {name}")
    definition(server)
    collections = server.json("/collections")
    check(link(collections, "self"), "the collections have a link to themselves")
    for one in collections["collections"]:
        check(one == server.json(f"/collections/{one['id']}"), "a collection is the same alone and in the list")
        check(one["crs"] == [CRS84], "the coordinate reference system of a collection")
        west, south, east, north = one["extent"]["spatial"]["bbox"][0]
        check(-180 <= west <= east <= 180 and -90 <= south <= north <= 90, "the extent of a collection")
        check({item["type"] for item in link(one, "items")} == {"application/geo+json", "text/html"}, "links to items")
    for method, status in (("HEAD", 200), ("POST", 405), ("DELETE", 405), ("TRACE", 405)):
        found, _, body = server.get("/collections", method)
        check(found == status, f"{method}: {found}")
        check(method != "HEAD" or not body, "HEAD has no body")


def definition(server):
    """Annex A.5: the definition in OpenAPI 3.0, by the rules of its specification that concern it."""
    api = server.json("/api", "application/vnd.oai.openapi+json")
    check(api["openapi"].startswith("3.0.") and {"title", "version"} <= api["info"].keys(), "the head of the definition")
    for path, entry in api["paths"].items():
        check(path.startswith("/"), f"the path {path}")
        for operation in entry.values():
            check(operation["responses"], f"{path} has no responses")
            for code, response in operation["responses"].items():
                check((code == "default" or code.isdigit()) and response["description"], f"{path}: {code}")
            names = [(one["in"], one["name"]) for one in operation["parameters"]]
            check(len(names) == len(set(names)), f"{path} repeats a parameter")
            for one in operation["parameters"]:
                check(one["in"] in ("query", "path") and one["schema"], f"{path}: parameter {one['name']}")
                check(one["in"] == "query" or one["required"] is True, f"{path}: {one['name']} is required")
            templates = {part[1:-1] for part in path.split("/") if part.startswith("{")}
            check(templates == {name for kind, name in names if kind == "path"}, f"{path}: parameters of the path")
            if "{" not in path:
                check(server.get(path)[0] == 200, f"{path} of the definition is not found")


def items(server):
    """Annex A.2.7 and A.2.8: features, their parameters and one feature."""
    path = "/collections/Airport/items"
    page = server.json(path, "application/geo+json")
    check(page["type"] == "FeatureCollection" and len(page["features"]) == 10, "the default limit")
    check(page["numberReturned"] == 10 and page["numberMatched"] > 20_000, "the numbers of features")
    stamp = datetime.datetime.fromisoformat(page["timeStamp"].replace("Z", "+00:00"))
    check(abs((datetime.datetime.now(datetime.timezone.utc) - stamp).total_seconds()) < 60, "the time stamp")
    for relation in ("self", "alternate", "next"):
        check(link(page, relation), f"the link {relation} of features")
    for limit in (1, 7, 10_000, 1_000_000):
        found = server.json(f"{path}?limit={limit}", "application/geo+json")
        check(found["numberReturned"] == len(found["features"]) == min(limit, 10_000), f"limit={limit}")
    for box in ((0, 40, 10, 50), (170, -50, -170, 0), (-180, -90, 180, 90)):
        found = everything(server, f"{path}?limit=5000&bbox={','.join(map(str, box))}")
        west, south, east, north = box

        def is_inside(feature):
            x, y = feature["geometry"]["coordinates"][:2]
            return south <= y <= north and (west <= x <= east if west <= east else x >= west or x <= east)

        check(all(map(is_inside, found)), f"bbox={box} has features outside")
        whole = everything(server, f"{path}?limit=10000")
        check(len(found) == sum(map(is_inside, whole)), f"bbox={box} has all features inside")
    check(server.get(f"{path}?datetime=2020-01-01T00:00:00Z/..")[0] == 200, "datetime")
    for query in ("nothing=1", "limit=0", "limit=-1", "limit=a", "bbox=1,2,3", "bbox=a,b,c,d", "bbox=1,2,3,1",
                  "datetime=yesterday", "datetime=2021-01-01/2020-01-01", "limit=1&limit=2", "%00=1", "limit=%ff"):
        check(server.get(f"{path}?{query}")[0] == 400, f"{query} is invalid")
    check(server.get("/collections/Nothing/items")[0] == 404, "an unknown collection")
    feature = page["features"][0]
    one = server.json(f"{path}/{feature['id']}", "application/geo+json")
    check(one["type"] == "Feature" and one["geometry"] == feature["geometry"], "one feature")
    check(link(one, "self") and link(one, "collection"), "the links of a feature")
    check(server.get(f"{path}/no-such-feature")[0] == 404, "an unknown feature")
    for address in (path, f"{path}/{feature['id']}", "/collections", "/conformance", "/api"):
        status, headers, body = server.get(address, Accept="text/html")
        check(status == 200 and headers["content-type"].startswith("text/html"), f"{address} as a page")
        check(body.startswith(b"<!doctype html>"), f"{address} as a page")


def everything(server, path):
    """The features of all pages."""
    features = []
    while path:
        page = server.json(path, "application/geo+json")
        check(page["numberReturned"] == len(page["features"]), "numberReturned")
        features += page["features"]
        following = link(page, "next")
        path = following[0]["href"].removeprefix(server.address) if following else None
    check(len(features) == page["numberMatched"], "numberMatched")
    check(len({one["id"] for one in features}) == len(features), "a feature occurs twice")
    return features


def gdal(server, cadastre, store, folder):
    """GDAL reads the same features as `cadastre query`, through filters that it sends to the server or applies itself."""
    source = f"OAPIF:{server.address}"
    print(run("ogrinfo", "-ro", "-so", source, "Airport"))
    cases = [
        (["-where", "country = 'IS'"], ["country == 'IS'"]),
        (["-where", "elevation > 9000 AND country <> 'PE'"], ["elevation > 9000 AND country != 'PE'"]),
        (["-where", "country IN ('LU', 'MC', 'LI')"], ["country IN {'LU', 'MC', 'LI'}"]),
        (["-where", "name LIKE 'San %'"], ["name BEGINSWITH 'San '"]),
        (["-spat", "5", "45", "9", "48"], ["--bbox", "5,45,9,48"]),
        (["-spat", "5", "45", "9", "48", "-where", "country = 'CH'"], ["country == 'CH'", "--bbox", "5,45,9,48"]),
    ]
    for number, (options, query) in enumerate(cases):
        target = f"{folder}/{number}.csv"
        run("ogr2ogr", "-f", "CSV", target, source, "Airport", *options, "-oo", "PAGE_SIZE=500")
        with open(target, newline="", encoding="utf-8") as file:
            found = sorted(row["icao"] for row in csv.DictReader(file))
        predicate = query[0] if not query[0].startswith("--") else "TRUEPREDICATE"
        rest = query[1:] if predicate == query[0] else query
        lines = run(cadastre, "query", store, "Airport", predicate, *rest, "--select", "icao", "--format", "csv")
        expected = sorted(row["icao"] for row in csv.DictReader(lines.splitlines()))
        check(found == expected and found, f"{options}: {len(found)} features, {len(expected)} expected")
        print(f"ogr2ogr {' '.join(options)}: {len(found)} features, as cadastre query")
    status, _, tile = server.get("/collections/Airport/tiles/WebMercatorQuad/5/11/16?properties=elevation")
    check(status == 200, "a tile")
    path = pathlib.Path(folder) / "tile.pbf"
    path.write_bytes(tile)
    text = run("ogrinfo", "-ro", "-al", "-so", f"MVT:{path}", "-oo", "X=16", "-oo", "Y=11", "-oo", "Z=5")
    check("Layer name: Airport" in text and "elevation" in text and "Feature Count: 0" not in text, text)
    print(text)


def qgis(server, cadastre, store):
    """QGIS reads as many features as `cadastre query`."""
    cases = [("TRUEPREDICATE", None), ("country == 'IS'", "country = 'IS'"), ("--bbox", "5,45,9,48"),
             ("country == 'CH' AND elevation > 1500", "country = 'CH' AND elevation > 1500")]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    lines = subprocess.run(
        ["/usr/bin/python3", ROOT / "Tests/Server/qgis_counts.py", server.address, "Airport", *(text for _, text in cases if text)],
        check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout.split()
    for (predicate, text), found in zip(cases, lines, strict=True):
        words = ["TRUEPREDICATE", predicate, text] if predicate == "--bbox" else [predicate]
        expected = run(cadastre, "query", store, "Airport", *words, "--format", "count").strip()
        check(found == expected, f"QGIS, {text}: {found} features, {expected} expected")
        print(f"QGIS {text or 'without a filter'}: {found} features, as cadastre query")


def changes(server, cadastre, store):
    """A commit of another process is an event, and the next pages have it."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as stream:
        stream.sendall(f"GET /explorer/changes HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
        text = b""
        while b"connected" not in text:
            text += stream.recv(4096)
        run(cadastre, "delete", store, "Airport", "icao == 'LFPG'")
        while b"event: change" not in text or not text.endswith(b"\n\n") and b'"version"' not in text:
            text += stream.recv(4096)
    check(server.get("/collections/Airport/items/LFPG")[0] == 404, "the commit of another process is seen")


def cancellation(program, store):
    """A request whose time is over is 503, and one whose client has gone does not occupy a thread."""
    server = Server(program, store, "--timeout", "1")
    # Patterns that match slowly, for each of the airports.
    letters = "abcdefghijklmnopqrstuvwxyz"
    slow = urllib.parse.quote(" OR ".join(f"name MATCHES '(.*{letter}){{9}}.*'" for letter in letters))
    path = f"/explorer/query?class=Airport&predicate={slow}"
    start = time.monotonic()
    status, _, body = server.get(path)
    seconds = time.monotonic() - start
    check(status in (200, 503), f"a slow request: {status} {body[:200]}")
    print(f"a slow request: {status} after {seconds:.1f} s")
    check(seconds < 10, "a slow request ends")
    gone = []
    for _ in range(40):
        stream = socket.create_connection(("127.0.0.1", server.port))
        stream.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        gone.append(stream)
    time.sleep(0.5)
    for stream in gone:
        stream.close()
    start = time.monotonic()
    check(server.get("/explorer/store")[0] == 200, "a request after clients that have gone")
    print(f"a request after 40 clients that have gone: {time.monotonic() - start:.1f} s")
    server.stop()


def main():
    install_gdal()
    cadastre, program = programs()
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/airports.cadastre"
        run(cadastre, "import", ROOT / "Datasets/airports/airports.csv", "--store", store, "--into", "Airport",
            "--pk", "icao", "--index", "country", "--quiet")
        validate_definitions(program, store, folder)
        server = Server(program, store)
        core(server)
        items(server)
        gdal(server, cadastre, store, folder)
        if "--qgis" in sys.argv[1:]:
            qgis(server, cadastre, store)
        changes(server, cadastre, store)
        server.stop()
        cancellation(program, store)
    print(f"{checks} checks passed.")


if __name__ == "__main__":
    main()
