"""The answers by plain arithmetic over all places: what every engine must give.

Nothing here is fast, and nothing is shared with an engine. Edges follow great circles or are straight in
degrees; a place in a ring is one with an odd number of edges above it on its meridian.
"""

import math
from collections import defaultdict

from .questions import base, is_planar

WRAP = (1 << 64) - 1
# Distances, in degrees of arc, within which two programs may differ by rounding.
RIM = 1e-9


class Answer:
    """What an engine said, or must say: the hits and a sum that tells which they are."""

    def __init__(self, hits, total, rim=()):
        self.hits, self.sum, self.rim = hits, str(total), tuple(rim)

    def agrees(self, hits, total):
        """Whether an engine's answer is this one, the places at the rim in or out."""
        if hits == self.hits and same(self.sum, total):
            return True
        if not self.rim or abs(hits - self.hits) > len(self.rim) or len(self.rim) > 12:
            return False
        # Places at the rim count as hits here; any of them may be missing there.
        for choice in range(1 << len(self.rim)):
            missing = [key for bit, key in enumerate(self.rim) if choice >> bit & 1]
            if (hits == self.hits - len(missing)
                    and str(int(self.sum) - sum(missing) & WRAP) == str(total)):
                return True
        return False


def same(left, right):
    """Whether two sums are one; averages may differ by the order in which they were added up."""
    if left == str(right):
        return True
    try:
        return "." in left and math.isclose(float(left), float(right), rel_tol=1e-9)
    except ValueError:
        return False


def _ids(found, rim=()):
    found = list(found)
    return Answer(len(found), sum(found) & WRAP, rim)


def _ordered(found):
    return Answer(len(found), sum(place * key for place, key in enumerate(found, 1)) & WRAP)


def haversine(longitude, latitude, center):
    """The haversine of the angle between two places, in degrees."""
    north = math.sin(math.radians(latitude - center[1]) / 2)
    east = math.sin(math.radians(longitude - center[0]) / 2)
    return (north * north
            + math.cos(math.radians(latitude)) * math.cos(math.radians(center[1])) * east * east)


def in_circle(places, center, angle):
    """Ids within an angle in radians of a place, and those at the rim."""
    reach = math.degrees(angle) + 1e-6
    most, inside, rim = math.sin(angle / 2) ** 2, [], []
    slack = math.radians(RIM) * math.sin(angle)
    for number, latitude in enumerate(places.latitudes):
        if abs(latitude - center[1]) > reach:
            continue
        distance = haversine(places.longitudes[number], latitude, center)
        if distance <= most + slack:
            inside.append(number + 1)
            if distance >= most - slack:
                rim.append(number + 1)
    return inside, rim


class Ring:
    """A ring that stays clear of the poles and of ±180°, by strips of longitude."""

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
        """The latitude of an edge at a longitude between its ends."""
        if self.planar:
            share = (longitude - west[0]) / (east[0] - west[0])
            return west[1] + share * (east[1] - west[1])
        whole = math.sin(math.radians(east[0] - west[0]))
        return math.degrees(math.atan(
            (math.tan(math.radians(west[1])) * math.sin(math.radians(east[0] - longitude))
             + math.tan(math.radians(east[1])) * math.sin(math.radians(longitude - west[0])))
            / whole))

    def contains(self, longitude, latitude):
        """Whether a place is inside, and whether it is at the rim."""
        if not self.west <= longitude <= self.east:
            return False, False
        inside = rim = False
        for west, east in self.strips[self._strip(longitude)]:
            if west[0] <= longitude < east[0]:
                height = self.height(west, east, longitude)
                rim = rim or abs(height - latitude) < RIM
                inside ^= height > latitude
        return inside, rim


def in_ring(places, corners, planar):
    """Ids inside a ring, and those at its rim."""
    ring, inside, rim = Ring(corners, planar), [], []
    south = min(corner[1] for corner in corners) - 3
    north = max(corner[1] for corner in corners) + 3  # a great circle runs nearer to the pole
    for number, longitude in enumerate(places.longitudes):
        latitude = places.latitudes[number]
        if south <= latitude <= north and ring.west <= longitude <= ring.east:
            hit, near = ring.contains(longitude, latitude)
            if hit or near:
                inside.append(number + 1)
            if near:
                rim.append(number + 1)
    return inside, rim


def corners_of(box):
    west, south, east, north = box
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


class Oracle:
    """Answers the rows of the report; each is worked out once."""

    def __init__(self, places, asked, earth_radius):
        self.places, self.asked, self.earth_radius = places, asked, earth_radius
        self.known = {}

    def answer(self, row, radius=None):
        """The answer of a row, on a sphere of another radius in metres if one is given."""
        key = (row, radius)
        if key not in self.known:
            self.known[key] = self._answer(row, radius or self.earth_radius)
        return self.known[key]

    def _answer(self, row, radius):
        places, question = self.places, self.asked[base(row)]
        if "meters" in question:
            found, rim = in_circle(places, question["center"], question["meters"] / radius)
            if question["answer"] == "count":
                return Answer(len(found), len(found))
            return _ids(*self._filtered(found, rim, question))
        if "ring" in question or "box" in question:
            corners = question.get("ring") or corners_of(question["box"])
            return _ids(*self._filtered(*in_ring(places, corners, is_planar(row)), question))
        return self._plain(base(row), question)

    def _filtered(self, found, rim, question):
        places = self.places
        if "category" in question:
            found = [key for key in found if places.categories[key - 1] == question["category"]
                     and places.populations[key - 1] > question["populationAbove"]]
        if "ratingAbove" in question:
            found = [key for key in found if places.ratings[key - 1] > question["ratingAbove"]]
        return found, [key for key in rim if key in set(found)]

    def _plain(self, name, question):
        places = self.places
        numbered = lambda column: enumerate(column, 1)  # noqa: E731
        match name:
            case "Q8":
                most = question["populationAbove"]
                return _ids(key for key, value in numbered(places.populations) if value > most)
            case "Q9":
                low, high = question["populationFrom"], question["populationTo"]
                return _ids(key for key, value in numbered(places.populations)
                            if low <= value <= high)
            case "Q10":
                return _ids(key for key, value in numbered(places.names)
                            if value == question["name"])
            case "Q11" | "Q11i":
                return _ids(key for key, value in numbered(places.names)
                            if value.startswith(question["prefix"]))
            case "Q12":
                return _ids(key for key, value in numbered(places.names)
                            if question["contains"] in value.casefold())
            case "Q13" | "Q13i":
                order = sorted(numbered(places.populations), key=lambda pair: (-pair[1], pair[0]))
                return _ordered([key for key, _ in order[:question["limit"]]])
            case "Q14":
                rated = [rating for rating, category in zip(places.ratings, places.categories)
                         if category == question["category"]]
                return Answer(1, repr(math.fsum(rated) / len(rated)))
            case "Q15":
                center = question["center"]
                order = sorted(
                    (haversine(places.longitudes[key - 1], places.latitudes[key - 1], center), key)
                    for key in in_circle(places, center, 1.0)[0])
                return _ordered([key for _, key in order[:question["limit"]]])
            case "Q16":
                longitude, latitude = question["point"]
                return _ids(key for key, value in numbered(places.longitudes)
                            if value == longitude and places.latitudes[key - 1] == latitude)
            case "Q17":
                order = sorted(numbered(places.populations), key=lambda pair: (pair[1], pair[0]))
                return _ordered([key for key, _ in order])
            case "Q18":
                values = set(places.categories)
                return Answer(len(values), sum(sum(value.encode()) for value in values))
            case "Q19":
                return Answer(len(places), sum(places.populations))
            case "Q20":
                return Answer(len(question["keys"]),
                              sum(places.populations[key - 1] for key in question["keys"]))
