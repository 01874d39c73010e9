"""The synthetic places: GeoNames cities, repeated cyclically, each moved by about 0.2 degrees.

`PlaceGenerator` of BenchmarkPlaces generates the same places from the same file and seed, bit for bit, if
there are at least as many places as cities. Fewer places are taken evenly from the whole file, because the
file is sorted by registration, country by country: the first 100,000 would leave half of Europe empty.
"""

import csv
import json
import math
import os
import subprocess
import sys
from array import array
from pathlib import Path

HEADER = ["id", "name", "category", "population", "rating", "longitude", "latitude"]
MASK = (1 << 64) - 1


def split_mix(state):
    """Generates numbers in the range 0..<1 with SplitMix64 (Steele, Lea and Flood, 2014)."""
    while True:
        state = state + 0x9E3779B97F4A7C15 & MASK
        word = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
        yield ((word ^ word >> 31) >> 11) / 9007199254740992


def rounded(number):
    """Rounds to the nearest integer, halves away from zero (Python rounds them to even)."""
    integer = math.floor(number)
    return integer + (number - integer >= 0.5)


def cities(path):
    """Reads name, population, longitude and latitude; the few names with a comma are skipped."""
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    columns = lines[0].split(",")
    indexes = [columns.index(name) for name in ("name", "population", "longitude", "latitude")]
    for line in lines[1:]:
        fields = line.split(",")
        if len(fields) == len(columns):
            name, population, longitude, latitude = (fields[index] for index in indexes)
            yield name, int(population), float(longitude), float(latitude)


def generate(path, count, seed=1):
    """Generates rows with the columns of `HEADER`, with ids from 1."""
    towns = list(cities(path))
    unit = split_mix(seed).__next__
    for number in range(count):
        town = number % len(towns) if count >= len(towns) else number * len(towns) // count
        name, population, longitude, latitude = towns[town]
        longitude += (unit() + unit() + unit() - 1.5) * 0.4
        if longitude > 180:
            longitude -= 360
        if longitude < -180:
            longitude += 360
        latitude = min(90.0, max(-90.0, latitude + (unit() + unit() + unit() - 1.5) * 0.4))
        fraction = unit()
        category = f"category {int(fraction * fraction * 20)}"
        rating = rounded(unit() * 50) / 10
        yield number + 1, name, category, population, rating, longitude, latitude


def city_file(repository):
    """Returns the path of GeoNames cities500; downloaded once, because it is too large for the repository."""
    path = Path(repository) / "Datasets" / "cities" / "cities500.csv"
    if not path.exists():
        subprocess.run([sys.executable, str(path.with_name("fetch.py"))], check=True,
                       stdout=sys.stderr)
    return path


def write_csv(path, rows):
    """Writes a CSV file atomically."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows)
    os.replace(part, path)


def write_features(path, rows):
    """Writes one GeoJSON Feature per line (RFC 8142 without its record separators)."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        for number, name, category, population, rating, longitude, latitude in rows:
            file.write(json.dumps({
                "type": "Feature", "id": number,
                "properties": {"name": name, "category": category, "population": population,
                               "rating": rating},
                "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            }, ensure_ascii=False, separators=(",", ":")) + "\n")
    os.replace(part, path)


class Places:
    """The columns of a file of places, in memory."""

    def __init__(self, path):
        self.names, self.categories = [], []
        self.populations = array("q")
        self.ratings, self.longitudes, self.latitudes = array("d"), array("d"), array("d")
        for row in read(path):
            self.names.append(row[1])
            self.categories.append(sys.intern(row[2]))
            self.populations.append(row[3])
            self.ratings.append(row[4])
            self.longitudes.append(row[5])
            self.latitudes.append(row[6])

    def __len__(self):
        return len(self.names)


def read(path):
    """Reads the rows of a file of places and converts the numbers."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for number, name, category, population, rating, longitude, latitude in rows:
            yield (int(number), name, category, int(population), float(rating), float(longitude),
                   float(latitude))
