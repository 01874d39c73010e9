import math
import random
import unittest

from support import columns, spots
from runner import hits
from runner.oracle import Answer, Oracle, in_circle, in_ring

SPHERE = 6_378_100.0
BOX = {"title": "", "answer": "ids", "box": [0.0, 40.0, 40.0, 60.0]}
CIRCLE = {"title": "", "answer": "ids", "center": [2.0, 48.0], "meters": 100_000.0}


def direction(longitude, latitude):
    east, north = math.radians(longitude), math.radians(latitude)
    return (math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class OracleTests(unittest.TestCase):
    def test_circles_as_by_dot_products(self):
        source = random.Random(3)
        places = spots(*((source.uniform(-10, 15), source.uniform(40, 56)) for _ in range(2000)))
        found, rim = in_circle(places, [2.0, 48.0], 0.05)
        middle = direction(2, 48)
        wanted = [key for key in range(1, 2001) if math.acos(dot(middle, direction(
            places.longitudes[key - 1], places.latitudes[key - 1]))) <= 0.05]
        self.assertEqual(found, wanted)
        self.assertEqual(rim, [])
        self.assertGreater(len(wanted), 50)

    def test_convex_rings_on_the_sphere_as_by_half_spaces(self):
        source = random.Random(4)
        ring = [[0.0, 30.0], [30.0, 35.0], [35.0, 60.0], [10.0, 65.0], [0.0, 30.0]]
        places = spots(*((source.uniform(-5, 40), source.uniform(25, 70)) for _ in range(3000)))
        corners = [direction(*corner) for corner in ring]
        sides = [cross(start, end) for start, end in zip(corners, corners[1:])]
        wanted = [key for key in range(1, 3001) if all(
            dot(side, direction(places.longitudes[key - 1], places.latitudes[key - 1])) >= 0
            for side in sides)]
        self.assertEqual(in_ring(places, ring, planar=False)[0], wanted)
        self.assertNotEqual(in_ring(places, ring, planar=True)[0], wanted)

    def test_a_notch_is_outside(self):
        ring = [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4], [0, 0]]
        found, _ = in_ring(spots((2, 0.5), (2, 2), (0.5, 2), (3.5, 2), (5, 1)), ring, planar=True)
        self.assertEqual(found, [1, 3, 4])

    def test_order_breaks_ties_by_id(self):
        places = columns(("a", "x", 5, 1, 0, 0), ("b", "x", 9, 2, 0, 0), ("c", "y", 9, 3, 0, 0))
        oracle = Oracle(places, {"Q13": {"answer": "ordered ids", "limit": 2},
                                 "Q17": {"answer": "ordered ids"}}, SPHERE)
        self.assertEqual(oracle.answer("Q13").sum, str(1 * 2 + 2 * 3))
        self.assertEqual(oracle.answer("Q17").sum, str(1 * 1 + 2 * 2 + 3 * 3))


class AnswerTests(unittest.TestCase):
    def test_a_place_at_the_rim_may_be_missing(self):
        answer = Answer(3, 1 + 5 + 9, rim=[5])
        self.assertTrue(answer.agrees(3, "15"))
        self.assertTrue(answer.agrees(2, "10"))
        self.assertFalse(answer.agrees(2, "6"))
        self.assertFalse(answer.agrees(1, "1"))

    def test_averages_agree_to_nine_digits(self):
        self.assertTrue(Answer(1, "2.5002093734901094").agrees(1, "2.5002093734900948"))
        self.assertFalse(Answer(1, "2.5002093734901094").agrees(1, "2.50021"))


class HitsTests(unittest.TestCase):
    def setUp(self):
        # The second and third lie between a straight edge of the box and the great circle of its corners.
        self.places = spots((20.0, 50.0), (20.0, 60.5), (20.0, 40.5), (2.0, 48.8985), (2.0, 48.1))
        self.oracle = Oracle(self.places, {"Q3": BOX, "Q1": CIRCLE}, SPHERE)

    def test_agreement_says_nothing(self):
        answer = self.oracle.answer("Q3")
        self.assertIsNone(hits.judge("Q3", answer.hits, answer.sum, self.oracle, {}))

    def test_the_other_edges_explain_a_difference(self):
        spherical, planar = self.oracle.answer("Q3"), self.oracle.answer("Q3p")
        self.assertNotEqual(spherical.sum, planar.sum)
        explained, sentence = hits.judge("Q3", planar.hits, planar.sum, self.oracle, {})
        self.assertTrue(explained)
        self.assertIn("straight in degrees", sentence)

    def test_a_radius_explains_only_what_it_gives(self):
        # 48.8985° N is 100.02 km away on our sphere, 99.91 km on one of 6,371,000 m.
        self.assertEqual(self.oracle.answer("Q1").hits, 1)
        explained, sentence = hits.judge("Q1", 2, "9", self.oracle, {"radius": 6_371_000.0})
        self.assertTrue(explained)
        self.assertIn("6,371,000 m", sentence)
        self.assertFalse(hits.judge("Q1", 2, "8", self.oracle, {"radius": 6_371_000.0})[0])
        self.assertFalse(hits.judge("Q1", 2, "9", self.oracle, {})[0])

    def test_other_hits_of_the_same_number_are_not_explained(self):
        answer = self.oracle.answer("Q1")
        explained, sentence = hits.judge("Q1", answer.hits, "77", self.oracle, {})
        self.assertFalse(explained)
        self.assertTrue(sentence.startswith("UNEXPLAINED"))


if __name__ == "__main__":
    unittest.main()
