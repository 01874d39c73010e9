import csv
import math
import re
import unittest

from support import AIRPORTS, PageTest

EARTH_RADIUS = 6_378_100


def airports():
    with open(AIRPORTS, newline="") as file:
        return [(float(row["lon"]), float(row["lat"])) for row in csv.DictReader(file)]


def distance(a, b):
    """The distance of two places in metres, by the haversine formula."""
    (x1, y1), (x2, y2) = [[math.radians(value) for value in place] for place in (a, b)]
    half = math.sin((y2 - y1) / 2) ** 2 + math.cos(y1) * math.cos(y2) * math.sin((x2 - x1) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(half))


class DrawingTests(PageTest):
    view = "2.35,47,3"

    def numbers(self):
        return [float(text) for text in re.findall(r"-?\d+(?:\.\d+)?", self.predicate)]

    def drag(self, start, end):
        self.browser.pointer(("move", *start), ("down",), ("move", start[0] + 9, start[1] + 9), ("move", *end), ("up",))

    def check_count(self, brute_force=None):
        """Compares the count with the command line tool, and with a loop over the source of the store."""
        stored = self.stored_count(self.predicate)
        self.assertGreater(stored, 0)
        if brute_force is not None:
            self.assertEqual(stored, brute_force)
        self.expect_count(stored)

    def test_a_circle_drawn_by_a_drag_is_a_condition(self):
        self.open(view=self.view)
        center, edge = self.on_map(2, 47), self.on_map(8, 47)
        self.browser.click("#draw-circle")
        self.assertEqual(self.browser.attribute("#draw-circle", "aria-pressed"), "true")
        self.drag(center, edge)
        self.browser.wait(lambda: "geoCircle" in self.predicate, "no circle in the predicate")
        longitude, latitude, radius = self.numbers()
        self.assertAlmostEqual(longitude, 2, delta=0.05)
        self.assertAlmostEqual(latitude, 47, delta=0.05)
        self.assertAlmostEqual(radius * 1000, distance((2, 47), (8, 47)), delta=6000)
        inside = sum(distance((longitude, latitude), place) <= radius * 1000 for place in airports())
        self.check_count(inside)
        self.assertEqual(self.browser.attribute("#draw-circle", "aria-pressed"), "false")

    def test_a_box_drawn_by_a_drag_is_a_condition(self):
        # In a box this wide, parallels are far from great circles.
        self.open(view="20,40,2")
        self.browser.click("#draw-box")
        self.drag(self.on_map(-15, 52), self.on_map(50, 30))
        self.browser.wait(lambda: "geoBox" in self.predicate, "no box in the predicate")
        west, south, east, north = self.numbers()
        for value, expected in zip((west, south, east, north), (-15, 30, 50, 52)):
            self.assertAlmostEqual(value, expected, delta=0.2)
        inside = sum(west <= x <= east and south <= y <= north for x, y in airports())
        self.check_count(inside)

    def test_a_polygon_drawn_by_clicks_is_a_condition(self):
        self.open(view=self.view)
        self.browser.click("#draw-polygon")
        corners = [(-2, 44), (9, 44), (8, 51), (1, 52)]
        for corner in corners:
            self.browser.pointer(("move", *self.on_map(*corner)), ("down",), ("up",), ("pause", 0.05))
        self.browser.pointer(("move", *self.on_map(*corners[0])), ("down",), ("up",))
        self.browser.wait(lambda: "geoPolygon" in self.predicate, "no polygon in the predicate")
        numbers = self.numbers()
        self.assertEqual(len(numbers), 10)
        for value, expected in zip(numbers, [value for corner in corners for value in corner]):
            self.assertAlmostEqual(value, expected, delta=0.05)
        self.assertEqual(numbers[:2], numbers[-2:])
        self.check_count()

    def test_a_double_click_closes_a_polygon(self):
        self.open(view=self.view)
        self.browser.click("#draw-polygon")
        for corner in [(-2, 44), (9, 44)]:
            self.browser.pointer(("move", *self.on_map(*corner)), ("down",), ("up",), ("pause", 0.6))
        self.browser.pointer(("move", *self.on_map(4, 51)), ("down",), ("up",), ("pause", 0.05), ("down",), ("up",))
        self.browser.wait(lambda: "geoPolygon" in self.predicate, "no polygon in the predicate")
        self.assertEqual(len(self.numbers()), 8)
        self.check_count()

    def test_a_drawn_region_replaces_the_earlier_one_and_keeps_other_conditions(self):
        self.open(view=self.view, predicate="elevation > 500 OR country == 'BE'")
        self.browser.click("#draw-box")
        self.drag(self.on_map(-3, 50), self.on_map(7, 44))
        self.browser.wait(lambda: "geoBox" in self.predicate, "no box in the predicate")
        self.assertTrue(self.predicate.startswith("(elevation > 500 OR country == 'BE') AND location GEOWITHIN"))
        self.check_count()
        self.browser.click("#draw-circle")
        self.drag(self.on_map(2, 47), self.on_map(8, 47))
        self.browser.wait(lambda: "geoCircle" in self.predicate, "no circle in the predicate")
        self.assertNotIn("geoBox", self.predicate)
        self.assertIn("elevation > 500 OR country == 'BE'", self.predicate)
        self.check_count()
        self.browser.click("#draw-clear")
        self.browser.wait(lambda: "GEOWITHIN" not in self.predicate, "the region is not removed")
        self.expect_count(self.stored_count("elevation > 500 OR country == 'BE'"))

    def test_a_box_across_180_degrees_has_both_sides(self):
        self.open(view="180,-15,3")
        self.browser.click("#draw-box")
        self.drag(self.on_map(175, -10), self.on_map(-172, -22))
        self.browser.wait(lambda: "geoBox" in self.predicate, "no box in the predicate")
        self.assertEqual(self.predicate.count("geoBox"), 2)
        west, south, _, north, _, _, east, _ = self.numbers()
        self.assertAlmostEqual(west, 175, delta=0.1)
        self.assertAlmostEqual(east, -172, delta=0.1)
        inside = sum((x >= west or x <= east) and south <= y <= north for x, y in airports())
        self.check_count(inside)
        self.browser.click("#draw-circle")
        self.drag(self.on_map(178, -18), self.on_map(-178, -18))
        self.browser.wait(lambda: "geoCircle" in self.predicate, "no circle in the predicate")
        self.assertNotIn("geoBox", self.predicate)
        longitude, latitude, radius = self.numbers()
        self.check_count(sum(distance((longitude, latitude), place) <= radius * 1000 for place in airports()))

    def test_a_circle_is_drawn_with_the_keyboard(self):
        self.open(view=self.view)
        self.browser.run("document.querySelector('#draw-circle').focus()")
        self.browser.keys("Enter")
        self.browser.keys("Enter", "ArrowRight", "ArrowRight", "Enter")
        self.browser.wait(lambda: "geoCircle" in self.predicate, "no circle in the predicate")
        longitude, latitude, _ = self.numbers()
        self.assertAlmostEqual(longitude, 2.35, delta=0.01)
        self.assertAlmostEqual(latitude, 47, delta=0.01)
        self.check_count()

    def test_escape_ends_a_drawing(self):
        self.open(view=self.view)
        self.browser.click("#draw-circle")
        self.browser.pointer(("move", *self.on_map(2, 47)), ("down",), ("up",))
        self.browser.keys("Escape")
        self.assertEqual(self.browser.attribute("#draw-circle", "aria-pressed"), "false")
        self.assertEqual(self.predicate, "")


if __name__ == "__main__":
    unittest.main()
