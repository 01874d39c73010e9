import unittest

import support  # noqa: F401
from runner import figures, machine


class FiguresTests(unittest.TestCase):
    def test_median_and_quartiles(self):
        summary = figures.summary([5, 1, 4, 2, 3])
        self.assertEqual([summary[name] for name in ("min", "q1", "median", "q3", "max", "runs")],
                         [1, 2, 3, 4, 5, 5])

    def test_the_quartiles_of_one_time_are_equal(self):
        summary = figures.summary([7.5])
        self.assertEqual({summary[name] for name in ("min", "q1", "median", "q3", "max")}, {7.5})

    def test_numbers_have_three_significant_digits(self):
        for number, text in [(0.01234, "0.0123"), (0.1234, "0.123"), (0.99951, "1.00"), (1.234, "1.23"),
                             (12.34, "12.3"), (99.96, "100"), (12345.6, "12,346"), (None, "–")]:
            self.assertEqual(figures.short(number), text)

    def test_a_ratio_without_a_time_is_none(self):
        self.assertIsNone(figures.ratio(None, 1.0))
        self.assertIsNone(figures.ratio(1.0, None))
        self.assertEqual(figures.ratio(3.0, 1.5), 2.0)

    def test_a_processor_as_a_file_name(self):
        self.assertEqual(machine.slug("Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz"), "intel-core-i7-8700")


if __name__ == "__main__":
    unittest.main()
