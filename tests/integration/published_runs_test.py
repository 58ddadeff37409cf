"""What an estimate says of compiled runs and of FP8: the range of its errors on published runs, computed anew."""

import pathlib
import re
import sys
import unittest

from harness import BIN

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench/training"))

import published


class TestPublishedRuns(unittest.TestCase):
    def test_the_named_ranges_are_those_of_the_rows(self):
        rows = [(row, published.answered(BIN / "plimsoll", row)) for row in published.rows() if row.kind == published.COMPILED]
        for option, what in ("compile", "Compiling"), ("fp8", "FP8"):
            errors = [published.figure(row, told) / row.published * 100 - 100 for row, told in rows if row.args["training"].get(option)]
            (told,) = {limit for row, told in rows if row.args["training"].get(option)
                       for limit in told["limits"] if limit.startswith(what)}
            count, low, high = re.search(r"of (\d+) published .* between (.*) % low and (.*) % high", told).groups()
            self.assertEqual((count, low, high), (str(len(errors)), f"{-min(errors):.1f}", f"{max(errors):.1f}"), told)


if __name__ == "__main__":
    unittest.main()
