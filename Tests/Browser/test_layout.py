import unittest

from support import PageTest

# Contrast of each visible text with the nearest opaque background behind it, by the formula of WCAG 2.
CONTRAST = """
const parse = (text) => {
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  probe.fillStyle = text; probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
  .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
const background = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour[3] > 200) return colour;
  }
  return [255, 255, 255, 255];
};
const bad = [];
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim().length > 1);
  if (!own || !node.checkVisibility() || node.closest(':disabled, .announcement, textarea, option')) continue;
  const [a, b] = [luminance(parse(getComputedStyle(node).color)), luminance(background(node))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) bad.push(`${node.tagName}.${node.className} ${node.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return bad;
"""

OVERFLOW = """
const width = innerWidth;
const wide = [...document.querySelectorAll('body *')].filter((node) => node.checkVisibility()
  && !node.closest('.table-scroll, .mirror, .skip, svg, .visually-hidden, .tabs, pre')
  && node.getBoundingClientRect().right > width + 1).map((node) => `${node.tagName}#${node.id}.${node.className}`);
return [document.documentElement.scrollWidth, document.body.scrollWidth, wide];
"""


class ThemeTests(PageTest):
    def background(self):
        return self.browser.run("return getComputedStyle(document.body).backgroundColor")

    def test_the_colours_follow_the_system_and_the_switch(self):
        self.open()
        self.assertEqual(self.background(), "rgb(255, 255, 255)")
        self.browser.media(prefers_color_scheme="dark")
        self.browser.wait(lambda: self.background() == "rgb(22, 27, 33)", "the page is not dark")
        self.browser.click("#theme")
        self.assertEqual(self.background(), "rgb(255, 255, 255)")
        self.browser.reload()
        self.assertEqual(self.background(), "rgb(255, 255, 255)")
        self.assertEqual(self.browser.attribute("#theme", "aria-label"), "Colours: light")

    def test_the_map_is_drawn_in_the_colours_of_the_theme(self):
        self.expected_messages = ("willReadFrequently",)
        corner = ("const { map } = globalThis.cadastre;"
                  "return [...map.context.getImageData(map.canvas.width - 3, 3, 1, 1).data].slice(0, 3)")
        self.open(view="-30,0,3")
        light = self.browser.run(corner)
        self.browser.media(prefers_color_scheme="dark")
        self.browser.wait(lambda: sum(self.browser.run(corner)) < sum(light) / 2, "the map is not dark")

    def test_texts_have_enough_contrast(self):
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme)
            for panel in ("results", "plan", "aggregate"):
                with self.subTest(scheme=scheme, panel=panel):
                    self.open(panel=panel, colour="country", predicate="elevation > 100", sort="name")
                    self.assertEqual(self.browser.run(CONTRAST), [])

    def test_errors_have_enough_contrast(self):
        for scheme in ("light", "dark"):
            self.browser.media(prefers_color_scheme=scheme)
            self.open()
            self.type_predicate("elevaton > 3")
            self.browser.wait(lambda: self.browser.visible("#predicate-message"), "no message")
            self.assertEqual(self.browser.run(CONTRAST), [])


class SizeTests(PageTest):
    def test_no_size_scrolls_to_the_side(self):
        for width, height in ((360, 740), (768, 1024), (1280, 800), (3840, 2160)):
            for panel in ("results", "plan", "aggregate"):
                with self.subTest(width=width, panel=panel):
                    self.browser.resize(width, height)
                    self.open(panel=panel, colour="country",
                              predicate="location GEOWITHIN geoCircle([2.35, 48.85], 500 km) AND elevation > 300")
                    document, body, wide = self.browser.run(OVERFLOW)
                    self.assertEqual(wide, [])
                    self.assertLessEqual(document, width)
                    self.assertLessEqual(body, width)

    def test_map_and_rows_are_visible_on_a_small_screen(self):
        self.browser.resize(360, 740)
        self.open()
        for selector, least in (("#map", 200), ("#results-scroll", 150)):
            height = self.browser.run(
                "return document.querySelector(arguments[0]).getBoundingClientRect().height", selector)
            self.assertGreaterEqual(height, least)


class KeyboardTests(PageTest):
    def focus(self):
        return self.browser.run("return document.activeElement.id || document.activeElement.tagName")

    def test_a_query_is_made_with_the_keyboard_alone(self):
        self.open()
        self.browser.keys("/")
        self.assertEqual(self.focus(), "predicate")
        self.browser.keys(*"country == 'CH'", "Escape", "Enter")
        self.expect_count(self.stored_count("country == 'CH'"))
        reached = []
        for _ in range(60):
            self.browser.keys("Tab")
            outline = self.browser.run(
                "const style = getComputedStyle(document.activeElement);"
                "return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2")
            reached.append(self.focus())
            self.assertTrue(outline, f"{reached[-1]} does not show the focus")
            if reached[-1] == "TR":
                break
        for name in ("sort", "run", "map", "zoom-in", "draw-circle", "colour-by", "splitter", "tab-results", "TR"):
            self.assertIn(name, reached)
        self.browser.keys("ArrowDown", "Enter")
        self.browser.wait(lambda: self.state.get("selected"), "no row is selected")
        number = self.browser.run("return document.querySelector('#results-table [aria-selected=true]').rowIndex")
        self.assertEqual(number, 2)

    def test_tabs_and_map_have_keys(self):
        self.open(view="0,20,3")
        self.browser.run("document.querySelector('#tab-results').focus()")
        self.browser.keys("ArrowRight")
        self.assertEqual(self.focus(), "tab-plan")
        self.assertTrue(self.browser.visible("#panel-plan"))
        self.browser.run("document.querySelector('#map').focus()")
        self.browser.keys("+")
        self.browser.wait(lambda: self.browser.run("return globalThis.cadastre.map.zoom") == 4, "plus does not zoom")
        before = self.browser.run("return globalThis.cadastre.map.center.x")
        self.browser.keys("ArrowRight")
        self.browser.wait(lambda: self.browser.run("return globalThis.cadastre.map.center.x") > before,
                          "the arrow does not move the map")

    def test_controls_have_names_for_screen_readers(self):
        self.open()
        nodes = self.browser.command("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "combobox", "textbox", "checkbox", "tab", "link", "listbox", "application", "table",
                 "separator", "splitter", "menuitem"}
        unnamed = [node for node in nodes if not node.get("ignored")
                   and node.get("role", {}).get("value", "").lower() in roles
                   and not node.get("name", {}).get("value")]
        self.assertEqual([(node["role"]["value"], node.get("properties")) for node in unnamed], [])
        self.assertGreater(len(nodes), 100)

    def test_animations_are_off_if_less_motion_is_wanted(self):
        self.browser.media(prefers_color_scheme="light", prefers_reduced_motion="reduce")
        self.open(view="0,20,3")
        self.browser.run("document.querySelector('#zoom-in').click()")
        self.assertEqual(self.browser.run("return globalThis.cadastre.map.zoom"), 4)


if __name__ == "__main__":
    unittest.main()
