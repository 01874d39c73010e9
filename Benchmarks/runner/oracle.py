"""The reference results of all queries, by a scan over all places that shares no code with an engine.

Edges follow great circles or are straight in degrees. A place is inside a ring if an odd number of edges
cross its meridian north of it.
"""

import math
from collections import defaultdict

from .queries import base, is_planar

WRAP = (1 << 64) - 1
# The distance from a boundary, in degrees of arc, within which rounding may decide differently.
TOLERANCE = 1e-9


class Expected:
    """An expected result: the number of hits, and a sum that identifies them."""

    def __init__(self, hits, total, boundary=()):
        self.hits, self.sum, self.boundary = hits, str(total), tuple(boundary)

    def agrees(self, hits, total):
        """Returns whether an engine's result is this one; places on the boundary may be in or out."""
        if hits == self.hits and same(self.sum, total):
            return True
        if not self.boundary or abs(hits - self.hits) > len(self.boundary) or len(self.boundary) > 12:
            return False
        # Here places on the boundary are hits; in the engine's result any of them may be missing.
        for choice in range(1 << len(self.boundary)):
            missing = [key for bit, key in enumerate(self.boundary) if choice >> bit & 1]
            if (hits == self.hits - len(missing)
                    and str(int(self.sum) - sum(missing) & WRAP) == str(total)):
                return True
        return False


def same(left, right):
    """Returns whether two sums are equal; averages may differ by the order of the additions."""
    if left == str(right):
        return True
    try:
        return "." in left and math.isclose(float(left), float(right), rel_tol=1e-9)
    except ValueError:
        return False


def _ids(keys, boundary=()):
    keys = list(keys)
    return Expected(len(keys), sum(keys) & WRAP, boundary)


def _ordered(keys):
    return Expected(len(keys), sum(rank * key for rank, key in enumerate(keys, 1)) & WRAP)


def haversine(longitude, latitude, center):
    """Returns the haversine of the angle between two points that are given in degrees."""
    north = math.sin(math.radians(latitude - center[1]) / 2)
    east = math.sin(math.radians(longitude - center[0]) / 2)
    return (north * north
            + math.cos(math.radians(latitude)) * math.cos(math.radians(center[1])) * east * east)


def in_circle(places, center, angle):
    """Returns the ids within an angle in radians of a point, and the ids on the boundary."""
    reach = math.degrees(angle) + 1e-6
    limit, inside, boundary = math.sin(angle / 2) ** 2, [], []
    slack = math.radians(TOLERANCE) * math.sin(angle)
    for number, latitude in enumerate(places.latitudes):
        if abs(latitude - center[1]) > reach:
            continue
        distance = haversine(places.longitudes[number], latitude, center)
        if distance <= limit + slack:
            inside.append(number + 1)
            if distance >= limit - slack:
                boundary.append(number + 1)
    return inside, boundary


class Ring:
    """A ring that does not touch the poles or ±180°, with its edges indexed by strips of longitude."""

    def __init__(self, corners, planar):
        self.planar = planar
        self.west = min(corner[0] for corner in corners)
        self.east = max(corner[0] for corner in corners)
        self.width = (self.east - self.west) / max(1, len(corners) // 4)
        self.strips = defaultdict(list)
        for start, end in zip(corners, corners[1:]):
            if start[0] == end[0]:
                continue
            west, east = sorted((start, end))
            for strip in range(self._strip(west[0]), self._strip(east[0]) + 1):
                self.strips[strip].append((west, east))

    def _strip(self, longitude):
        return int((longitude - self.west) / self.width)

    def height(self, west, east, longitude):
        """Returns the latitude of an edge at a longitude between its ends."""
        if self.planar:
            fraction = (longitude - west[0]) / (east[0] - west[0])
            return west[1] + fraction * (east[1] - west[1])
        width = math.sin(math.radians(east[0] - west[0]))
        return math.degrees(math.atan(
            (math.tan(math.radians(west[1])) * math.sin(math.radians(east[0] - longitude))
             + math.tan(math.radians(east[1])) * math.sin(math.radians(longitude - west[0])))
            / width))

    def contains(self, longitude, latitude):
        """Returns whether a place is inside, and whether it is on the boundary."""
        if not self.west <= longitude <= self.east:
            return False, False
        inside = boundary = False
        for west, east in self.strips[self._strip(longitude)]:
            if west[0] <= longitude < east[0]:
                height = self.height(west, east, longitude)
                boundary = boundary or abs(height - latitude) < TOLERANCE
                inside ^= height > latitude
        return inside, boundary


def in_ring(places, corners, planar):
    """Returns the ids inside a ring, and the ids on its boundary."""
    ring, inside, boundary = Ring(corners, planar), [], []
    south = min(corner[1] for corner in corners) - 3
    north = max(corner[1] for corner in corners) + 3  # a great circle reaches higher latitudes than its ends
    for number, longitude in enumerate(places.longitudes):
        latitude = places.latitudes[number]
        if south <= latitude <= north and ring.west <= longitude <= ring.east:
            hit, near = ring.contains(longitude, latitude)
            if hit or near:
                inside.append(number + 1)
            if near:
                boundary.append(number + 1)
    return inside, boundary


def corners_of(box):
    west, south, east, north = box
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


class Oracle:
    """The expected results of the rows of the report; each is computed once."""

    def __init__(self, places, constants, earth_radius):
        self.places, self.constants, self.earth_radius = places, constants, earth_radius
        self.known = {}

    def expected(self, row, radius=None):
        """Returns the expected result of a row, for a sphere of another radius in metres if one is given."""
        key = (row, radius)
        if key not in self.known:
            self.known[key] = self._compute(row, radius or self.earth_radius)
        return self.known[key]

    def _compute(self, row, radius):
        places, query = self.places, self.constants[base(row)]
        if "meters" in query:
            keys, boundary = in_circle(places, query["center"], query["meters"] / radius)
            if query["result"] == "count":
                return Expected(len(keys), len(keys))
            return _ids(*self._filtered(keys, boundary, query))
        if "ring" in query or "box" in query:
            corners = query.get("ring") or corners_of(query["box"])
            return _ids(*self._filtered(*in_ring(places, corners, is_planar(row)), query))
        return self._plain(base(row), query)

    def _filtered(self, keys, boundary, query):
        places = self.places
        if "category" in query:
            keys = [key for key in keys if places.categories[key - 1] == query["category"]
                     and places.populations[key - 1] > query["populationAbove"]]
        if "ratingAbove" in query:
            keys = [key for key in keys if places.ratings[key - 1] > query["ratingAbove"]]
        return keys, [key for key in boundary if key in set(keys)]

    def _plain(self, name, query):
        places = self.places
        numbered = lambda column: enumerate(column, 1)  # noqa: E731
        match name:
            case "Q8":
                lower = query["populationAbove"]
                return _ids(key for key, value in numbered(places.populations) if value > lower)
            case "Q9":
                low, high = query["populationFrom"], query["populationTo"]
                return _ids(key for key, value in numbered(places.populations)
                            if low <= value <= high)
            case "Q10":
                return _ids(key for key, value in numbered(places.names)
                            if value == query["name"])
            case "Q11" | "Q11i":
                return _ids(key for key, value in numbered(places.names)
                            if value.startswith(query["prefix"]))
            case "Q12":
                return _ids(key for key, value in numbered(places.names)
                            if query["contains"] in value.casefold())
            case "Q13" | "Q13i":
                order = sorted(numbered(places.populations), key=lambda pair: (-pair[1], pair[0]))
                return _ordered([key for key, _ in order[:query["limit"]]])
            case "Q14":
                rated = [rating for rating, category in zip(places.ratings, places.categories)
                         if category == query["category"]]
                return Expected(1, repr(math.fsum(rated) / len(rated)))
            case "Q15":
                center = query["center"]
                order = sorted(
                    (haversine(places.longitudes[key - 1], places.latitudes[key - 1], center), key)
                    for key in in_circle(places, center, 1.0)[0])
                return _ordered([key for _, key in order[:query["limit"]]])
            case "Q16":
                longitude, latitude = query["point"]
                return _ids(key for key, value in numbered(places.longitudes)
                            if value == longitude and places.latitudes[key - 1] == latitude)
            case "Q17":
                order = sorted(numbered(places.populations), key=lambda pair: (pair[1], pair[0]))
                return _ordered([key for key, _ in order])
            case "Q18":
                values = set(places.categories)
                return Expected(len(values), sum(sum(value.encode()) for value in values))
            case "Q19":
                return Expected(len(places), sum(places.populations))
            case "Q20":
                return Expected(len(query["keys"]),
                              sum(places.populations[key - 1] for key in query["keys"]))
