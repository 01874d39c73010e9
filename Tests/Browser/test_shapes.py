import unittest

from support import PageTest


class ShapeTests(PageTest):
    """Classes whose geometry is a line or a polygon."""

    # The tests read pixels of the map, which the browser advises against.
    expected_messages = ("willReadFrequently",)

    def open_areas(self, **parameters):
        self.open(**{"class": "Area"}, view="-37,21,4", **parameters)

    def at(self, longitude, latitude):
        """Returns the place on the screen, the colour there, and the id and value of the feature there."""
        return self.browser.run("""
            const { map } = globalThis.cadastre;
            const [longitude, latitude] = arguments;
            const turn = latitude * Math.PI / 180;
            const [left, top] = map.toScreen(
              (longitude + 180) / 360, (1 - Math.asinh(Math.tan(turn)) / Math.PI) / 2);
            const pixel = map.context.getImageData(Math.round(left * map.ratio), Math.round(top * map.ratio), 1, 1).data;
            const found = map.pointAt(left, top);
            return { left, top, colour: [...pixel].join(), value: found && found.value };
            """, longitude, latitude)

    def test_a_polygon_is_drawn_with_its_hole_and_found(self):
        self.open_areas(colour="name")
        inside, hole, outside = self.at(-43.3, 19.3), self.at(-37.3, 19.3), self.at(-37.3, 13.3)
        self.assertNotEqual(inside["colour"], outside["colour"])
        self.assertEqual(hole["colour"], outside["colour"])
        self.assertEqual([place["value"] for place in (inside, hole, outside)], ["field", None, None])

    def test_a_line_is_drawn_and_found(self):
        self.open_areas(colour="name")
        line, beside = self.at(-40, 28), self.at(-40, 30)
        self.assertNotEqual(line["colour"], beside["colour"])
        self.assertEqual([line["value"], beside["value"]], ["route", None])

    def test_a_click_on_a_polygon_selects_its_row(self):
        self.open_areas()
        place = self.at(-43, 20)
        x, y = self.browser.run(
            "const box = document.querySelector('#map').getBoundingClientRect(); return [box.left, box.top]")
        self.browser.pointer(("move", x + place["left"], y + place["top"]), ("down",), ("up",))
        self.browser.wait(
            lambda: "field" in (self.browser.text("tr[aria-selected=true]") or ""), "no row is selected")


if __name__ == "__main__":
    unittest.main()
