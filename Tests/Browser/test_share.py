import unittest

from support import PageTest


class ShareTests(PageTest):
    def test_the_address_restores_query_table_map_and_panel(self):
        self.open()
        self.type_predicate("country == 'CH'")
        self.browser.keys("Escape", "Enter")
        self.expect_count(self.stored_count("country == 'CH'"))
        self.browser.click("#results-table th button[data-field=elevation]")
        self.browser.choose("#colour-by", "elevation")
        x, y = self.browser.center("#map")
        self.browser.wheel(x, y, -300)
        self.browser.click("#results-table .rows tr:nth-child(3)")
        self.browser.click("#tab-aggregate")
        self.settle()
        self.browser.wait(lambda: "view" in self.state and "selected" in self.state, "the state is not complete")
        look = (
            "const { map } = globalThis.cadastre; return [document.querySelector('#predicate').value,"
            " document.querySelector('#sort').value, document.querySelector('#colour-by').value,"
            " document.querySelector('#count').textContent, document.querySelector('#tab-aggregate').ariaSelected,"
            " map.zoom.toFixed(1), map.center.x.toFixed(3), map.center.y.toFixed(3),"
            " document.querySelector('#results-table [aria-selected=true] td')?.textContent]")
        # The address follows the map after a moment.
        self.browser.wait(lambda: abs(float(self.state["view"].split(",")[2])
                                      - self.browser.run("return globalThis.cadastre.map.zoom")) < 0.01,
                          "the zoom is not in the address")
        before = self.browser.run(look)
        address = self.browser.address
        self.browser.open("about:blank")
        self.browser.open(address)
        self.settle()
        self.browser.wait(lambda: self.browser.run(look) == before,
                          lambda: f"{self.browser.run(look)} is not {before}")
        self.browser.reload()
        self.settle()
        self.browser.wait(lambda: self.browser.run(look) == before, "reloading does not restore the page")

    def test_the_button_back_returns_to_the_predicate_before(self):
        self.open(predicate="country == 'CH'")
        self.type_predicate("country == 'FR'")
        self.browser.keys("Escape", "Enter")
        self.expect_count(self.stored_count("country == 'FR'"))
        self.browser.call("POST", "/back")
        self.expect_count(self.stored_count("country == 'CH'"))
        self.assertEqual(self.predicate, "country == 'CH'")


if __name__ == "__main__":
    unittest.main()
