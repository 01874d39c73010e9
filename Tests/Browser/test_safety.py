import unittest
import urllib.request

from support import MARKUP_CLASS, MARKUP_FIELD, MARKUP_VALUES, PageTest


class MarkupTests(PageTest):
    def not_attacked(self):
        self.assertIsNone(self.browser.run("return globalThis.attacked ?? null"))
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('main img, main b, main i, main script, form img, form b').length"), 0)

    def test_values_fields_and_classes_with_markup_are_text(self):
        self.open(**{"class": MARKUP_CLASS, "view": "21,11,5"})
        self.expect_count(3)
        self.assertEqual(self.column("note"), MARKUP_VALUES)
        self.assertIn(MARKUP_FIELD, self.browser.texts("#results-table th"))
        self.assertTrue(any(MARKUP_CLASS in text for text in self.browser.texts("#class option")))
        self.not_attacked()

    def test_the_tooltip_of_a_place_is_text(self):
        self.open(**{"class": MARKUP_CLASS, "view": "21,11,5"})
        self.browser.pointer(("move", 300, 200), ("move", *self.on_map(20, 10)))
        self.browser.wait(lambda: MARKUP_VALUES[0] in (self.browser.text("#tooltip") or ""), "no tooltip")
        self.not_attacked()

    def test_legend_and_groups_are_text_and_their_condition_is_escaped(self):
        self.open(**{"class": MARKUP_CLASS, "panel": "aggregate", "by": MARKUP_FIELD, "colour": MARKUP_FIELD})
        self.browser.wait(lambda: set(self.browser.texts(".bar-name")) == set(MARKUP_VALUES), "no groups")
        self.browser.wait(lambda: set(MARKUP_VALUES) < set(self.browser.texts("#legend li")), "no legend")
        self.not_attacked()
        number = self.browser.texts(".bar-name").index(MARKUP_VALUES[2]) + 1
        self.browser.click(f".bars li:nth-child({number}) button")
        self.expect_count(1)
        self.assertEqual(self.browser.texts(".bar-name"), [MARKUP_VALUES[2]])
        self.not_attacked()

    def test_a_predicate_with_markup_is_text(self):
        self.open(predicate="name == '<img src=x onerror=window.attacked=1>'")
        self.expect_count(0)
        self.type_predicate("<img src=x onerror=window.attacked=1>")
        self.browser.wait(lambda: self.browser.visible("#predicate-message"), "no message")
        self.not_attacked()


class PolicyTests(PageTest):
    def test_the_policy_allows_only_this_host(self):
        with urllib.request.urlopen(urllib.request.Request(
                self.server.address + "/", headers={"Accept": "text/html"})) as response:
            policy = response.headers["Content-Security-Policy"]
            page = response.read().decode()
        self.assertIn("default-src 'self'", policy)
        self.assertNotIn("unsafe-eval", policy)
        self.assertNotIn("script-src 'unsafe-inline'", policy)
        self.assertNotRegex(page, r"<script(?![^>]*src=)|<style| style=| on[a-z]+=|https?://")

    def test_all_requests_are_to_this_server(self):
        self.open(panel="plan", colour="country")
        names = self.browser.run("return performance.getEntriesByType('resource').map(entry => entry.name)")
        self.assertGreater(len(names), 20)
        for name in names:
            self.assertTrue(name.startswith(self.server.address + "/"), name)

    def test_an_inline_script_is_refused(self):
        self.expected_messages = ("Content Security Policy",)
        self.open()
        self.browser.run(
            "const script = document.createElement('script'); script.textContent = 'globalThis.attacked = 1';"
            "document.body.append(script)")
        self.assertIsNone(self.browser.run("return globalThis.attacked ?? null"))


if __name__ == "__main__":
    unittest.main()
