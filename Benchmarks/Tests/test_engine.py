import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

import support  # noqa: F401
from runner.catalogue import Entry
from runner.engine import Engine, EngineError
from runner.fleet import Fleet, Member, answers_in_a_turn

HELLO = """
import json, os, sys, time
def say(**reply): print(json.dumps(reply), flush=True)
say(engine="fake", version="1", threads=1, edges=["spherical"])
asked = 0
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

    def fleet(self, **bodies):
        """A fleet of engines that are loaded, and its notes."""
        notes = []
        fleet = Fleet(lambda text: None, notes)
        for name, body in bodies.items():
            entry = Entry(name, name, None)
            fleet.members.append(Member(entry, self.program(name, body), self.folder, self.folder / name))
        self.addCleanup(fleet.stop)
        fleet.load()
        return fleet, notes

    def test_a_command_gets_its_reply(self):
        self.assertEqual(self.engine("say(words=words)").tell("ask", "Q1", 1), {"words": ["ask", "Q1", "1"]})

    def test_a_crash_is_told_with_its_last_words(self):
        with self.assertRaisesRegex(EngineError, "status 3.*out of cheese"):
            self.engine("print('out of cheese', file=sys.stderr, flush=True); os._exit(3)").tell("load")

    def test_a_long_silence_ends_the_engine(self):
        engine = self.engine("time.sleep(60)")
        with self.assertRaisesRegex(EngineError, "no answer"):
            engine.tell("load", patience=0.2)
        self.assertIsNotNone(engine.process.poll())

    def test_noise_is_no_reply(self):
        with self.assertRaisesRegex(EngineError, "no reply"):
            self.engine("print('hello', flush=True)").tell("load")

    def test_one_that_falls_is_noted_and_the_others_go_on(self):
        fleet, notes = self.fleet(
            good="say(seconds=1, ms=[1.0], hits=2, sum='3')",
            bad="""
            if words[0] == "ask" and words[1] == "Q1": os._exit(1)
            say(seconds=1, ms=[2.0], hits=2, sum='3')
            """)
        answers = fleet.ask("Q1", 3)
        self.assertEqual(list(answers), ["good"])
        self.assertEqual(answers["good"]["ms"], [1.0, 1.0, 1.0])
        self.assertEqual([(note["engine"], note["what"]) for note in notes], [("bad", "Q1")])
        # It came back.
        self.assertEqual(fleet.ask("Q2", 1)["bad"]["ms"], [2.0])

    def test_slow_answers_get_fewer_rounds(self):
        fleet, _ = self.fleet(slow="say(seconds=1, ms=[5000.0], hits=0, sum='0')")
        self.assertEqual(len(fleet.ask("Q1", 7, budget=12)["slow"]["ms"]), 2)
        self.assertEqual(len(fleet.ask("Q1", 7, budget=1)["slow"]["ms"]), 1)

    def test_short_questions_are_asked_several_times_in_a_turn(self):
        fleet, _ = self.fleet(quick="""
            runs = int(words[2]) if words[0] == "ask" else 1
            say(seconds=1, ms=[9.0] + [1.0] * (runs - 1) if runs > 1 else [5.0], hits=0, sum='0')
            """)
        answer = fleet.ask("Q1", 3)["quick"]
        # Five after a warm-up of 5 ms, then 25 of 1 ms.
        self.assertEqual(answer["answersInATurn"], 25)
        self.assertEqual(answer["ms"], [1.0, 1.0, 1.0])
        self.assertEqual(answer["first"], [9.0, 9.0, 9.0])
        self.assertEqual([answers_in_a_turn(ms) for ms in (0, 0.01, 10, 25, 1000)], [25, 25, 2, 1, 1])

    def test_answers_that_change_are_unsteady(self):
        fleet, _ = self.fleet(odd="asked += 1; say(seconds=1, ms=[1.0], hits=asked, sum='0')")
        self.assertTrue(fleet.ask("Q1", 2)["odd"]["unsteady"])

    def test_averages_may_differ_in_the_last_place(self):
        fleet, _ = self.fleet(odd="asked += 1; say(seconds=1, ms=[1.0], hits=1, sum=str(2.5 + asked * 1e-15))")
        self.assertNotIn("unsteady", fleet.ask("Q14", 2)["odd"])

    def test_what_is_skipped_is_noted_once_a_question(self):
        fleet, notes = self.fleet(none="""
            say(**({"seconds": 1} if words[0] == "load" else {"skip": "no such thing"}))
            """)
        self.assertEqual(fleet.ask("Q1", 5), {})
        self.assertEqual([note["reason"] for note in notes], ["no such thing"])

    def test_edges_that_an_engine_lacks_are_not_asked(self):
        fleet, notes = self.fleet(sphere="say(seconds=1, ms=[1.0], hits=0, sum='0')")
        self.assertEqual(fleet.ask("Q4p", 1), {})
        self.assertIn("sphere", fleet.ask("Q4", 1))
        self.assertEqual(notes, [])


if __name__ == "__main__":
    unittest.main()
