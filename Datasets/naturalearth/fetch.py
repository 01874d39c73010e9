#!/usr/bin/env python3
"""Writes Natural Earth's 1:110m countries as GeoJSON (RFC 7946) and checks the manifest.

The source is a shapefile, which this script reads with the standard library only.
Source of the format: "ESRI Shapefile Technical Description", 1998; dBASE III table files.
"""

import json
import math
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import package_files  # noqa: E402

REQUIREMENT = "geopandas==0.14.4"
SOURCE = "geopandas/datasets/naturalearth_lowres/naturalearth_lowres"
POLYGON = 5  # shape type of the shapefile specification
DECIMALS = 4  # about 11 m, far finer than the scale 1:110m


def records(dbf: bytes) -> list[dict[str, str]]:
    """Reads the attribute table: one dictionary of trimmed strings per row."""
    count, header_size, row_size = struct.unpack_from("<IHH", dbf, 4)
    fields, at, column = [], 32, 1  # column 0 is the deletion mark
    while dbf[at] != 0x0D:
        name = dbf[at:at + 11].split(b"\0")[0].decode("ascii")
        fields.append((name, column, dbf[at + 16]))
        column += dbf[at + 16]
        at += 32
    rows = []
    for number in range(count):
        start = header_size + number * row_size
        # The table declares ISO 8859-1.
        rows.append({name: dbf[start + first:start + first + size].decode("iso-8859-1").strip()
                     for name, first, size in fields})
    return rows


def shapes(shp: bytes) -> list[list[list[tuple[float, float]]]]:
    """Reads the shapes in the order of the table: a list of rings for each."""
    result, at = [], 100
    while at < len(shp):
        _, words = struct.unpack_from(">II", shp, at)
        body = at + 8
        kind, = struct.unpack_from("<i", shp, body)
        if kind != POLYGON:
            raise SystemExit(f"shape at byte {at}: expected a polygon (5), found type {kind}")
        part_count, point_count = struct.unpack_from("<ii", shp, body + 36)
        starts = struct.unpack_from(f"<{part_count}i", shp, body + 44)
        numbers = struct.unpack_from(f"<{2 * point_count}d", shp, body + 44 + 4 * part_count)
        points = list(zip(numbers[0::2], numbers[1::2]))
        result.append([points[a:b] for a, b in zip(starts, (*starts[1:], point_count))])
        at = body + 2 * words
    return result


def rounded(ring: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Rounds the coordinates of a ring, removes repeated points, and closes it."""
    kept: list[tuple[float, float]] = []
    for x, y in ring:
        # Adding zero turns -0.0 into 0.0.
        point = (round(x, DECIMALS) + 0.0, round(y, DECIMALS) + 0.0)
        if not kept or kept[-1] != point:
            kept.append(point)
    return without_spikes(kept if kept[0] == kept[-1] else kept + kept[:1])


def without_spikes(ring: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Removes the ends of spikes without width, along which a closed ring runs to and fro.

    Sudan has one: the ring crosses itself there, because the vertex on the way back is beside the edge.
    """
    corners = ring[:-1]
    width = 0.5 * 10 ** -DECIMALS
    kept = [b for a, b, c in zip(corners[-1:] + corners[:-1], corners, corners[1:] + corners[:1])
            if not is_spike(a, b, c, width)]
    return kept + kept[:1]


def is_spike(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float],
             width: float) -> bool:
    """Returns whether the edge from b to c runs back along the edge from a to b."""
    (x, y), (u, v) = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
    return x * u + y * v < 0 and abs(x * v - y * u) < width * min(math.hypot(x, y), math.hypot(u, v))


def doubled_area(ring: list[tuple[float, float]]) -> float:
    """Returns twice the signed area of a closed ring; positive if it is counterclockwise."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def contains(ring: list[tuple[float, float]], point: tuple[float, float]) -> bool:
    """Returns whether a point is inside a ring, by the even-odd rule."""
    x, y = point
    inside = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:]):
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def polygons(rings: list[list[tuple[float, float]]]) -> list:
    """Groups rings into polygons: a counterclockwise outer ring, then clockwise holes.

    Shapefiles use the opposite orientation, and only the orientation identifies a hole.
    """
    rings = [ring for ring in map(rounded, rings) if len(ring) >= 4 and doubled_area(ring) != 0]
    outer = [[ring[::-1]] for ring in rings if doubled_area(ring) < 0]
    for hole in (ring for ring in rings if doubled_area(ring) > 0):
        owners = [polygon for polygon in outer if contains(polygon[0], hole[0])]
        if len(owners) != 1:
            raise SystemExit(f"hole at {hole[0]}: expected one ring around it, found {len(owners)}")
        owners[0].append(hole[::-1])
    return outer


def feature(row: dict[str, str], rings: list[list[tuple[float, float]]]) -> dict:
    """Returns the feature of a country; the code -99 denotes a missing code."""
    parts = polygons(rings)
    single = len(parts) == 1
    return {
        "type": "Feature",
        "properties": {
            "name": row["name"],
            "iso_a3": None if row["iso_a3"] == "-99" else row["iso_a3"],
            "continent": row["continent"],
        },
        "geometry": {
            "type": "Polygon" if single else "MultiPolygon",
            "coordinates": parts[0] if single else parts,
        },
    }


def main() -> None:
    shp, dbf = package_files.members(REQUIREMENT, SOURCE + ".shp", SOURCE + ".dbf")
    countries = [feature(row, rings) for row, rings in zip(records(dbf), shapes(shp), strict=True)]
    lines = [json.dumps(country, ensure_ascii=False, separators=(",", ":"))
             for country in countries]
    text = '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"
    (FOLDER / "countries.geojson").write_text(text, encoding="utf-8", newline="")
    package_files.check(FOLDER)


main()
