import json
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401
from peer import growing, summed
from runner import fleet, oracle, places, questions
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
        asked = []

        def within(box, angle):
            asked.append(angle)
            return list(range(len(asked) * 4))
        self.assertEqual(growing(within, [0, 0], 10), list(range(10)))
        self.assertEqual(len(asked), 3)


class PlainSQLiteTests(unittest.TestCase):
    """The one peer that every Python has, asked everything of a few thousand places."""

    def test_every_answer_is_as_by_plain_arithmetic(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            lines = ["name,population,longitude,latitude"]
            lines += [f"San {number},{number * 37 % 200_000},{-9 + number % 97 / 4},{36 + number % 89 / 4}"
                      for number in range(4000)]
            (folder / "cities.csv").write_text("\n".join(lines), encoding="utf-8")
            places.write_csv(folder / "places.csv", places.generate(folder / "cities.csv", 4000))
            columns = places.Places(folder / "places.csv")
            asked = questions.questions(columns)
            (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
            entry = next(entry for entry in CATALOGUE if entry.key == "sqlite")
            notes = []
            ships = fleet.Fleet(lambda text: None, notes)
            self.addCleanup(ships.stop)
            ships.prepare([entry], None, folder, folder / "work")
            ships.load()
            truth = oracle.Oracle(columns, asked["questions"], questions.EARTH_RADIUS)
            answered = 0
            for row in questions.ORDER:
                for answer in ships.ask(row, 1).values():
                    wanted = truth.answer(row)
                    self.assertTrue(wanted.agrees(answer["hits"], answer["sum"]),
                                    f"{row}: {answer} instead of {wanted.hits}, {wanted.sum}")
                    answered += 1
            self.assertEqual(answered, 22, notes)
            written = ships.tell_all("W1", "write", "W1")["sqlite"]
            self.assertEqual(written["count"], 4000)
            self.assertGreater(written["bytes"], 4000)


if __name__ == "__main__":
    unittest.main()
