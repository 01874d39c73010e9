import json
import unittest

from support import PageTest, tool


class TableTests(PageTest):
    def rows(self, *arguments):
        return json.loads(tool("query", self.store, "Airport", *arguments, "--format", "json"))

    def test_a_header_sorts_both_ways_and_then_not(self):
        predicate = "country == 'CH'"
        self.open(predicate=predicate)
        header = "#results-table th button[data-field=name]"
        sort = f"return document.querySelector('{header}').closest('th').getAttribute('aria-sort')"
        self.assertEqual(self.browser.run(sort), "none")
        for order, label in (("asc", "ascending"), ("desc", "descending")):
            self.browser.click(header)
            expected = [row["name"] for row in self.rows(predicate, "--sort", f"name {order}", "--limit", "100")]
            self.browser.wait(lambda: self.column("name") == expected, f"the names are not {label}")
            self.assertEqual(self.browser.run(sort), label)
        self.browser.click(header)
        self.browser.wait(lambda: self.browser.run(sort) == "none", "the sort is not removed")

    def test_pages_follow_each_other_without_gap(self):
        self.open(sort="icao")
        expected = [row["icao"] for row in self.rows("TRUEPREDICATE", "--sort", "icao", "--limit", "300")]
        shown = self.column("icao")
        for page in (1, 2):
            self.browser.click("#page-next")
            self.browser.wait(lambda: self.column("icao")[0] == expected[100 * page], "the next page is not shown")
            shown += self.column("icao")
        self.assertEqual(shown, expected)
        self.assertEqual(self.browser.text("#range"), "201–300 of 28,298")
        self.browser.click("#page-previous")
        self.browser.wait(lambda: self.column("icao") == expected[100:200], "the page before is not shown")

    def test_a_selected_row_is_marked_on_the_map(self):
        self.open(predicate="icao == 'NZWN' OR icao == 'LFPG'")
        self.browser.click("#results-table .rows tr:nth-child(2)")
        self.settle()
        selected = self.browser.run("return globalThis.cadastre.map.selected")
        icao = self.browser.text("#results-table [aria-selected=true] td")
        [row] = self.rows(f"icao == '{icao}'")
        self.assertEqual([selected["longitude"], selected["latitude"]], row["location"]["coordinates"])
        left, top = self.on_map(selected["longitude"], selected["latitude"])
        box = self.browser.run("const box = document.querySelector('#map').getBoundingClientRect();"
                               "return [box.left, box.top, box.right, box.bottom]")
        self.browser.wait(lambda: box[0] < left < box[2] and box[1] < top < box[3], "the place is not on the map")

    def test_a_click_on_the_map_selects_the_row(self):
        self.open(predicate="country == 'NZ'", view="174.8,-41.3,8", limit=500)
        [wellington] = self.rows("icao == 'NZWN'")
        x, y = self.on_map(*wellington["location"]["coordinates"])
        self.browser.pointer(("move", x, y), ("down",), ("up",))
        self.browser.wait(lambda: self.browser.text("#results-table [aria-selected=true] td") == "NZWN",
                          "the row is not selected")
        visible = self.browser.run(
            "const row = document.querySelector('#results-table [aria-selected=true]').getBoundingClientRect();"
            "const box = document.querySelector('#results-scroll').getBoundingClientRect();"
            "return row.top >= box.top && row.bottom <= box.bottom + 1")
        self.assertTrue(visible)

    def test_a_place_of_another_page_is_shown_below_the_rows(self):
        self.open(view="174.8,-41.3,8", limit=50)
        self.assertNotIn("NZWN", self.column("icao"))
        [wellington] = self.rows("icao == 'NZWN'")
        x, y = self.on_map(*wellington["location"]["coordinates"])
        self.browser.pointer(("move", x, y), ("down",), ("up",))
        self.browser.wait(lambda: self.browser.text("#results-table .pinned td") == "NZWN", "the row is not shown")

    def test_hovering_marks_the_other_side(self):
        self.open(predicate="icao == 'NZWN' OR icao == 'NZAA'", view="174.8,-39,5")
        [wellington] = self.rows("icao == 'NZWN'")
        self.browser.pointer(("move", 400, 300), ("move", *self.on_map(*wellington["location"]["coordinates"])))
        self.browser.wait(lambda: self.browser.text("#results-table tr.hovered td") == "NZWN", "the row is not marked")
        self.browser.wait(lambda: "Wellington" in (self.browser.text("#tooltip") or ""), "no tooltip")
        number = self.column("icao").index("NZAA") + 1
        self.browser.pointer(("move", *self.browser.center(f"#results-table .rows tr:nth-child({number}) td")))
        [auckland] = self.rows("icao == 'NZAA'")
        self.browser.wait(
            lambda: (mark := self.browser.run("return globalThis.cadastre.map.hovered"))
            and [mark["longitude"], mark["latitude"]] == auckland["location"]["coordinates"],
            "the place is not marked")
        self.assertFalse(self.browser.visible("#tooltip"))

    def test_rows_follow_the_map_if_wanted(self):
        self.open(view="2.35,48.85,6")
        self.browser.click("#in-view")
        west, south, east, north = self.browser.run("return globalThis.cadastre.map.bounds()")
        expected = int(tool("query", self.store, "Airport", "--bbox", f"{west},{south},{east},{north}",
                            "--edges", "planar", "--format", "count"))
        self.expect_count(expected)
        x, y = self.browser.center("#map")
        self.browser.wheel(x, y, -600)
        self.browser.wait(lambda: self.browser.text("#count") != f"{expected:,} objects", "the rows do not follow")

    def test_an_aggregate_zooms_in_when_clicked(self):
        self.open(view="-95,38,2")
        point = self.browser.run(
            "const { map } = globalThis.cadastre;"
            "for (let x = 60; x < map.width - 60; x += 3) for (let y = 60; y < map.height - 60; y += 3) {"
            " const point = map.pointAt(x, y, 0); if (point && point.count > 1) return point; }")
        self.assertIsNotNone(point, "no aggregate on the map")
        box = self.browser.run("const box = document.querySelector('#map').getBoundingClientRect();"
                               "return [box.left, box.top]")
        before = self.browser.run("return globalThis.cadastre.map.zoom")
        self.browser.pointer(("move", box[0] + point["left"], box[1] + point["top"]), ("down",), ("up",))
        self.browser.wait(lambda: self.browser.run("return globalThis.cadastre.map.zoom") > before + 1.9,
                          "the map does not zoom")

    def test_the_tiles_have_as_many_places_as_the_store(self):
        self.open(predicate="country == 'AU'", view="134,-27,2")
        total = self.browser.run(
            "return globalThis.cadastre.map.tiles.ready().filter(({ z }) => z === 2).reduce((sum, { tile }) =>"
            " sum + tile.count.reduce((a, b) => a + b, 0), 0)")
        # Tiles overlap at their edges by the size of a dot.
        stored = self.stored_count("country == 'AU'")
        self.assertTrue(stored <= total <= stored * 1.1, f"{total} places in the tiles, {stored} in the store")


if __name__ == "__main__":
    unittest.main()
