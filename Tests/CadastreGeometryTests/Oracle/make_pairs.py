"""Generates regions, random points, and the results of S2 for them.

Needs the package `s2geometry` (0.14.0) from PyPI. Writes text, three lines for each region:

    <kind> <numbers of the shape>
    <longitude> <latitude> ... of the points
    <results, one 0 or 1 for each point>

Kinds: `circle lon lat radius`, `box lon lat lon lat`, and `polygon n lon lat ... [m lon lat ...]`
with an exterior ring of n vertices and an optional hole. Points within 1e-9 degrees of an edge are
omitted, because there the result depends on the rounding of either library.

    python3 make_pairs.py --seed 20 --regions 300 --points 24 > pairs.txt
"""

import argparse
import math
import random
import sys

import numpy
import s2geometry as s2

NEAR = math.radians(1e-9)


def rounded(point):
    return (round(point[0], 9), round(point[1], 9))


def s2_point(point):
    return s2.S2LatLng.FromDegrees(point[1], point[0]).ToPoint()


def offset(point, bearing, distance):
    """Returns the point in degrees at a bearing and a distance in radians from another point."""
    lat, lon = math.radians(point[1]), math.radians(point[0])
    sin_lat = math.sin(lat) * math.cos(distance) + math.cos(lat) * math.sin(distance) * math.cos(bearing)
    new_lat = math.asin(max(-1, min(1, sin_lat)))
    new_lon = lon + math.atan2(
        math.sin(bearing) * math.sin(distance) * math.cos(lat),
        math.cos(distance) - math.sin(lat) * sin_lat)
    lon_degrees = (math.degrees(new_lon) + 540) % 360 - 180
    return (lon_degrees, math.degrees(new_lat))


def random_point(rng):
    kind = rng.random()
    if kind < 0.1:
        return (rng.uniform(-180, 180), rng.choice([90.0, -90.0, 89.5, -89.9]))
    if kind < 0.25:
        return (rng.choice([180.0, -180.0, 179.9, -179.5]), rng.uniform(-80, 80))
    if kind < 0.4:
        return (float(rng.randint(-180, 180)), float(rng.randint(-90, 90)))
    return (rng.uniform(-180, 180), math.degrees(math.asin(rng.uniform(-1, 1))))


def star(rng, center, reach, count, ratio):
    """Returns a ring with ascending bearings, so that it cannot cross itself."""
    turn = rng.uniform(0, 2 * math.pi)
    step = 2 * math.pi / count
    ring = []
    for index in range(count):
        bearing = turn + step * (index + rng.uniform(-0.4, 0.4))
        ring.append(offset(center, bearing, reach * rng.uniform(ratio, 1)))
    if rng.random() < 0.15:
        ring = [(float(round(lon)), float(round(lat))) for lon, lat in ring]
    if rng.random() < 0.5:
        ring.reverse()
    return ring


def s2_loop(ring):
    loop = s2.S2Loop()
    loop.Init([s2_point(p) for p in ring])
    loop.Normalize()
    return loop


def vectors(points):
    on_sphere = [s2_point(p) for p in points]
    return numpy.array([[p.x(), p.y(), p.z()] for p in on_sphere])


def ring_distances(ring, points):
    """Returns the distance in radians from each point to the nearest edge of a ring."""
    start = vectors(ring)
    end = numpy.roll(start, -1, axis=0)
    normal = numpy.cross(start - end, start + end)
    normal /= numpy.linalg.norm(normal, axis=1)[:, None]
    targets = vectors(points)
    height = numpy.abs(targets @ normal.T)
    # Between the ends of an edge the distance is to its great circle, else to the nearer end.
    after_start = targets @ numpy.cross(normal, start).T > 0
    before_end = targets @ numpy.cross(normal, end).T < 0
    along = numpy.where(after_start & before_end, height, numpy.inf).min(axis=1)
    ends = numpy.linalg.norm(targets[:, None, :] - start[None, :, :], axis=2).min(axis=1)
    return numpy.minimum(along, ends)


def region(rng):
    kind = rng.random()
    center = random_point(rng)
    if kind < 0.25:
        radius = math.exp(rng.uniform(math.log(1e-7), math.log(3.1)))
        return ("circle", center, radius)
    if kind < 0.45:
        width = rng.choice([rng.uniform(1e-5, 1), rng.uniform(1, 179)])
        height = rng.choice([rng.uniform(1e-5, 1), rng.uniform(1, 120)])
        lat = max(-89.0, min(89.0 - 1e-5, center[1]))
        other = (center[0] + width, min(89.5, lat + height))
        if other[0] > 180:
            other = (other[0] - 360, other[1])
        return ("box", (center[0], lat), other)
    reach = math.exp(rng.uniform(math.log(1e-6), math.log(1.5)))
    if rng.random() < 0.15:
        reach = rng.uniform(1.4, 2.6)
    count = rng.choice([3, 4, 5, 8, 12, 30, 30, 100])
    rings = [star(rng, center, reach, count, rng.choice([0.3, 0.95]))]
    if rng.random() < 0.3 and reach < 1.4 and count >= 5:
        rings.append(star(rng, center, reach * 0.15, rng.choice([3, 4, 9]), 0.5))
    return ("polygon", rings)


def write(shape, rings, contains, distances, center, reach, rng, count, out):
    """Writes a region with points anywhere, near it, and very near its border."""
    points = []
    while len(points) < count:
        chance = rng.random()
        if chance < 0.15:
            point = random_point(rng)
        elif chance < 0.7 or rings is None:
            point = offset(center, rng.uniform(0, 2 * math.pi), reach * rng.uniform(0, 1.5))
        else:
            ring = rng.choice(rings)
            index = rng.randrange(len(ring))
            first, second = s2_point(ring[index]), s2_point(ring[(index + 1) % len(ring)])
            near = s2.S2LatLng(s2.Interpolate(first, second, rng.random()))
            near = (near.lng().degrees(), near.lat().degrees())
            point = offset(near, rng.uniform(0, 2 * math.pi), 10 ** rng.uniform(-10, -3))
        points.append(rounded(point))
    points = [p for p, d in zip(points, distances(points)) if d > NEAR]
    if points:
        results = "".join("1" if contains(p) else "0" for p in points)
        print(shape, file=out)
        print(" ".join(f"{number!r}" for p in points for number in p), file=out)
        print(results, file=out)
    return len(points)


def numbers(points):
    return " ".join(f"{number!r}" for p in points for number in p)


def write_region(rng, count, out):
    made = region(rng)
    if made[0] == "circle":
        center, radius = rounded(made[1]), made[2]

        def distance(p):
            return s2.S1Angle(s2_point(center), s2_point(p)).radians()

        return write(
            f"circle {numbers([center])} {radius!r}", None, lambda p: distance(p) <= radius,
            lambda points: [abs(distance(p) - radius) for p in points], center, radius, rng, count,
            out)
    if made[0] == "box":
        low, high = rounded(made[1]), rounded(made[2])
        width = (high[0] - low[0] + 540) % 360 - 180
        if width <= 0 or high[1] <= low[1] or abs(width) > 179.5:
            return 0
        rings = [[low, (high[0], low[1]), high, (low[0], high[1])]]
        shape = f"box {numbers([low, high])}"
        center, reach = low, math.radians(max(width, high[1] - low[1]))
    else:
        rings = [[rounded(p) for p in ring] for ring in made[1]]
        shape = "polygon " + " ".join(f"{len(ring)} {numbers(ring)}" for ring in rings)
        center = rng.choice(rings[0])
        reach = max(vectors_angle(vectors([center])[0], v) for v in vectors(rings[0]))
    loops = [s2_loop(ring) for ring in rings]
    if not all(loop.IsValid() for loop in loops):
        return 0
    if len(loops) == 2 and not loops[0].Contains(loops[1]):
        return 0

    def contains(p):
        point = s2_point(p)
        return loops[0].Contains(point) and not any(hole.Contains(point) for hole in loops[1:])

    def distances(points):
        return numpy.minimum.reduce([ring_distances(ring, points) for ring in rings])

    return write(shape, rings, contains, distances, center, reach, rng, count, out)


def vectors_angle(first, second):
    return math.atan2(
        numpy.linalg.norm(numpy.cross(first, second)), float(numpy.dot(first, second)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--regions", type=int, default=300)
    parser.add_argument("--points", type=int, default=24)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"# make_pairs.py --seed {options.seed} --regions {options.regions} "
          f"--points {options.points}")
    regions = pairs = 0
    while regions < options.regions:
        written = write_region(rng, options.points, sys.stdout)
        regions += written > 0
        pairs += written
    print(f"seed {options.seed}: {regions} regions, {pairs} pairs", file=sys.stderr)


if __name__ == "__main__":
    main()
