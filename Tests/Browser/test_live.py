import unittest

from support import PageTest, Server, import_airports, tool


class LiveTests(PageTest):
    expected_messages = ("net::ERR", "ERR_CONNECTION", "ERR_INCOMPLETE")

    def setUp(self):
        super().setUp()
        self.copy = self.store.parent / "live.cadastre"
        for suffix in ("", "-wal", "-shm", "-lock", "-wait"):
            self.copy.with_name(self.copy.name + suffix).unlink(missing_ok=True)
        import_airports(self.copy)
        self.live = Server(self.copy)
        self.addCleanup(lambda: self.live.stop())

    def open_live(self, **state):
        self.open(server=self.live, **state)
        self.browser.wait(lambda: self.browser.attribute("#status", "data-status") == "connected", "not connected")

    def set(self, predicate, *changes):
        tool("set", self.copy, "Airport", predicate, *changes)

    def test_a_commit_of_another_program_changes_the_table(self):
        self.open_live(predicate="icao BEGINSWITH 'NZW'", sort="icao")
        self.set("icao == 'NZWN'", "name=Renamed Airport")
        self.browser.wait(lambda: "Renamed Airport" in self.browser.texts("#results-table td.changed"),
                          "the change is not shown and highlighted")
        self.assertEqual(len(self.browser.texts("#results-table td.changed")), 1)

    def test_a_commit_changes_the_count(self):
        self.open_live(predicate="elevation > 20000")
        self.expect_count(0)
        self.set("country == 'NZ' AND icao BEGINSWITH 'NZW'", "elevation=25000")
        number = int(tool("query", self.copy, "Airport", "elevation > 20000", "--format", "count"))
        self.assertGreater(number, 0)
        self.expect_count(number)

    def test_a_commit_moves_the_dot(self):
        self.open_live(predicate="icao == 'NZWN'", view="174.8,-41.3,5")
        middle = "const point = globalThis.cadastre.map.pointAt({}, {}, 6); return point && point.count"
        box = self.browser.run("const box = document.querySelector('#map').getBoundingClientRect();"
                               "return [box.left, box.top]")

        def point_at(longitude, latitude):
            x, y = self.on_map(longitude, latitude)
            return self.browser.run(middle.format(x - box[0], y - box[1]))

        [old, new] = [(174.805, -41.327), (172.5, -43.5)]
        self.browser.wait(lambda: point_at(*old) == 1, "the place is not on the map")
        self.assertIsNone(point_at(*new))
        self.set("icao == 'NZWN'", f"location={new[0]},{new[1]}")
        self.browser.wait(lambda: point_at(*new) == 1, "the place did not move")
        self.assertIsNone(point_at(*old))

    def test_pages_that_were_left_do_not_use_up_the_connections(self):
        # A browser has six connections to a host, and keeps pages that were left.
        for number in range(9):
            self.open(server=self.live, predicate=f"elevation > {number}")
            self.browser.wait(lambda: self.browser.attribute("#status", "data-status") == "connected",
                              lambda: f"page {number + 1} is not connected")

    def test_a_lost_connection_is_shown_and_restored(self):
        self.open_live(predicate="country == 'NZ'")
        port = self.live.port
        self.live.stop()
        self.browser.wait(lambda: self.browser.attribute("#status", "data-status") == "lost", "the loss is not shown")
        self.assertEqual(self.browser.text("#status-text"), "Connection lost")
        self.set("icao == 'NZWN'", "country=XX")
        self.live = Server(self.copy, port)
        self.browser.wait(lambda: self.browser.attribute("#status", "data-status") == "connected",
                          "the connection is not restored")
        self.expect_count(int(tool("query", self.copy, "Airport", "country == 'NZ'", "--format", "count")))


if __name__ == "__main__":
    unittest.main()
