import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import support  # noqa: F401
from runner import figures, options, plot, queries, report


def times(*times):
    return {"ms": list(times), "summary": figures.summary(times), "hits": 10, "sum": "55"}


def results():
    return {
        "machine": {"date": "2030-01-02T03:04:05+00:00", "processor": "Some & Co <1>", "cores": 2,
                    "memoryBytes": 2**34, "load": 0.1, "system": "Linux", "kernel": "6", "swift": "Swift 6.3",
                    "cc": "cc 12", "python": "3.11", "sqlite": "3.40", "geos": "3.11", "commit": "abc",
                    "treeIsClean": False},
        "command": "Benchmarks/run", "places": 1_000_000, "rounds": 3, "minutes": 1.5, "complete": True,
        "engines": [{"key": "cadastre", "title": "Cadastre", "version": "1", "threads": 1,
                     "edges": ["spherical", "planar"], "note": ""},
                    {"key": "sqlite", "title": "SQLite", "version": "3", "threads": 1, "edges": ["planar"],
                     "note": "R*Tree"}],
        "questions": {
            "Q1": {"title": "circle", "hits": 10, "sum": "55",
                   "answers": {"cadastre": times(1, 2, 3), "sqlite": times(20, 24, 30)}},
            "Q8": {"title": "population >", "hits": 10, "sum": "55",
                   "answers": {"cadastre": times(4.0), "sqlite": {**times(1.0), "difference": "10 hits …"}}},
        },
        "cold": {"Q8": {"sqlite": [[float(30 + run + process) for run in range(10)] for process in range(3)]}},
        "limits": {"256": {"Q1": {"ms": [2.5] * 10, "peak": 301.2}}},
        "writing": {"W1": {"title": "all", "results": {"cadastre": {"seconds": 2.0, "count": 1_000_000,
                                                                     "bytes": 1}}},
                    "W4": {"title": "file", "results": {"cadastre": {"bytes": 120_000_000}}}},
        "threads": {"Q4, 2 readers": {"cadastre": {"perSecond": 500.0, "commitsPerSecond": None}}},
        "growth": {"10000": {"Q1": {"cadastre": {"median": 0.1, "hits": 1}, "sqlite": {"median": 1, "hits": 1}}},
                   "100000": {"Q1": {"cadastre": {"median": 0.3, "hits": 9}}}},
        "skipped": [{"engine": "PostGIS", "what": "all", "reason": "apt: postgis"}],
        "differences": [{"row": "Q8", "engine": "SQLite", "explained": True, "sentence": "10 hits …"}],
    }


class ReportTests(unittest.TestCase):
    def test_the_report_has_all_measurements(self):
        text = report.markdown(results(), {"ratios": Path("x-ratios.svg"), "growth": Path("x-growth.svg")})
        for part in ["| Q1 circle | 10 | **2.00** (1.00 to 3.00) | 24.0 ×12.0 |", "×0.250†",
                     "bound): Q8 (SQLite, 4.00 times).", "with uncommitted changes",
                     "2.00 s (500,000 rows/s)", "120.0 MB", "500/s", "| Q8 | 31.0, 32.0, 40.0 |", "| Q1 | 2.00 | 2.50, 2.50, 2.50; 301 MB |",
                     "PostGIS, all: apt: postgis",
                     "x-ratios.svg", "x-growth.svg", "4.3 synthetic places"]:
            self.assertIn(part, text)

    def test_the_times_of_an_earlier_run_are_repeated(self):
        before = {"commit": "0123abc", "medians": {"Q1": 98765.0}}
        text = report.markdown({**results(), "before": before}, {})
        self.assertIn("| before |", text)
        self.assertIn(figures.short(98765.0), text)
        self.assertIn("Cadastre at 0123abc", text)

    def test_an_incomplete_run_is_marked(self):
        changed = {**results(), "questions": {}, "growth": {}, "writing": {}, "cold": {}, "limits": {}, "threads": {},
                 "complete": False}
        self.assertIn("**not complete**", report.markdown(changed, {}))

    def test_joins_have_a_table(self):
        join = {"row": "J1", "title": "airports in countries", "points": 28298, "polygons": 177,
                "engines": [{"engine": "Cadastre, points first", "ms": 50.0, "pairs": 26830},
                            {"engine": "shapely", "ms": 20.0, "pairs": 26830}]}
        text = report.markdown({**results(), "joins": {"J1": join}}, {})
        self.assertIn("| J1 airports in countries | 28,298 | 26,830 |", text)
        self.assertIn("28,298 points, 177 polygons", report.join_line("J1", join))
        self.assertEqual(options.chosen("J2,Q1"), (["Q1"], [], ["J2"]))

    def test_plots_are_svg_with_the_names_of_all_engines(self):
        for draw, names in ((plot.ratios, ["SQLite"]), (plot.growth, ["Cadastre", "SQLite"])):
            drawing = draw(results())
            texts = [node.text for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith("text")]
            for name in names:
                self.assertIn(name, texts)

    def test_there_is_no_plot_without_data(self):
        changed = {**results(), "questions": {}, "growth": {}}
        self.assertIsNone(plot.ratios(changed))
        self.assertIsNone(plot.growth(changed))


class OptionsTests(unittest.TestCase):
    def test_a_query_brings_its_planar_row(self):
        self.assertEqual(options.chosen("Q4,Q1,W3"), (["Q1", "Q4", "Q4p"], ["W3"], []))
        self.assertEqual(options.chosen("Q4p"), (["Q4p"], [], []))
        with self.assertRaisesRegex(ValueError, "Q99"):
            options.chosen("Q99")

    def test_query_names_depend_on_the_edges_of_an_engine(self):
        self.assertEqual(queries.name_for("Q4p", ["spherical", "planar"]), "Q4p")
        self.assertEqual(queries.name_for("Q4p", ["planar"]), "Q4")
        self.assertIsNone(queries.name_for("Q4", ["planar"]))
        self.assertEqual(queries.name_for("Q1", ["planar"]), "Q1")


if __name__ == "__main__":
    unittest.main()
