import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import support  # noqa: F401
from runner.catalogue import Entry
from runner.engine import Engine, EngineError
from runner.engine_group import EngineGroup, Member, repetitions

HELLO = """
import json, os, sys, time
def say(**reply): print(json.dumps(reply), flush=True)
say(engine="fake", version="1", threads=1, edges=["spherical"])
received = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "quit": break
"""


class EngineTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def program(self, name, body):
        path = self.folder / f"{name}.py"
        path.write_text(HELLO + textwrap.indent(textwrap.dedent(body), "    "), encoding="utf-8")
        return [sys.executable, path]

    def engine(self, body):
        engine = Engine(self.program("engine", body), (), self.folder, self.folder / "work")
        self.addCleanup(engine.stop)
        return engine

    def group(self, **bodies):
        """Returns a group of loaded engines, and its notes."""
        notes = []
        group = EngineGroup(lambda text: None, notes)
        for name, body in bodies.items():
            entry = Entry(name, name, None)
            group.members.append(Member(entry, self.program(name, body), self.folder, self.folder / name))
        self.addCleanup(group.stop)
        group.load()
        return group, notes

    def test_a_command_gets_its_reply(self):
        self.assertEqual(self.engine("say(words=words)").send("query", "Q1", 1), {"words": ["query", "Q1", "1"]})

    def test_a_crash_reports_the_last_line_of_the_log(self):
        with self.assertRaisesRegex(EngineError, "status 3.*out of cheese"):
            self.engine("print('out of cheese', file=sys.stderr, flush=True); os._exit(3)").send("load")

    def test_a_timeout_stops_the_engine(self):
        engine = self.engine("time.sleep(60)")
        with self.assertRaisesRegex(EngineError, "no reply"):
            engine.send("load", timeout=0.2)
        self.assertIsNotNone(engine.process.poll())

    def test_an_invalid_reply_is_an_error(self):
        with self.assertRaisesRegex(EngineError, "invalid reply"):
            self.engine("print('hello', flush=True)").send("load")

    def test_a_failed_engine_is_recorded_and_restarted(self):
        group, notes = self.group(
            good="say(seconds=1, ms=[1.0], hits=2, sum='3')",
            bad="""
            if words[0] == "query" and words[1] == "Q1": os._exit(1)
            say(seconds=1, ms=[2.0], hits=2, sum='3')
            """)
        results = group.run_query("Q1", 3)
        self.assertEqual(list(results), ["good"])
        self.assertEqual(results["good"]["ms"], [1.0, 1.0, 1.0])
        self.assertEqual([(note["engine"], note["what"]) for note in notes], [("bad", "Q1")])
        # It was restarted.
        self.assertEqual(group.run_query("Q2", 1)["bad"]["ms"], [2.0])

    def test_slow_queries_have_fewer_rounds(self):
        group, _ = self.group(slow="say(seconds=1, ms=[5000.0], hits=0, sum='0')")
        self.assertEqual(len(group.run_query("Q1", 7, budget=12)["slow"]["ms"]), 2)
        self.assertEqual(len(group.run_query("Q1", 7, budget=1)["slow"]["ms"]), 1)

    def test_an_iteration_repeats_a_short_query(self):
        group, _ = self.group(quick="""
            runs = int(words[2]) if words[0] == "query" else 1
            say(seconds=1, ms=[9.0] + [1.0] * (runs - 1) if runs > 1 else [5.0], hits=0, sum='0')
            """)
        result = group.run_query("Q1", 3)["quick"]
        # Five repetitions after a warm-up of 5 ms, then 25 of 1 ms.
        self.assertEqual(result["answersInATurn"], 25)
        self.assertEqual(result["ms"], [1.0, 1.0, 1.0])
        self.assertEqual(result["first"], [9.0, 9.0, 9.0])
        self.assertEqual([repetitions(ms) for ms in (0, 0.01, 10, 25, 1000)], [25, 25, 2, 1, 1])

    def test_changing_results_are_unsteady(self):
        group, _ = self.group(odd="received += 1; say(seconds=1, ms=[1.0], hits=received, sum='0')")
        self.assertTrue(group.run_query("Q1", 2)["odd"]["unsteady"])

    def test_averages_may_differ_in_the_last_digit(self):
        group, _ = self.group(odd="received += 1; say(seconds=1, ms=[1.0], hits=1, sum=str(2.5 + received * 1e-15))")
        self.assertNotIn("unsteady", group.run_query("Q14", 2)["odd"])

    def test_a_skipped_query_is_recorded_once(self):
        group, notes = self.group(none="""
            say(**({"seconds": 1} if words[0] == "load" else {"skip": "no such thing"}))
            """)
        self.assertEqual(group.run_query("Q1", 5), {})
        self.assertEqual([note["reason"] for note in notes], ["no such thing"])

    def test_queries_with_unsupported_edges_are_not_run(self):
        group, notes = self.group(sphere="say(seconds=1, ms=[1.0], hits=0, sum='0')")
        self.assertEqual(group.run_query("Q4p", 1), {})
        self.assertIn("sphere", group.run_query("Q4", 1))
        self.assertEqual(notes, [])


if __name__ == "__main__":
    unittest.main()
