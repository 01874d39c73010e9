"""What every peer in Python shares: the conversation with `Benchmarks/run`, and how answers are summed.

A peer is a subclass of `Peer` in a file of its own that ends with `serve(ThePeer)`. README.md beside the
folder says what is asked and how the answers are compared.
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
    """Says why a question cannot be asked of a peer."""


class Peer:
    """A peer: subclasses say what they are, build a store and give a function for each question."""

    name = "?"
    threads = 1
    edges = ["planar"]
    note = ""
    # The radius in metres of the peer's own sphere, where circles are measured on one of its own.
    radius = None

    def __init__(self, data, work):
        self.data, self.work = Path(data), Path(work)
        asked = json.loads((self.data / "questions.json").read_text(encoding="utf-8"))
        self.count, self.earth_radius = asked["count"], asked["earthRadius"]
        self.questions = asked["questions"]
        # Whether the question at hand is asked with edges straight in degrees.
        self.planar = False

    def version(self):
        raise NotImplementedError

    def load(self):
        """Builds the store and its indexes; gives the seconds of the indexes, or None, and the bytes."""
        raise NotImplementedError

    def open(self):
        """Opens what an earlier `load` left."""
        raise Skipped("it keeps nothing on disk")

    def answer(self, name, question):
        """A function that asks a question whole and gives the ids, values or the number found."""
        raise NotImplementedError

    def write(self, name):
        """Carries out a writing task; gives seconds, count and bytes or None."""
        raise Skipped("it does not write")

    def close(self):
        """Frees what would outlive the process."""

    def rows(self):
        """The places, numbers as numbers."""
        with (self.data / "places.csv").open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            next(lines)
            for number, name, category, population, rating, longitude, latitude in lines:
                yield (int(number), name, category, int(population), float(rating),
                       float(longitude), float(latitude))

    def angle(self, question):
        """The radius of a circle in radians; the same on every sphere."""
        return question["meters"] / self.earth_radius

    def reply(self, command, *arguments):
        if command == "load":
            start = time.perf_counter()
            index, size = self.load()
            return {"seconds": time.perf_counter() - start, "indexSeconds": index, "bytes": size}
        if command == "open":
            start = time.perf_counter()
            self.open()
            return {"seconds": time.perf_counter() - start}
        if command == "ask":
            return self._ask(arguments[0], int(arguments[1]))
        if command == "write":
            seconds, count, size = self.write(arguments[0])
            return {"seconds": seconds, "count": count, "bytes": size}
        if command == "threads":
            return {"skip": "threads of Python take turns"}
        return {"skip": f"{command} is not known"}

    def _ask(self, name, runs):
        self.planar = name.endswith("p") or self.edges == ["planar"]
        name = name.removesuffix("p")
        question = self.questions[name]
        run = self.answer(name, question)
        times, found = [], None
        for _ in range(runs):
            start = time.perf_counter()
            found = run()
            times.append((time.perf_counter() - start) * 1000)
        hits, total = summed(question["answer"], found)
        return {"ms": times, "hits": hits, "sum": str(total)}


def summed(kind, found):
    """Hits and sum of an answer, by the kind that questions.json names."""
    if kind == "count":
        return int(found), int(found)
    if kind == "number":
        return 1, repr(float(found))
    if kind == "total":
        return int(found[0]), int(found[1])
    found = list(found)
    if kind == "values":
        return len(found), sum(sum(str(value).encode()) for value in found)
    if kind == "ordered ids":
        return len(found), sum(place * int(key) for place, key in enumerate(found, 1)) & WRAP
    return len(found), sum(map(int, found)) & WRAP


def window(center, angle):
    """West, south, east and north of a circle of some radians, clear of the poles and of ±180°."""
    height = math.degrees(angle)
    width = math.degrees(math.asin(math.sin(angle) / math.cos(math.radians(center[1]))))
    longitude, latitude = center
    return longitude - width, latitude - height, longitude + width, latitude + height


def growing(within, center, limit):
    """The nearest by boxes that grow: `within(window, angle)` gives the ids in a circle, nearest first."""
    angle = math.radians(0.02)
    while True:
        found = within(window(center, angle), angle)
        if len(found) >= limit or angle > 0.5:
            return found[:limit]
        angle *= 2


def wkt(corners):
    """A polygon as well-known text, every digit kept."""
    return "POLYGON((" + ",".join(f"{x!r} {y!r}" for x, y in corners) + "))"


def corners(question):
    """The closed ring of a polygon or box."""
    if "ring" in question:
        return question["ring"]
    west, south, east, north = question["box"]
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


def serve(kind, *arguments):
    """Answers the commands on stdin until `quit` or its end."""
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
