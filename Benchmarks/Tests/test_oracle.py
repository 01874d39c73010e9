import math
import random
import unittest

from support import columns, spots
from runner import comparison
from runner.oracle import Expected, Oracle, in_circle, in_ring

SPHERE = 6_378_100.0
BOX = {"title": "", "result": "ids", "box": [0.0, 40.0, 40.0, 60.0]}
CIRCLE = {"title": "", "result": "ids", "center": [2.0, 48.0], "meters": 100_000.0}


def direction(longitude, latitude):
    east, north = math.radians(longitude), math.radians(latitude)
    return (math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class OracleTests(unittest.TestCase):
    def test_circles_equal_those_by_dot_products(self):
        source = random.Random(3)
        places = spots(*((source.uniform(-10, 15), source.uniform(40, 56)) for _ in range(2000)))
        keys, boundary = in_circle(places, [2.0, 48.0], 0.05)
        middle = direction(2, 48)
        expected = [key for key in range(1, 2001) if math.acos(dot(middle, direction(
            places.longitudes[key - 1], places.latitudes[key - 1]))) <= 0.05]
        self.assertEqual(keys, expected)
        self.assertEqual(boundary, [])
        self.assertGreater(len(expected), 50)

    def test_convex_rings_on_the_sphere_equal_those_by_half_spaces(self):
        source = random.Random(4)
        ring = [[0.0, 30.0], [30.0, 35.0], [35.0, 60.0], [10.0, 65.0], [0.0, 30.0]]
        places = spots(*((source.uniform(-5, 40), source.uniform(25, 70)) for _ in range(3000)))
        corners = [direction(*corner) for corner in ring]
        sides = [cross(start, end) for start, end in zip(corners, corners[1:])]
        expected = [key for key in range(1, 3001) if all(
            dot(side, direction(places.longitudes[key - 1], places.latitudes[key - 1])) >= 0
            for side in sides)]
        self.assertEqual(in_ring(places, ring, planar=False)[0], expected)
        self.assertNotEqual(in_ring(places, ring, planar=True)[0], expected)

    def test_a_notch_is_outside(self):
        ring = [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4], [0, 0]]
        keys, _ = in_ring(spots((2, 0.5), (2, 2), (0.5, 2), (3.5, 2), (5, 1)), ring, planar=True)
        self.assertEqual(keys, [1, 3, 4])

    def test_order_breaks_ties_by_id(self):
        places = columns(("a", "x", 5, 1, 0, 0), ("b", "x", 9, 2, 0, 0), ("c", "y", 9, 3, 0, 0))
        oracle = Oracle(places, {"Q13": {"result": "ordered ids", "limit": 2},
                                 "Q17": {"result": "ordered ids"}}, SPHERE)
        self.assertEqual(oracle.expected("Q13").sum, str(1 * 2 + 2 * 3))
        self.assertEqual(oracle.expected("Q17").sum, str(1 * 1 + 2 * 2 + 3 * 3))


class ExpectedTests(unittest.TestCase):
    def test_a_place_on_the_boundary_may_be_missing(self):
        expected = Expected(3, 1 + 5 + 9, boundary=[5])
        self.assertTrue(expected.agrees(3, "15"))
        self.assertTrue(expected.agrees(2, "10"))
        self.assertFalse(expected.agrees(2, "6"))
        self.assertFalse(expected.agrees(1, "1"))

    def test_averages_agree_to_nine_digits(self):
        self.assertTrue(Expected(1, "2.5002093734901094").agrees(1, "2.5002093734900948"))
        self.assertFalse(Expected(1, "2.5002093734901094").agrees(1, "2.50021"))


class ComparisonTests(unittest.TestCase):
    def setUp(self):
        # The second and third are between a straight edge of the box and the great circle of its corners.
        self.places = spots((20.0, 50.0), (20.0, 60.5), (20.0, 40.5), (2.0, 48.8985), (2.0, 48.1))
        self.oracle = Oracle(self.places, {"Q3": BOX, "Q1": CIRCLE}, SPHERE)

    def test_an_equal_result_has_no_difference(self):
        expected = self.oracle.expected("Q3")
        self.assertIsNone(comparison.compare("Q3", expected.hits, expected.sum, self.oracle, {}))

    def test_the_other_edges_explain_a_difference(self):
        spherical, planar = self.oracle.expected("Q3"), self.oracle.expected("Q3p")
        self.assertNotEqual(spherical.sum, planar.sum)
        explained, sentence = comparison.compare("Q3", planar.hits, planar.sum, self.oracle, {})
        self.assertTrue(explained)
        self.assertIn("straight in degrees", sentence)

    def test_a_radius_explains_only_its_own_result(self):
        # 48.8985° N is 100.02 km away on Cadastre's sphere, 99.91 km on one of 6,371,000 m.
        self.assertEqual(self.oracle.expected("Q1").hits, 1)
        explained, sentence = comparison.compare("Q1", 2, "9", self.oracle, {"radius": 6_371_000.0})
        self.assertTrue(explained)
        self.assertIn("6,371,000 m", sentence)
        self.assertFalse(comparison.compare("Q1", 2, "8", self.oracle, {"radius": 6_371_000.0})[0])
        self.assertFalse(comparison.compare("Q1", 2, "9", self.oracle, {})[0])

    def test_other_hits_of_the_same_number_are_not_explained(self):
        expected = self.oracle.expected("Q1")
        explained, sentence = comparison.compare("Q1", expected.hits, "77", self.oracle, {})
        self.assertFalse(explained)
        self.assertTrue(sentence.startswith("UNEXPLAINED"))


if __name__ == "__main__":
    unittest.main()
