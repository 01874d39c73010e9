"""Compares measures of random geometries on the sphere with integrals of 60 digits, and with S2.

Areas are sums of signed solid angles of triangles, centroids are sums of angle times normal over the edges.
S2, called by spherely, computes the same from vertices as unit vectors. With --write the exact measures are
printed instead: WKT, area, perimeter and length on the unit sphere, and the centroid, separated by tabs.
"""

import argparse
import collections
import math
import subprocess
import sys

import mpmath
import numpy
import spherely

from compare import Generator, geography, wkt

mpmath.mp.dps = 60
# The radius of the sphere in metres, as Distance.earthRadiusMeters.
RADIUS = 6_378_100.0
# The relative error that is accepted, for directions the error in radians, beside that of the vertices:
# degrees become unit vectors of 53 bits.
TOLERANCE = 1e-11
VERTEX = 4e-16


def vector(point):
    lon, lat = (mpmath.radians(mpmath.mpf(x)) for x in point)
    # The directions of the poles and of multiples of 90 degrees are exact.
    sine, cosine = mpmath.sin(lat), mpmath.cos(lat)
    return (cosine * mpmath.cos(lon), cosine * mpmath.sin(lon), sine)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def plus(a, b, weight=1):
    return tuple(x + y * weight for x, y in zip(a, b))


def norm(a):
    return mpmath.sqrt(dot(a, a))


def angle(a, b):
    return mpmath.atan2(norm(cross(a, b)), dot(a, b))


def pairs(points, closed):
    return list(zip(points, points[1:] + points[:1] if closed else points[1:]))


def ring(points):
    """Returns the area of the smaller side in steradians, and the integral of the direction over it."""
    first, area, moment = points[0], mpmath.mpf(0), (0, 0, 0)
    for a, b in zip(points[1:], points[2:]):
        volume = dot(first, cross(a, b))
        area += 2 * mpmath.atan2(volume, 1 + dot(first, a) + dot(a, b) + dot(b, first))
    while area > 2 * mpmath.pi:
        area -= 4 * mpmath.pi
    while area <= -2 * mpmath.pi:
        area += 4 * mpmath.pi
    for a, b in pairs(points, True):
        normal = cross(a, b)
        moment = plus(moment, normal, angle(a, b) / norm(normal) / 2)
    return (area, moment) if area >= 0 else (-area, tuple(-x for x in moment))


def measures(geometry):
    """Returns area, perimeter, length and the sum of directions, on the unit sphere."""
    kind, points = geometry
    area = perimeter = length = mpmath.mpf(0)
    moment = (0, 0, 0)
    if kind == "polygon":
        for number, chain in enumerate(points):
            directions = [vector(p) for p in chain]
            inner, sum_ = ring(directions)
            sign = 1 if number == 0 else -1
            area, moment = area + sign * inner, plus(moment, sum_, sign)
            perimeter += sum(angle(a, b) for a, b in pairs(directions, True))
    elif kind == "line":
        for a, b in pairs([vector(p) for p in points], False):
            theta, middle = angle(a, b), plus(a, b)
            length += theta
            moment = plus(moment, middle, 2 * mpmath.sin(theta / 2) / norm(middle))
    else:
        moment = vector(points[0])
    return area, perimeter, length, moment


def write(geometries):
    for geometry in geometries:
        *exact, moment = measures(geometry)
        x, y, z = moment
        if exact[0] < exact[1] ** 2 * 1e-12 and geometry[0] == "polygon":
            continue
        lon, lat = mpmath.degrees(mpmath.atan2(y, x)), mpmath.degrees(mpmath.atan2(z, mpmath.sqrt(x * x + y * y)))
        print("\t".join([wkt(geometry)] + [repr(float(x)) for x in (*exact, lon, lat)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = Generator(arguments.seed)
    geometries, theirs = [], []
    while len(geometries) < arguments.count:
        geometry = generator.pair()[0]
        try:
            theirs.append(geography(geometry))
        except (ValueError, RuntimeError):
            continue
        geometries.append(geometry)
    if arguments.write:
        return write(geometries)
    text = "".join(wkt(geometry) + "\n" for geometry in geometries)
    output = subprocess.run(
        [arguments.program, "measures"], input=text, capture_output=True, text=True, check=True).stdout
    left = numpy.array(theirs)
    s2 = list(zip(spherely.area(left, radius=1), spherely.perimeter(left, radius=1), spherely.length(left, radius=1)))
    worst, peer, wrong = collections.Counter(), collections.Counter(), 0
    for index, (geometry, line) in enumerate(zip(geometries, output.splitlines())):
        ours = [float(x) if x != "-" else None for x in line.split()]
        *exact, moment = measures(geometry)
        points = geometry[1] if geometry[0] != "polygon" else geometry[1][0]
        size = float(max(angle(vector(points[0]), vector(p)) for p in points)) or 1.0
        for place, (name, scale) in enumerate((("area", RADIUS**2), ("perimeter", RADIUS), ("length", RADIUS))):
            value = float(exact[place])
            if value == 0:
                wrong += ours[place] != 0
                continue
            # A vertex is known to 4e-16 radians, which is more of a small area.
            limit = TOLERANCE + 8 * VERTEX * (float(exact[1]) / value if name == "area" else 1 / size)
            error = abs(float(ours[place] / mpmath.mpf(scale) / exact[place] - 1))
            worst[name] = max(worst[name], error / limit)
            peer[name] = max(peer[name], abs(float(s2[index][place] / exact[place] - 1)) / limit)
            if error > limit:
                wrong += 1
                print(f"{name} is {ours[place] / scale}, expected {value}: {wkt(geometry)}")
        weight = float(norm(moment))
        if weight < 1e-14 * max(exact[1] ** 2, exact[2]):
            continue
        direction = tuple(x / norm(moment) for x in moment)
        error = float(angle(vector((ours[3], ours[4])), direction))
        # The centroid of a sliver, or of a line that returns, depends more on its vertices.
        area, perimeter, length = (float(x) for x in exact)
        slenderness = perimeter * size / area if area else max(length, 1.0) / weight if length else 1.0
        limit = (TOLERANCE * size + 2e-12) * max(slenderness, 1.0)
        worst["centroid"] = max(worst["centroid"], error / limit)
        if error > limit:
            wrong += 1
            print(f"the centroid is {error:.3g} rad from {[float(x) for x in direction]}: {wkt(geometry)}")
    print(f"{arguments.count} geometries, seed {arguments.seed}")
    for name, error in worst.items():
        other = f"; S2 {peer[name]:.3g}" if name in peer else ""
        print(f"{name}: greatest error {error:.3g} of the accepted one{other}")
    print(f"wrong: {wrong}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
