"""Compares relations of random pairs of geometries on the sphere with S2, called by spherely.

Differences are explained by one of these classes; others are printed and counted as unexplained.

near        A vertex is within 1e-13 radians (0.6 micrometres) of an edge of the other geometry that does not
            end there. Cadastre takes a vertex within 4e-15 radians of an edge as on it; S2 has no such
            vertices, and its result depends on the rounding of the vertices.
meridian    As near, with an edge along a meridian, whose side is decided by longitudes alone in Cadastre.
crossed     A line or a ring is contained whose edges cross an edge of the container. S2 counts the crossing
            as a part of the difference.
"""

import argparse
import collections
import math
import random
import subprocess
import sys

import numpy
import spherely

NEAR = 1e-13
RADIUS = 6_371_008.8


def canonical(point):
    lon, lat = point
    if abs(lat) >= 90:
        return (0.0, math.copysign(90.0, lat))
    return (-180.0 if lon == 180 else lon + 0.0, lat + 0.0)


def offset(point, bearing, distance):
    """Returns the point at a bearing and a distance, in radians, from a point in degrees."""
    lat, lon = math.radians(point[1]), math.radians(point[0])
    sine = math.sin(lat) * math.cos(distance) + math.cos(lat) * math.sin(distance) * math.cos(bearing)
    new_lat = math.asin(max(-1, min(1, sine)))
    new_lon = lon + math.atan2(
        math.sin(bearing) * math.sin(distance) * math.cos(lat), math.cos(distance) - math.sin(lat) * sine)
    return canonical(((math.degrees(new_lon) + 540) % 360 - 180, math.degrees(new_lat)))


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def center(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return canonical((rng.uniform(-180, 180), rng.choice([90.0, -90.0, 89.9, -89.5])))
        if kind < 0.25:
            return canonical((rng.choice([180.0, 179.9, -179.99]), rng.uniform(-80, 80)))
        if kind < 0.4:
            return canonical((float(rng.randint(-180, 180)), float(rng.randint(-80, 80))))
        return canonical((rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1)))))

    def star(self, center, reach, least=0.3):
        """Returns a ring with ascending bearings around a center, so that it does not cross itself."""
        rng = self.rng
        count = rng.choice([3, 4, 5, 8, 20])
        turn = rng.uniform(0, 2 * math.pi)
        ring = [
            offset(center, turn - 2 * math.pi * (i + rng.uniform(-0.3, 0.3)) / count,
                   reach * rng.uniform(least, 1)) for i in range(count)]
        return distinct(ring)

    def grid_ring(self, center, step):
        """Returns a box along meridians, as a ring of great-circle edges."""
        rng = self.rng
        lon, lat = (round(center[0] / step) * step, round(center[1] / step) * step)
        west, east = lon, lon + step * rng.randint(1, 3)
        south, north = lat, lat + step * rng.randint(1, 3)
        if abs(north) >= 90 or abs(south) >= 90 or east > 180:
            return None
        return distinct([canonical(p) for p in [(west, south), (east, south), (east, north), (west, north)]])

    def geometry(self, center, reach):
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return ("point", [offset(center, rng.uniform(0, 7), reach * rng.random())])
        if kind < 0.3:
            points = [offset(center, rng.uniform(0, 7), reach * rng.random()) for _ in range(rng.randint(2, 6))]
            return line(points)
        if kind < 0.4:
            ring = self.grid_ring(center, rng.choice([0.25, 1.0, 5.0]))
            return ("polygon", [ring]) if ring and len(ring) > 2 else None
        shell = self.star(center, reach)
        if len(shell) < 3:
            return None
        if kind < 0.6 and len(shell) >= 4 and reach < 1:
            hole = self.star(center, reach * 0.15)
            if len(hole) >= 3:
                return ("polygon", [shell, hole])
        return ("polygon", [shell])

    def partner(self, first, center, reach):
        """Returns a geometry that is likely to touch another one."""
        rng = self.rng
        chains = first[1] if first[0] == "polygon" else [first[1]]
        chain = rng.choice(chains)
        kind = rng.randint(0, 9)
        place = rng.randrange(len(chain))
        start, end = chain[place], chain[(place + 1) % len(chain)]
        if kind == 0:
            return ("point", [start])
        if kind == 1 and start != end:
            return line([start, end])
        if kind == 2 and start != end:
            # A neighbour beyond an edge, or a sliver on either side of it.
            apex = offset(start, rng.uniform(0, 7), reach * rng.choice([1, 1, 1e-3, 1e-9]))
            ring = distinct([start, end, apex])
            return ("polygon", [ring]) if len(ring) == 3 else None
        if kind == 3 and len(chain) >= 3 and first[0] == "polygon":
            turned = chain[place:] + chain[:place]
            return ("polygon", [turned if rng.random() < 0.5 else turned[::-1]])
        if kind == 4 and len(chain) >= 3:
            turned = (chain[place:] + chain[:place])[:rng.randint(2, len(chain))]
            return line(turned if rng.random() < 0.5 else turned[::-1])
        if kind == 5:
            # A line from a vertex to anywhere.
            return line([start, offset(center, rng.uniform(0, 7), reach * rng.random() * 1.5)])
        if kind == 6 and start != end:
            # A vertex on, or almost on, an edge.
            middle = midpoint(start, end)
            shifted = offset(middle, rng.uniform(0, 7), rng.choice([0, 1e-15, 1e-14, 1e-12, 1e-9]))
            return rng.choice([("point", [shifted]), line([shifted, offset(center, rng.uniform(0, 7), reach)])])
        if kind == 7 and first[0] == "polygon" and len(first[1]) > 1:
            return ("polygon", [first[1][1]])
        if kind == 8 and first[0] == "polygon" and len(first[1]) > 1:
            return ("polygon", [first[1][0]])
        near = offset(center, rng.uniform(0, 7), reach * rng.uniform(0, 2))
        return self.geometry(near, reach * rng.choice([0.1, 0.5, 1, 1]))

    def pair(self):
        rng = self.rng
        while True:
            center = self.center()
            reach = rng.choice([1e-7, 1e-5, 1e-3, 0.05, 0.3, 0.8, 1.2, 1.5])
            first = self.geometry(center, reach)
            if not first:
                continue
            second = self.partner(first, center, reach)
            if second:
                return (first, second) if rng.random() < 0.5 else (second, first)


def distinct(points):
    """Returns the points without consecutive repetitions, the last and the first included."""
    result = [p for i, p in enumerate(points) if p != points[i - 1]]
    return result if len(set(result)) == len(result) else []


def line(points):
    points = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    return ("line", points) if len(points) > 1 else None


def vector(point):
    lon, lat = math.radians(point[0]), math.radians(point[1])
    return numpy.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])


def midpoint(start, end):
    x, y, z = vector(start) + vector(end)
    return canonical((math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))))


def wkt(geometry):
    kind, points = geometry
    text = lambda chain: "(" + ", ".join(f"{p[0]!r} {p[1]!r}" for p in chain) + ")"
    if kind == "point":
        return "POINT " + text(points)
    if kind == "line":
        return "LINESTRING " + text(points)
    return "POLYGON (" + ", ".join(text(ring + ring[:1]) for ring in points) + ")"


def geography(geometry):
    kind, points = geometry
    if kind == "point":
        return spherely.create_point(*points[0])
    if kind == "line":
        return spherely.create_linestring(points)
    return spherely.create_polygon(points[0], points[1:] or None)


def chains_and_edges(geometry):
    kind, points = geometry
    chains = points if kind == "polygon" else [points]
    edges = []
    for chain in chains:
        edges += list(zip(chain, chain[1:] + chain[:1] if kind == "polygon" else chain[1:]))
    return [p for chain in chains for p in chain], edges


def nearness(first, second):
    """Returns the least angle between a vertex and an edge of the other geometry that does not end there."""
    least = math.inf
    for one, other in ((first, second), (second, first)):
        vertices = chains_and_edges(one)[0]
        for start, end in chains_and_edges(other)[1]:
            a, b = vector(start), vector(end)
            normal = numpy.cross(a - b, a + b)
            size = numpy.linalg.norm(normal)
            if size == 0:
                continue
            normal /= size
            for vertex in vertices:
                if vertex in (start, end):
                    continue
                p = vector(vertex)
                if numpy.dot(numpy.cross(normal, a), p) > -NEAR and numpy.dot(numpy.cross(b, normal), p) > -NEAR:
                    least = min(least, abs(numpy.dot(normal, p)))
                least = min(least, numpy.linalg.norm(p - a), numpy.linalg.norm(p - b))
    return least


def has_meridian(first, second):
    """Returns whether an edge is along a meridian, or passes over a pole."""
    edges = chains_and_edges(first)[1] + chains_and_edges(second)[1]
    return any(abs(start[0] - end[0]) in (0, 180) for start, end in edges)


def has_crossing(first, second):
    """Returns whether an edge of one geometry properly crosses an edge of the other."""
    # Differences keep the digits of the normals of short edges.
    normal = lambda a, b: numpy.cross(vector(a) - vector(b), vector(a) + vector(b))
    for a, b in chains_and_edges(first)[1]:
        n = normal(a, b)
        for c, d in chains_and_edges(second)[1]:
            if len({a, b, c, d}) < 4:
                continue
            m = normal(c, d)
            s = [numpy.dot(n, vector(c)), numpy.dot(n, vector(d)), numpy.dot(m, vector(a)), numpy.dot(m, vector(b))]
            if s[0] * s[1] < 0 and s[2] * s[3] < 0 and s[0] * s[3] > 0:
                return True
    return False


def explain(relation, first, second, ours, theirs):
    near = nearness(first, second)
    if near < NEAR:
        return "near" if ours or not has_meridian(first, second) else "meridian"
    if relation != "intersects" and ours and not theirs and has_crossing(first, second):
        return "crossed"
    return None


def run(program, pairs):
    text = "".join(f"{wkt(a)}\t{wkt(b)}\n" for a, b in pairs)
    output = subprocess.run([program, "spherical"], input=text, capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = Generator(arguments.seed)
    counts, shown, invalid, done = collections.Counter(), 0, 0, 0
    true_counts = collections.Counter()
    worst_absolute = worst_relative = 0.0
    while done < arguments.pairs:
        pairs, lefts, rights = [], [], []
        while len(pairs) < min(20_000, arguments.pairs - done):
            pair = generator.pair()
            try:
                left, right = geography(pair[0]), geography(pair[1])
            except (ValueError, RuntimeError):
                invalid += 1
                continue
            pairs.append(pair)
            lefts.append(left)
            rights.append(right)
        done += len(pairs)
        left, right = numpy.array(lefts), numpy.array(rights)
        intersects = spherely.intersects(left, right) | spherely.touches(left, right)
        theirs = {
            "intersects": intersects, "contains": spherely.covers(left, right),
            "within": spherely.covers(right, left)}
        distances = spherely.distance(left, right, radius=1.0)
        for index, ((first, second), result) in enumerate(zip(pairs, run(arguments.program, pairs))):
            ours = {name: result[i] == "1" for i, name in enumerate(theirs)}
            for name, value in ours.items():
                true_counts[name] += value
                expected = bool(theirs[name][index])
                if value == expected:
                    continue
                order = (second, first) if name == "within" else (first, second)
                reason = explain(name, *order, value, expected)
                counts[f"{name}: {reason or 'unexplained'} ({'true' if value else 'false'} here)"] += 1
                if not reason and shown < 20:
                    shown += 1
                    print(f"{name} is {value}, S2 {expected}: {wkt(first)} | {wkt(second)}")
            if (result[3] == "1") != (ours["contains"] and ours["within"]):
                counts["equals: unexplained"] += 1
            distance, expected = float(result[4]), float(distances[index])
            if (distance == 0) != ours["intersects"]:
                counts["distance 0: unexplained"] += 1
            difference = abs(distance - expected)
            worst_absolute = max(worst_absolute, difference)
            # Below a millimetre S2 loses digits, because it compares squares of chords.
            if difference > 1e-13 + 1e-12 * expected:
                # Near antipodes the square of the chord has half of the digits.
                reason = "near antipodes" if expected > 3.1 and difference < 1e-7 else None
                counts[f"distance: {reason or 'unexplained'}"] += 1
                if not reason and shown < 20:
                    shown += 1
                    print(f"distance is {distance}, S2 {expected}: {wkt(first)} | {wkt(second)}")
    print(f"{done} pairs, seed {arguments.seed}; {invalid} invalid for S2 and replaced")
    print(", ".join(f"{name} {count}" for name, count in true_counts.items()))
    print(f"greatest difference of distances {worst_absolute * RADIUS:.3g} m")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    sys.exit(any("unexplained" in name for name in counts))


if __name__ == "__main__":
    main()
