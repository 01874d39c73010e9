import csv
import io
import json
import unittest
import urllib.request

from support import EXACT, PageTest, tool


class PanelTests(PageTest):
    def test_the_plan_has_estimates_measured_rows_and_rejected_paths(self):
        predicate = "location GEOWITHIN geoCircle([2.35, 48.85], 500 km) AND elevation > 300"
        self.open(predicate=predicate, panel="plan")
        self.browser.wait(lambda: self.browser.visible(".plan-tree"), "no plan")
        text = self.browser.text(".plan-tree")
        self.assertIn("geoCircle", text)
        self.assertIn("elevation > 300", text)
        self.assertGreaterEqual(len(self.browser.texts(".plan-node")), 2)
        shown = self.browser.texts(".plan-node .figure:nth-child(2) span:last-child")
        rows = {int(text.replace(",", "")) for text in shown if text != "–"}
        self.assertTrue(rows & {100, self.stored_count(predicate)}, f"no measured rows in {shown}")
        estimates = self.browser.texts(".plan-node .figure:nth-child(1) span:last-child")
        self.assertTrue(any(text != "–" for text in estimates))
        self.assertIn("Scan", self.browser.text(".rejected tbody"))
        self.assertIn("geoCircle", self.browser.text("#plan-content pre"))

    def groups(self, *arguments):
        return json.loads(tool("aggregate", self.store, "Airport", *arguments, "--format", "json"))

    def test_groups_are_bars_and_a_click_adds_the_condition(self):
        self.open(predicate="elevation > 5000", panel="aggregate", by="country")
        self.browser.wait(lambda: self.browser.visible(".bars"), "no bars")
        groups = self.groups("elevation > 5000", "--compute", "count", "--by", "country")
        expected = {group["country"]: group["count"] for group in groups}
        shown = dict(zip(self.browser.texts(".bar-name"),
                         (int(text.replace(",", "")) for text in self.browser.texts(".bar-value"))))
        self.assertGreater(len(shown), 5)
        for name, number in shown.items():
            self.assertEqual(number, expected[name])
        name = self.browser.text(".bar-name")
        self.assertEqual(shown[name], max(expected.values()))
        self.browser.click(".bar-row")
        self.expect_count(expected[name])
        self.assertEqual(self.predicate, f"elevation > 5000 AND country == '{name}'")

    def test_other_functions_are_computed(self):
        self.open(predicate="country IN {'FR', 'CH'}", panel="aggregate", by="country")
        self.browser.choose("#group-function", "max")
        self.browser.choose("#group-of", "elevation")
        groups = self.groups("country IN {'FR', 'CH'}", "--compute", "max(elevation)", "--by", "country")
        expected = {f"{group['max(elevation)']:,.0f}" for group in groups}
        self.browser.wait(lambda: set(self.browser.texts(".bar-value")) == expected,
                          lambda: f"{self.browser.texts('.bar-value')} is not {expected}")

    def test_numbers_keep_all_digits_and_a_click_filters_by_them(self):
        self.open(**{"class": "Exact"}, sort="id")
        for field in ("large", "price"):
            self.assertEqual(self.column(field), [row[field] for row in EXACT])
        self.assertEqual(self.column("ratio"), ["-0.0", "0.1", "4"])
        for field, text in (("large", "9007199254740993"), ("price", "decimal(12345678901234567890.5)")):
            self.open(**{"class": "Exact"}, panel="aggregate", by=field)
            self.browser.wait(lambda: self.browser.visible(".bars"), "no bars")
            names = self.browser.texts(".bar-name")
            self.assertEqual(sorted(names), sorted(row[field] for row in EXACT))
            name = text.removeprefix("decimal(").removesuffix(")")
            self.browser.click(f"#aggregate-content li:nth-child({names.index(name) + 1}) .bar-row")
            self.expect_count(1)
            self.assertEqual(self.predicate, f"{field} == {text}")
            self.assertEqual(self.column(field), [name])

    def test_results_of_aggregates_keep_all_digits(self):
        self.open(**{"class": "Exact"}, panel="aggregate", by="id", function="max", of="large")
        self.browser.wait(lambda: self.browser.visible(".bars"), "no bars")
        self.assertEqual(sorted(self.browser.texts(".bar-value")), sorted(f"{int(row['large']):,}" for row in EXACT))

    def download(self, kind):
        address = self.browser.run("return document.querySelector(arguments[0]).href", f"#download-{kind}")
        with urllib.request.urlopen(address, timeout=20) as response:
            self.assertIn("attachment", response.headers["Content-Disposition"])
            return response.read().decode()

    def test_rows_are_downloaded_as_csv_and_geojson(self):
        self.open(predicate="country == 'CH'")
        self.browser.click("#download-button")
        self.assertTrue(self.browser.visible("#download-csv"))
        stored = self.stored_count("country == 'CH'")
        self.assertEqual(len(list(csv.DictReader(io.StringIO(self.download("csv"))))), stored)
        features = json.loads(self.download("geojson"))["features"]
        self.assertEqual(len(features), stored)
        self.browser.keys("Escape")
        self.assertFalse(self.browser.visible("#download-menu"))

    def legend(self):
        return self.browser.texts("#legend:not([hidden]) li")

    def test_a_number_gives_a_ramp_of_colours(self):
        self.open(predicate="country == 'CH'", view="8,47,7")
        self.assertEqual(self.legend(), [])
        self.browser.choose("#colour-by", "elevation")
        self.browser.wait(lambda: len(self.legend()) >= 4, "no legend")
        self.assertTrue(all("–" in text for text in self.legend()))
        self.browser.wait(lambda: self.browser.run(
            "return globalThis.cadastre.map.scale.kind") == "numeric", "the map has no ramp")
        self.assertGreaterEqual(self.colours_on_map(), 3)

    def test_a_text_gives_categories_of_colours(self):
        self.open(predicate="country IN {'FR', 'CH', 'DE'}", view="8,47,5")
        self.browser.choose("#colour-by", "country")
        self.browser.wait(lambda: len(self.legend()) == 4, lambda: f"the legend is {self.legend()}")
        self.assertEqual(set(self.legend()), {"FR", "DE", "CH", "other"})
        self.settle()
        self.assertGreaterEqual(self.colours_on_map(), 3)

    def colours_on_map(self):
        """The number of colours of the scale that are on the canvas."""
        return self.browser.run(
            "const { map } = globalThis.cadastre;"
            "const used = new Set();"
            "for (const { tile } of map.tiles.ready())"
            " for (let index = 0; index < tile.x.length; index += 1)"
            "  used.add(map.scale.index(tile.value?.[index] ?? null, tile.count[index]));"
            "return used.size")


if __name__ == "__main__":
    unittest.main()
