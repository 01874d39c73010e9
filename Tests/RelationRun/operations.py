"""Compares operations on random geometries on the sphere with S2, called by spherely.

Overlays and hulls: the area of the symmetric difference of both results is at most TOLERANCE metres times the perimeters of
the operands, and for lines the difference of their lengths is at most TOLERANCE. Common edges of polygons, which are lines of
an intersection here and missing in S2's, are not compared, and neither are lines along edges of the polygon. Buffers: points
below 0.985 and above 1.01 times the distance from the geometry, by S2's distance, are inside and outside. Simplified geometries: their vertices are vertices of the original,
whose vertices are within the distance of them.

A result that is refused, because the geometries are too large, is counted. Overlays are also counted, not compared, where S2 fails.
"""

import argparse
import collections
import math
import subprocess
import sys

import spherely

from compare import Generator, chains_and_edges, geography, has_meridian, offset, wkt

# The radius of the sphere in metres, as Distance.earthRadiusMeters.
RADIUS = 6_378_100.0

# The widest strip along the edges in metres by which results may differ.
TOLERANCE = 1e-3
NAMES = ["union", "intersection", "difference", "hull", "buffer", "simplified"]
DISTANCE = {"radius": RADIUS}


def on_meridian(points):
    """Returns whether all points are on one meridian, also beyond a pole, so that a polygon of them has no area."""
    return len({x % 180 for x, _ in points}) == 1


def cases(generator, count):
    """Yields a polygon or a line, a polygon, and a distance in metres."""
    rng = generator.rng
    while count > 0:
        center = generator.center()
        reach = rng.choice([1e-5, 1e-3, 0.02, 0.1, 0.3, 0.6])
        first = generator.geometry(center, reach)
        if not first or first[0] == "point":
            continue
        second = generator.partner(first, center, reach)
        if not second or second[0] != "polygon":
            second = generator.geometry(offset(center, rng.uniform(0, 7), reach * rng.random()), reach)
        if not second or second[0] != "polygon":
            continue
        if any(kind == "polygon" and on_meridian(rings[0]) for kind, rings in (first, second)):
            continue
        try:
            values = geography(first), geography(second)
        except (ValueError, RuntimeError):
            continue
        count -= 1
        yield first, second, reach * RADIUS * rng.choice([0.01, 0.1, 0.5]), values


def run(program, rows):
    text = "".join(f"{wkt(a)}\t{wkt(b)}\t{metres!r}\n" for a, b, metres, _ in rows)
    output = subprocess.run([program, "operations"], input=text, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def size(shape):
    return spherely.perimeter(shape, **DISTANCE) + spherely.length(shape, **DISTANCE)


def overlay(name, ours, first, second):
    """Returns how far a result differs from S2's in metres, as the width of a strip along all edges."""
    theirs = {"union": spherely.union, "intersection": spherely.intersection,
              "difference": spherely.difference}[name](first, second)
    return strip(ours, theirs, size(first) + size(second), spherely.get_dimension(first) == 1)


def strip(ours, theirs, edges, has_lines=False):
    if has_lines and spherely.area(ours) == 0 == spherely.area(theirs):
        return abs(spherely.length(ours, **DISTANCE) - spherely.length(theirs, **DISTANCE))
    area = spherely.area(spherely.symmetric_difference(ours, theirs), **DISTANCE)
    return area / max(edges, 1e-3)


def buffer_fault(shape, ours, metres, vertices, rng):
    """Returns a point that should be in or out of a buffer, and is not; None if there is none."""
    for _ in range(4):
        start = rng.choice(vertices)
        place = offset(start, rng.uniform(0, 7), metres / RADIUS * rng.uniform(0.5, 1.5))
        point = spherely.create_point(*place)
        distance = spherely.distance(point, shape, **DISTANCE)
        if 0.985 * metres < distance < 1.01 * metres:
            continue
        if bool(spherely.intersects(point, ours)) != (distance < metres):
            return f"{place} at {distance / metres:.4f} of the distance"
    return None


def simplified_fault(text, ours, metres, vertices):
    """Returns what is wrong with a simplified geometry; None if nothing is."""
    # Both signs of 180 are one meridian.
    known = {(abs(x) if abs(x) == 180 else x, y) for x, y in vertices}
    for part in text.replace("(", ",").replace(")", ",").split(","):
        words = part.split()
        if len(words) != 2:
            continue
        x, y = float(words[0]), float(words[1])
        if (abs(x) if abs(x) == 180 else x, y) not in known:
            return f"the vertex {part} is new"
    for vertex in vertices:
        distance = spherely.distance(spherely.create_point(*vertex), spherely.boundary(ours)
                                     if spherely.get_dimension(ours) == 2 else ours, **DISTANCE)
        if distance > metres * 1.000001 + 1e-6:
            return f"{vertex} is {distance / metres:.3f} times the distance away"
    return None


def is_along(first, second):
    """Returns whether a line has an edge of a polygon, or may pass along itself on a meridian."""
    if first[0] == "line" and on_meridian(first[1]):
        return True
    edges = {frozenset(edge) for edge in chains_and_edges(second)[1]}
    return first[0] == "line" and any(frozenset(edge) in edges for edge in chains_and_edges(first)[1])


def vertices_of(geometry):
    return [p for chain in geometry[1] for p in chain] if geometry[0] == "polygon" else list(geometry[1])


def fault(name, row, text, ours, rng):
    """Returns what is wrong with a result; None if nothing is."""
    first, second, metres, (left, right) = row
    if name in ("union", "intersection", "difference"):
        width = 0 if is_along(first, second) else overlay(name, ours, left, right)
    elif name == "hull":
        width = strip(ours, spherely.convex_hull(left), size(left))
    elif name == "buffer":
        return buffer_fault(left, ours, metres, vertices_of(first), rng)
    else:
        return simplified_fault(text, ours, metres, vertices_of(first))
    return f"a strip of {width:.3g} m" if width > TOLERANCE else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = Generator(arguments.seed)
    rows = list(cases(generator, arguments.cases))
    counts, shown = collections.Counter(), 0
    for row, results in zip(rows, run(arguments.program, rows)):
        for name, text in zip(NAMES, results):
            if text.startswith("!"):
                counts[f"{name}: refused"] += 1
                continue
            try:
                ours = spherely.from_wkt(text, oriented=False)
            except (ValueError, RuntimeError) as error:
                # Parts of one meridian in both operands differ by the rounding of the plane, and stay apart.
                if "crosses" in str(error) and has_meridian(*row[:2]):
                    counts[f"{name}: crosses by rounding"] += 1
                    continue
                counts[f"{name}: S2 cannot read it"] += 1
                if shown < 20:
                    shown += 1
                    print(f"{name}: S2 cannot read {text[:300]}: {error}")
                continue
            try:
                wrong = fault(name, row, text, ours, generator.rng)
            except (ValueError, RuntimeError):
                counts[f"{name}: S2 fails"] += 1
                continue
            counts[f"{name}: {'differs' if wrong else 'agrees'}"] += 1
            if wrong and shown < 20:
                shown += 1
                print(f"{name} of {wkt(row[0])} | {wkt(row[1])} | {row[2]!r} m: {wrong}")
    print(f"{len(rows)} cases, seed {arguments.seed}")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    sys.exit(any(name.endswith(("differs", "read it")) for name in counts))


if __name__ == "__main__":
    main()
