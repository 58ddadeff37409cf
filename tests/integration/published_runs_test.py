"""What an estimate says of compiled runs and of FP8: the range of its errors on published runs, computed anew."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import BIN

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench/training"))

import published


TORCHTITAN = """[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 2048
[parallelism]
data_parallel_shard_degree = 8
"""


class TestPublishedRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = [(row, published.answered(BIN / "plimsoll", row)) for row in published.rows()
                    if row.kind == published.COMPILED or row.source == published.TITAN]

    def test_torchtitans_files_name_the_range_of_its_runs(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(TORCHTITAN)
            file.flush()
            told = subprocess.run([BIN / "plimsoll", "--json", "show-config", file.name, "--preset", "llama-8b", "--gpu", "h100_80gb"],
                                  capture_output=True, text=True).stdout
        note = json.loads(told)["notes"][0]
        took = [row.published / published.figure(row, told) * 100 - 100 for row, told in self.rows if row.source == published.TITAN]
        count, less, more = re.search(r"(\d+) published .* from (.*) % less to (.*) % more", note).groups()
        self.assertEqual((count, less, more), (str(len(took)), f"{-min(took):.1f}", f"{max(took):.1f}"), note)

    def test_the_named_ranges_are_those_of_the_rows(self):
        rows = [(row, told) for row, told in self.rows if row.kind == published.COMPILED]
        for option, what in ("compile", "Compiling"), ("fp8", "FP8"):
            errors = [published.figure(row, told) / row.published * 100 - 100 for row, told in rows if row.args["training"].get(option)]
            (told,) = {limit for row, told in rows if row.args["training"].get(option)
                       for limit in told["limits"] if limit.startswith(what)}
            count, low, high = re.search(r"of (\d+) published .* between (.*) % low and (.*) % high", told).groups()
            self.assertEqual((count, low, high), (str(len(errors)), f"{-min(errors):.1f}", f"{max(errors):.1f}"), told)


if __name__ == "__main__":
    unittest.main()
