import json
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
from peer import growing, summed
from runner import engine_group, oracle, places, queries
from runner.catalogue import CATALOGUE


class SumTests(unittest.TestCase):
    def test_sums_by_kind(self):
        self.assertEqual(summed("ids", [3, 4]), (2, 7))
        self.assertEqual(summed("ids", [2**63, 2**63 + 1]), (2, 1))
        self.assertEqual(summed("ordered ids", [3, 4]), (2, 11))
        self.assertEqual(summed("values", ["a", "é"]), (2, 97 + 0xC3 + 0xA9))
        self.assertEqual(summed("number", 2.5), (1, "2.5"))
        self.assertEqual(summed("total", (5, 9)), (5, 9))

    def test_boxes_grow_until_there_are_enough(self):
        angles = []

        def within(box, angle):
            angles.append(angle)
            return list(range(len(angles) * 4))
        self.assertEqual(growing(within, [0, 0], 10), list(range(10)))
        self.assertEqual(len(angles), 3)


class PlainSQLiteTests(unittest.TestCase):
    """Runs all queries on the peer that every Python has, with a few thousand places."""

    def test_all_results_equal_the_reference(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lines = ["name,population,longitude,latitude"]
            lines += [f"San {number},{number * 37 % 200_000},{-9 + number % 97 / 4},{36 + number % 89 / 4}"
                      for number in range(4000)]
            (folder / "cities.csv").write_text("\n".join(lines), encoding="utf-8")
            places.write_csv(folder / "places.csv", places.generate(folder / "cities.csv", 4000))
            columns = places.Places(folder / "places.csv")
            constants = queries.queries(columns)
            (folder / "queries.json").write_text(json.dumps(constants), encoding="utf-8")
            entry = next(entry for entry in CATALOGUE if entry.key == "sqlite")
            notes = []
            group = engine_group.EngineGroup(lambda text: None, notes)
            self.addCleanup(group.stop)
            group.prepare([entry], None, folder, folder / "work")
            group.load()
            reference = oracle.Oracle(columns, constants["queries"], queries.EARTH_RADIUS)
            compared = 0
            for row in queries.ORDER:
                for result in group.run_query(row, 1).values():
                    expected = reference.expected(row)
                    self.assertTrue(expected.agrees(result["hits"], result["sum"]),
                                    f"{row}: {result} instead of {expected.hits}, {expected.sum}")
                    compared += 1
            self.assertEqual(compared, 22, notes)
            written = group.send_all("W1", "write", "W1")["sqlite"]
            self.assertEqual(written["count"], 4000)
            self.assertGreater(written["bytes"], 4000)


if __name__ == "__main__":
    unittest.main()
