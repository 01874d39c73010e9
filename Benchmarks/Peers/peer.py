"""The base of all peers in Python: the protocol of `Benchmarks/run`, and the sums of results.

A peer is a subclass of `Peer` in its own file, which ends with `serve(ThePeer)`. `Benchmarks/README.md`
describes the queries and the comparison of the results.
"""

import csv
import json
import math
import signal
import sys
import time
from pathlib import Path

WRAP = (1 << 64) - 1


class Skipped(Exception):
    """The reason why a peer cannot run a query."""


class Peer:
    """A peer; a subclass describes itself, builds a store and returns a function for each query."""

    name = "?"
    threads = 1
    edges = ["planar"]
    note = ""
    # The radius in metres of the peer's sphere, if it differs from Cadastre's.
    radius = None

    def __init__(self, data, work):
        self.data, self.work = Path(data), Path(work)
        constants = json.loads((self.data / "queries.json").read_text(encoding="utf-8"))
        self.count, self.earth_radius = constants["count"], constants["earthRadius"]
        self.queries = constants["queries"]
        # Whether the current query has edges that are straight in degrees.
        self.planar = False

    def version(self):
        raise NotImplementedError

    def load(self):
        """Builds the store and its indexes; returns the seconds of the indexes, or None, and the bytes."""
        raise NotImplementedError

    def open(self):
        """Opens the store of an earlier `load`."""
        raise Skipped("nothing is stored on disk")

    def prepare(self, name, query):
        """Returns a function that runs a query completely and returns its ids, values or number."""
        raise NotImplementedError

    def write(self, name):
        """Runs a writing task; returns seconds, count, and bytes or None."""
        raise Skipped("no writing")

    def close(self):
        """Releases resources that would outlive the process."""

    def rows(self):
        """Reads the places and converts the numbers."""
        with (self.data / "places.csv").open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            next(lines)
            for number, name, category, population, rating, longitude, latitude in lines:
                yield (int(number), name, category, int(population), float(rating),
                       float(longitude), float(latitude))

    def angle(self, query):
        """Returns the radius of a circle in radians, which is the same on every sphere."""
        return query["meters"] / self.earth_radius

    def reply(self, command, *arguments):
        if command == "load":
            start = time.perf_counter()
            index, size = self.load()
            return {"seconds": time.perf_counter() - start, "indexSeconds": index, "bytes": size}
        if command == "open":
            start = time.perf_counter()
            self.open()
            return {"seconds": time.perf_counter() - start}
        if command == "query":
            return self._query(arguments[0], int(arguments[1]))
        if command == "write":
            seconds, count, size = self.write(arguments[0])
            return {"seconds": seconds, "count": count, "bytes": size}
        if command == "threads":
            return {"skip": "Python threads do not run in parallel"}
        return {"skip": f"unknown command: {command}"}

    def _query(self, name, runs):
        self.planar = name.endswith("p") or self.edges == ["planar"]
        name = name.removesuffix("p")
        query = self.queries[name]
        run = self.prepare(name, query)
        times, result = [], None
        for _ in range(runs):
            start = time.perf_counter()
            result = run()
            times.append((time.perf_counter() - start) * 1000)
        hits, total = summed(query["result"], result)
        return {"ms": times, "hits": hits, "sum": str(total)}


def summed(kind, result):
    """Returns the hits and the sum of a result of a kind in queries.json."""
    if kind == "count":
        return int(result), int(result)
    if kind == "number":
        return 1, repr(float(result))
    if kind == "total":
        return int(result[0]), int(result[1])
    result = list(result)
    if kind == "values":
        return len(result), sum(sum(str(value).encode()) for value in result)
    if kind == "ordered ids":
        return len(result), sum(rank * int(key) for rank, key in enumerate(result, 1)) & WRAP
    return len(result), sum(map(int, result)) & WRAP


def window(center, angle):
    """Returns west, south, east and north of a circle that does not touch the poles or ±180°."""
    height = math.degrees(angle)
    width = math.degrees(math.asin(math.sin(angle) / math.cos(math.radians(center[1]))))
    longitude, latitude = center
    return longitude - width, latitude - height, longitude + width, latitude + height


def growing(within, center, limit):
    """Returns the nearest ids by growing boxes; `within(window, angle)` returns those in a circle, sorted."""
    angle = math.radians(0.02)
    while True:
        ids = within(window(center, angle), angle)
        if len(ids) >= limit or angle > 0.5:
            return ids[:limit]
        angle *= 2


def wkt(corners):
    """Formats a polygon as well-known text with all digits."""
    return "POLYGON((" + ",".join(f"{x!r} {y!r}" for x, y in corners) + "))"


def corners(query):
    """Returns the closed ring of a polygon or box."""
    if "ring" in query:
        return query["ring"]
    west, south, east, north = query["box"]
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def serve(kind, *arguments):
    """Replies to the commands on standard input until `quit` or the end of the input."""
    def say(reply):
        print(json.dumps(reply), flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    peer = kind(sys.argv[1], sys.argv[2], *arguments)
    try:
        say({"engine": peer.name, "version": peer.version(), "threads": peer.threads,
             "edges": peer.edges, "note": peer.note, "radius": peer.radius})
        for line in sys.stdin:
            words = line.split()
            if words == ["quit"]:
                break
            try:
                say(peer.reply(*words))
            except Skipped as reason:
                say({"skip": str(reason)})
    finally:
        peer.close()
