import unittest

from support import PageTest, tool


class PredicateTests(PageTest):
    def options(self):
        return self.browser.texts("#completions:not([hidden]) [role=option] .text")

    def wait_for_option(self, text):
        self.browser.wait(lambda: text in self.options(), lambda: f"no option {text}: {self.options()}")

    def test_all_objects_are_shown_at_first(self):
        self.open()
        self.expect_count(self.stored_count("TRUEPREDICATE"))
        self.assertEqual(len(self.column("icao")), 100)

    def test_a_typed_predicate_runs_with_enter(self):
        self.open()
        self.type_predicate("elevation > 9000 AND country == 'PE'")
        self.browser.keys("Escape", "Enter")
        self.expect_count(self.stored_count("elevation > 9000 AND country == 'PE'"))
        self.assertEqual(set(self.column("country")), {"PE"})
        self.assertEqual(self.state["predicate"], "elevation > 9000 AND country == 'PE'")

    def test_a_field_is_completed_with_the_keyboard(self):
        self.open()
        self.type_predicate("c")
        self.wait_for_option("country")
        self.assertGreater(len(self.options()), 1)
        self.browser.keys("ArrowDown")
        first = self.browser.attribute("#completions li:first-child", "aria-selected")
        self.assertEqual(first, "true")
        self.type_predicate("elev")
        self.wait_for_option("elevation")
        self.assertEqual(self.browser.attribute("#predicate", "aria-expanded"), "true")
        self.browser.keys("ArrowDown")
        active = self.browser.attribute("#predicate", "aria-activedescendant")
        self.assertEqual(self.browser.attribute(f"#{active}", "aria-selected"), "true")
        self.assertEqual(self.browser.text(f"#{active} .text"), "elevation")
        self.browser.keys("Enter")
        self.assertEqual(self.predicate, "elevation ")
        self.browser.keys(*"> 9000", "Escape", "Enter")
        self.expect_count(self.stored_count("elevation > 9000"))

    def test_operators_and_values_are_completed(self):
        self.open()
        self.type_predicate("country BEG")
        self.wait_for_option("BEGINSWITH")
        self.type_predicate("country == 'F")
        self.browser.wait(lambda: any("FR" in option for option in self.options()), "FR is not offered")
        index = next(index for index, option in enumerate(self.options()) if "FR" in option)
        self.browser.keys(*["ArrowDown"] * (index + 1), "Tab")
        self.assertEqual(self.predicate.strip(), "country == 'FR'")
        self.browser.keys("Escape", "Enter")
        self.expect_count(self.stored_count("country == 'FR'"))

    def test_escape_closes_the_completions(self):
        self.open()
        self.type_predicate("elev")
        self.wait_for_option("elevation")
        self.browser.keys("Escape")
        self.assertFalse(self.browser.visible("#completions"))
        self.assertEqual(self.browser.attribute("#predicate", "aria-expanded"), "false")
        self.assertEqual(self.predicate, "elev")

    def test_an_error_is_underlined_at_its_place(self):
        self.open()
        self.type_predicate("country == 'FR' AND elevaton > 3")
        self.browser.wait(lambda: self.browser.visible("#predicate-message"), "no message")
        self.assertIn("elevaton", self.browser.text("#predicate-message"))
        self.assertEqual("".join(self.browser.texts("#predicate-mirror .error")), "elevaton")
        self.assertEqual(self.browser.attribute("#predicate", "aria-invalid"), "true")
        line = self.browser.run(
            "return getComputedStyle(document.querySelector('#predicate-mirror .error')).textDecorationLine")
        self.assertEqual(line, "underline")
        self.browser.keys("Escape", "Enter")
        self.browser.wait(lambda: self.browser.run(
            "return document.querySelector('#main').classList.contains('stale')"), "old rows are not marked")
        self.type_predicate("country == 'FR' AND elevation > 3")
        self.browser.keys("Escape", "Enter")
        self.expect_count(self.stored_count("country == 'FR' AND elevation > 3"))
        self.assertFalse(self.browser.visible("#predicate-message"))

    def test_a_predicate_that_is_not_complete_is_an_error_only_when_it_runs(self):
        self.open()
        self.type_predicate("country == 'FR' AND ")
        self.browser.keys("Escape")
        self.browser.wait(lambda: self.browser.run(
            "return performance.getEntriesByType('resource').map(entry => new URL(entry.name)).some(address =>"
            " address.pathname === '/explorer/check'"
            " && address.searchParams.get('predicate').trim() === \"country == 'FR' AND\")"), "there is no check")
        self.assertFalse(self.browser.visible("#predicate-message"))
        self.browser.keys("Enter")
        self.browser.wait(lambda: self.browser.visible("#predicate-message"), "no message")

    def test_the_underline_is_under_the_character_that_is_typed(self):
        self.open()
        self.type_predicate("country == 'FR' AND elevaton > 3")
        self.browser.wait(lambda: self.browser.visible("#predicate-message"), "no message")
        fonts = self.browser.run(
            "return ['predicate', 'predicate-mirror'].map(id => { const style = getComputedStyle("
            "document.getElementById(id)); return [style.font, style.padding, style.letterSpacing]; })")
        self.assertEqual(fonts[0], fonts[1])

    def test_earlier_predicates_return_with_the_keyboard_and_from_the_list(self):
        self.open()
        for text in ("country == 'FR'", "country == 'DE'"):
            self.type_predicate(text)
            self.browser.keys("Escape", "Enter")
            self.expect_count(self.stored_count(text))
        self.browser.keys("ArrowUp", held=["Alt"])
        self.browser.keys("ArrowUp", held=["Alt"])
        self.assertEqual(self.predicate, "country == 'FR'")
        self.browser.click("#history-button")
        self.assertEqual(self.browser.texts("#history-list button"), ["country == 'DE'", "country == 'FR'"])
        self.browser.keys("ArrowDown", "Enter")
        self.expect_count(self.stored_count("country == 'FR'"))

    def test_the_sort_field_and_order_are_chosen(self):
        self.open(predicate="country == 'PE'")
        self.browser.choose("#sort", "elevation")
        self.browser.wait(lambda: self.state.get("sort") == "elevation", "the sort is not in the address")
        self.browser.click("#order")
        expected = tool("query", self.store, "Airport", "country == 'PE'", "--sort", "elevation desc",
                        "--limit", "100", "--select", "elevation", "--format", "csv").split()[1:]
        self.browser.wait(
            lambda: [float(text) for text in self.column("elevation")] == [float(text) for text in expected],
            "the rows are not in order")


if __name__ == "__main__":
    unittest.main()
