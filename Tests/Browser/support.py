"""A store, its server and a browser for the tests of the explorer's page.

CADASTRE_SERVE is the command of the server, CADASTRE the command line tool; both are given by Scripts/check-server browser.
"""

import atexit
import csv
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from webdriver import Browser, free_port

ROOT = Path(__file__).resolve().parents[2]
AIRPORTS = ROOT / "Datasets" / "airports" / "airports.csv"
SERVE = shlex.split(os.environ.get("CADASTRE_SERVE", "cadastre-serve"))
TOOL = os.environ.get("CADASTRE", "cadastre")

MARKUP_CLASS = "Markup<img src=x onerror=window.attacked=1>"
MARKUP_FIELD = "<b>bold</b>"
MARKUP_VALUES = [
    "<script>window.attacked=1</script>", "<img src=x onerror=window.attacked=1>", "O'Brien & \"sons\" \\ <i>",
]

# Numbers that a double does not hold: their texts are those of the store.
EXACT = [
    {"id": "1", "large": "9007199254740993", "ratio": "-0.0", "price": "1.50"},
    {"id": "2", "large": "9007199254740992", "ratio": "0.1", "price": "2E+3"},
    {"id": "3", "large": "-9223372036854775808", "ratio": "4.0", "price": "12345678901234567890.5"},
]

# In the Atlantic, where the map has no outlines: a polygon with a hole, and a line.
AREAS = {"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"code": 1, "name": "field"}, "geometry": {"type": "Polygon", "coordinates": [
        [[-45, 15], [-30, 15], [-30, 25], [-45, 25], [-45, 15]],
        [[-40, 18], [-40, 22], [-35, 22], [-35, 18], [-40, 18]]]}},
    {"type": "Feature", "properties": {"code": 2, "name": "route"}, "geometry": {"type": "LineString", "coordinates": [
        [-45, 28], [-30, 28]]}},
]}


def tool(*arguments):
    """Runs the command line tool, which evaluates queries without the server."""
    result = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(f"cadastre {shlex.join(map(str, arguments))}: {result.stderr}")
    return result.stdout


def import_airports(store):
    tool("import", AIRPORTS, "--store", store, "--into", "Airport", "--pk", "icao", "--index", "country")


class Server:
    """A server of a store in a temporary folder."""

    def __init__(self, store, port=None):
        self.store = store
        self.port = port or free_port()
        self.log = open(store.parent / f"server-{self.port}.log", "a")
        self.process = subprocess.Popen(
            [*SERVE, str(store), "--port", str(self.port)], stdout=self.log, stderr=subprocess.STDOUT)
        atexit.register(self.stop)
        self.address = f"http://127.0.0.1:{self.port}"
        deadline = time.monotonic() + 30
        while True:
            try:
                self.get("/explorer/store")
                return
            except urllib.error.HTTPError as error:
                raise AssertionError(f"the server has status {error.code}: {error.read()}") from None
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"the server did not start: {Path(self.log.name).read_text()}") from None
                time.sleep(0.05)

    def get(self, path, **parameters):
        query = f"?{urllib.parse.urlencode(parameters)}" if parameters else ""
        with urllib.request.urlopen(self.address + path + query, timeout=30) as response:
            return response.read()

    def json(self, path, **parameters):
        return json.loads(self.get(path, **parameters))

    def stop(self):
        atexit.unregister(self.stop)
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Fixture:
    """One store, server and browser for all tests of a run."""

    current = None

    def __init__(self):
        # A terminated run also ends its server and its browser.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        self.folder = Path(tempfile.mkdtemp(prefix="cadastre-browser-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = self.folder / "airports.cadastre"
        import_airports(self.store)
        table = self.folder / "markup.csv"
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", MARKUP_FIELD, "note", "lat", "lon"])
            for number, value in enumerate(MARKUP_VALUES):
                writer.writerow([number, value, value, 10 + number, 20 + number])
        tool("import", table, "--store", self.store, "--into", MARKUP_CLASS, "--pk", "id")
        exact = self.folder / "exact.csv"
        with open(exact, "w", newline="") as file:
            writer = csv.DictWriter(file, [*EXACT[0], "lat", "lon"])
            writer.writeheader()
            writer.writerows(row | {"lat": row["id"], "lon": row["id"]} for row in EXACT)
        tool("import", exact, "--store", self.store, "--into", "Exact", "--pk", "id", "--types", "price=decimal128")
        areas = self.folder / "areas.geojson"
        areas.write_text(json.dumps(AREAS))
        tool("import", areas, "--store", self.store, "--into", "Area", "--pk", "code")
        self.server = Server(self.store)
        self.browser = Browser()
        atexit.register(self.browser.close)

    @classmethod
    def shared(cls):
        if cls.current is None:
            try:
                cls.current = cls()
            except Exception as error:
                # Without a server each test would wait for it.
                sys.exit(f"The tests cannot start: {error}")
        return cls.current


class PageTest(unittest.TestCase):
    """A test of the page; each test begins with a page that has no history, and ends with an empty console."""

    # Parts of messages that a test expects in the console.
    expected_messages = ()

    def setUp(self):
        fixture = Fixture.shared()
        self.browser, self.server, self.store = fixture.browser, fixture.server, fixture.store
        self.browser.resize(1280, 800)
        self.browser.media(prefers_color_scheme="light")
        self.browser.open("about:blank")
        self.browser.command(
            "Storage.clearDataForOrigin", origin=self.server.address, storageTypes="local_storage")
        self.browser.log()

    def tearDown(self):
        messages = [entry["message"] for entry in self.browser.log() if entry["level"] != "INFO"]
        others = [text for text in messages if not any(part in text for part in self.expected_messages)]
        self.assertEqual(others, [], "the console has messages")

    def open(self, server=None, **state):
        """Opens the page with values of its state, and waits for the first rows."""
        fragment = urllib.parse.urlencode({"class": "Airport", **state})
        self.browser.open("about:blank")
        self.browser.open(f"{(server or self.server).address}/#{fragment}")
        self.settle()

    def settle(self):
        """Waits until rows and tiles are loaded and the map does not move."""
        self.browser.wait(
            lambda: self.browser.run(
                "const map = globalThis.cadastre?.map;"
                "const rows = document.querySelector('#results-scroll');"
                "return Boolean(map && document.querySelector('#count').textContent"
                " && !rows.hasAttribute('aria-busy') && !map.tiles.isLoading"
                " && !map.pictures.isDrawing)"),
            "the page did not load")

    def type_predicate(self, text):
        self.browser.click("#predicate")
        self.browser.keys("a", held=["Control"])
        self.browser.keys("Backspace")
        self.browser.keys(*text)

    @property
    def predicate(self):
        return self.browser.run("return document.querySelector('#predicate').value")

    @property
    def state(self):
        """The state in the address of the page."""
        fragment = urllib.parse.urlparse(self.browser.address).fragment
        return dict(urllib.parse.parse_qsl(fragment))

    def expect_count(self, number):
        label = f"{number:,} {'object' if number == 1 else 'objects'}"
        self.browser.wait(
            lambda: self.browser.text("#count") == label,
            lambda: f"the count is {self.browser.text('#count')}, not {label}; "
            f"{self.browser.text('#predicate-message')}")

    def stored_count(self, predicate, name="Airport"):
        """The number of matching objects, from the command line tool."""
        return int(tool("query", self.store, name, predicate, "--format", "count"))

    def column(self, field):
        """The texts of a column of the page of rows."""
        return self.browser.run(
            "const heads = [...document.querySelectorAll('#results-table th')].map(head => head.textContent);"
            "const column = heads.indexOf(arguments[0]);"
            "return [...document.querySelectorAll('#results-table .rows tr')]"
            ".map(row => row.cells[column].textContent)", field)

    def on_map(self, longitude, latitude):
        """The position of a place in the window."""
        return self.browser.run(
            "const { map } = globalThis.cadastre; const box = map.canvas.getBoundingClientRect();"
            "const sine = Math.sin(arguments[1] * Math.PI / 180);"
            "const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);"
            "const [left, top] = map.toScreen(arguments[0] / 360 + 0.5, y);"
            "return [box.left + left, box.top + top]", longitude, latitude)

    def position(self, x, y):
        """Longitude and latitude of a position in the window."""
        return self.browser.run(
            "const { map } = globalThis.cadastre; const box = map.canvas.getBoundingClientRect();"
            "return map.toPosition(arguments[0] - box.left, arguments[1] - box.top)", x, y)
