import json
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
from runner import places

CITIES = """id,name,country,admin1,population,timezone,longitude,latitude
1,Éa,FR,1,1200,Europe/Paris,2.35,48.85
2,"Bee, the",FR,1,7,Europe/Paris,2,48
3,Far,FJ,1,50,Pacific/Fiji,179.99,-17.5
4,Pole,AQ,,0,Antarctica/X,0.5,-89.95
"""

# The places that PlaceGenerator of BenchmarkPlaces generates: beyond a pole, across ±180°, a second cycle.
GENERATED_IN_SWIFT = [
    ("Éa", "category 15", 1200, 2.6, 2.663338434408711, 48.91060732391756),
    ("Far", "category 3", 50, 0.8, 179.9834589836438, -17.463825090421118),
    ("Pole", "category 4", 0, 0.6, 0.7569560787872778, -90.0),
    ("Éa", "category 7", 1200, 2.9, 2.09013297363178, 48.95210678842071),
    ("Far", "category 13", 50, 3.3, 179.82577165359817, -17.371334597309215),
    ("Pole", "category 2", 0, 0.8, 0.6225472280063241, -89.60420968465293),
    ("Éa", "category 3", 1200, 0.4, 2.5933941876497086, 48.80897700397309),
    ("Far", "category 11", 50, 2.7, -179.9216562642959, -17.511823499502626),
    ("Pole", "category 0", 0, 4.1, 0.3151107002258019, -90.0),
]


class PlacesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cities = self.folder / "cities.csv"
        self.cities.write_text(CITIES, encoding="utf-8")

    def test_the_same_places_as_in_swift(self):
        rows = list(places.generate(self.cities, 9))
        self.assertEqual([row[1:] for row in rows], GENERATED_IN_SWIFT)
        self.assertEqual([row[0] for row in rows], list(range(1, 10)))

    def test_fewer_places_than_cities_are_spread_over_the_file(self):
        self.assertEqual([row[1] for row in places.generate(self.cities, 2)], ["Éa", "Far"])

    def test_a_file_is_read_back_bit_for_bit(self):
        path = self.folder / "places.csv"
        rows = list(places.generate(self.cities, 9))
        places.write_csv(path, rows)
        self.assertEqual(list(places.read(path)), rows)
        columns = places.Places(path)
        self.assertEqual(list(columns.latitudes), [row[6] for row in rows])
        self.assertFalse(path.with_suffix(".part").exists())

    def test_features_have_the_location_as_a_point(self):
        path = self.folder / "places.geojsonseq"
        [row] = places.generate(self.cities, 1)
        places.write_features(path, [row])
        feature = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(feature["geometry"], {"type": "Point", "coordinates": list(row[5:])})

    def test_halves_round_away_from_zero(self):
        self.assertEqual([places.rounded(x) for x in (0.5, 1.5, 2.4999, 2.5)], [1, 2, 2, 3])


if __name__ == "__main__":
    unittest.main()
