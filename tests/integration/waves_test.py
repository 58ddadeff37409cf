"""`plimsoll waves` on files, without a server: its output in every format, and its errors."""

import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLIMSOLL = pathlib.Path(os.environ["PLIMSOLL_BIN"]) / "plimsoll"
PRICES = ROOT / "tests/unit/engine/waves/data/RW00.csv"

# The wave pipeline's configs_high_perf.yaml.
GUIDE = """\
days: 365
slide_weeks: 1
min_weeks: 4
max_weeks: 12
grow_weeks: 1
up_to: 20
top_n: 10
delay: 0.1
processes: 30
concurrency: 30
max_combinations: 500000
max_windows: 2000
cpu_batch_size: 2048
cpu_top_k: 256
window_overlap_ratio: 0.5
enable_multi_start: true
max_start_points: 8
scan_pattern_types: all
use_gpu: true
gpu_batch_size: 20000
gpu_enabled_stages: [fibonacci_scoring, rule_checking, ensemble_scoring]
use_shared_memory: true
chunk_size: 0
min_volatility: 0
skip_flat_windows: true
profile: true
save_images: false
save_images_top_n: 1
out_dir: output
pre_score_top_k: 10000
pre_score_threshold: 0.1
pre_score_weights: [0.4, 0.3, 0.2, 0.1]
"""


class Waves(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def waves(self, *arguments, code=0, env=None):
        told = subprocess.run([PLIMSOLL, "waves", *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=600, check=False, env={**os.environ, **(env or {})})
        self.assertEqual(told.returncode, code, told.stderr)
        return told.stdout if code in (0, 1) else told.stderr

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_columns_of_other_names_are_chosen(self):
        rows = list(csv.DictReader(io.StringIO(PRICES.read_text("utf-8"))))
        lines = ["Datum;Wert;Stück", *(f"{row['Date']};{row['Close']};1" for row in rows)]
        prices = self.file("kurse.csv", "\n".join(lines) + "\n")
        wrong = self.waves(prices, code=2)
        self.assertIn('There is no column "close". The columns are: "Datum", "Wert", "Stück".', wrong)
        wrong = self.waves(prices, "--column", "close=Wrt", code=2)
        self.assertIn('Did you mean "Wert"?', wrong)
        self.assertIn("--column must be", self.waves(prices, "--column", "volume=x", code=2))
        chosen = self.waves(prices, "--column", "close=Wert", "--column", "date=Datum", "--format", "json")
        self.assertEqual(len(json.loads(chosen)["symbols"]), 1)

    def test_all_formats_hold_the_same_counts(self):
        whole = json.loads(self.waves(PRICES, "--format", "json"))["symbols"][0]
        line = json.loads(self.waves(PRICES, "--format", "jsonl"))
        self.assertEqual(whole, line)
        self.assertTrue(whole["scan_stats"]["complete"])
        rows = list(csv.DictReader(io.StringIO(self.waves(PRICES, "--format", "csv"))))
        ranked = sorted((row for row in rows if row["rank"]), key=lambda row: int(row["rank"]))
        self.assertEqual(ranked[0]["pivots"].split(), [str(bar) for bar in whole["counts"][0]["pivots"]])
        self.assertNotIn(None, [*rows[0], *rows[0].values()], "as many cells as columns")
        self.assertEqual([row["live"] == "true" for row in rows],
                         [place < len(whole["live"]) for place in range(len(rows))], "what is live comes first")
        self.assertEqual([row["pivots"].split() for row in rows[:len(whole["live"])]],
                         [[str(bar) for bar in count["pivots"]] for count in whole["live"]])
        for column in ("ensemble_score", "rarity", "expected_by_chance"):
            self.assertEqual([float(row[column]) for row in ranked], [count[column] for count in whole["counts"]])
        listed = [count["pivots"] for count in whole["counts"] + whole["in_progress"]]
        others = [count for count in whole["live"] if count["pivots"] not in listed]
        self.assertEqual(len(rows) - len(ranked), len(whole["in_progress"]) + len(others))
        self.assertIn("complete: yes", self.waves(PRICES))

    def test_every_valid_count_of_the_compatible_mode(self):
        rows = self.waves(PRICES, "--set", "mode=compatible", "--set", "up_to=15", "--set", "top_n=0",
                          "--format", "csv").splitlines()
        self.assertEqual(len(rows), 1 + 1416)

    def test_a_configuration_of_the_guide(self):
        config = self.file("configs_high_perf.yaml", GUIDE)
        told = json.loads(self.waves(PRICES, "--config", config, "--format", "json"))
        # As in the guide: windows of 84 bars, of the last 365 days, from chosen starts.
        stats = told["symbols"][0]["scan_stats"]
        self.assertGreater(stats["windows"], 50)
        self.assertLessEqual(stats["starts"], 2 * 8 * stats["windows"])
        preset = json.loads(self.waves(PRICES, "--preset", "high-perf", "--format", "json"))
        self.assertEqual(told["symbols"][0]["counts"], preset["symbols"][0]["counts"])
        self.assertEqual({note["key"] for note in told["ignored_settings"]}, {
            "use_gpu", "grow_weeks", "delay", "concurrency", "cpu_batch_size", "cpu_top_k", "gpu_batch_size",
            "gpu_enabled_stages", "use_shared_memory", "chunk_size", "save_images_top_n"})
        self.assertIn(" RW00\n", (self.folder / "output/profile_waves.txt").read_text())
        whole = json.loads(self.waves(PRICES, "--config", config, "--set", "windows=whole", "--format", "json"))
        self.assertEqual(whole["symbols"][0]["scan_stats"]["windows"], 1)
        self.assertIn("max_windows", [note["key"] for note in whole["ignored_settings"]])
        self.assertNotIn("max_windows", whole["rarity_note"])
        self.assertIn("max_start_points", self.waves(PRICES, "--set", "max_start_points=0", code=2))
        self.assertIn("no setting", self.waves(PRICES, "--set", "stars=1", code=2))
        self.assertIn("no preset", self.waves(PRICES, "--preset", "warp", code=2))
        self.assertIn("has no settings", self.waves(PRICES, "--config", self.file("list.yaml", "- 1\n"), code=2))

    def test_a_list_of_tickers(self):
        path = self.file("many.csv", "symbol,close\n" + "".join(
            f"{symbol},{10 + (i * 7) % 5}\n" for symbol in "ABC" for i in range(40)))
        tickers = self.file("tickers.txt", "# two of them\nA\nC  # the last\n")
        told = json.loads(self.waves(path, "--symbols", tickers, "--format", "json"))
        self.assertEqual([symbol["symbol"] for symbol in told["symbols"]], ["A", "C"])
        self.assertIn('no symbol "D"', self.waves(path, "--symbols", f"D,{tickers}", code=2))
        table = self.file("tickers.csv", "name;Ticker\nAlpha;A\nGamma;C\n")
        self.assertEqual([it["symbol"] for it in json.loads(self.waves(path, "--symbols", table, "--format", "json"))["symbols"]], ["A", "C"])
        self.assertIn('no symbols "D", "E"', self.waves(path, "--symbols", "E,A,D", code=2))
        self.assertIn('no column "symbol" or "ticker"', self.waves(path, "--symbols", self.file("other.csv", "a,b\n1,2\n"), code=2))
        self.assertIn("lists no symbols", self.waves(path, "--symbols", self.file("none.txt", "#\n"), code=2))
        self.assertIn("none-here.txt", self.waves(path, "--symbols", "none-here.txt", code=2))

    def test_charts(self):
        self.waves(PRICES, "--set", "save_images=true", "--set", "save_images_top_n=2", "--set", "out_dir=charts")
        charts = sorted((self.folder / "charts").iterdir())
        self.assertEqual([chart.name for chart in charts], ["RW00-1.svg", "RW00-2.svg"])
        for chart in charts:
            self.assertTrue(xml.parse(chart).getroot().tag.endswith("svg"))
        self.waves(PRICES, "--set", "save_images=true", "--images", "png", "--set", "out_dir=pictures")
        picture, = (self.folder / "pictures").iterdir()
        self.assertEqual((picture.name, picture.read_bytes()[:8]), ("RW00-1.png", b"\x89PNG\r\n\x1a\n"))

    def test_without_cairo_png_says_what_is_missing(self):
        self.file("libcairo.so.2", "")  # found first, and no library
        told = self.waves(PRICES, "--set", "save_images=true", "--images", "png", code=2,
                          env={"LD_LIBRARY_PATH": str(self.folder)})
        self.assertIn("PNG needs the library cairo", told)

    def test_broken_symbols_beside_good_ones(self):
        good = "".join(f"good,{10 + (i * 7) % 5}\n" for i in range(40))
        path = self.file("many.csv", "symbol,close\n" + good + "bad,0\nshort,1\n")
        told = {it["symbol"]: it for it in json.loads(self.waves(path, "--format", "json"))["symbols"]}
        self.assertIn("zero or negative", told["bad"]["errors"][0]["message"])
        self.assertEqual(told["bad"]["errors"][0]["line"], 42)
        self.assertIn("1 bar;", told["short"]["errors"][0]["message"])
        self.assertEqual(told["good"]["bars"], 40)
        row, = csv.DictReader(io.StringIO(self.waves(path, "--symbols", "bad", "--format", "csv", code=1)))
        self.assertEqual((row["symbol"], row["error"][:9], row["start"]), ("bad", "line 42: ", ""))
        self.assertIn("no symbol", self.waves(path, "--symbols", "none", code=2))
        self.assertIn("close", self.waves(self.file("x.csv", "date,low,volume\n1,2,3\n"), code=2))

    def test_a_user_drawn_count(self):
        check = ("--set", "mode=compatible", "--check")
        self.assertIn("valid, score 0.9920", self.waves(PRICES, *check, "impulse down 38,45,48,57,76,84"))
        told = json.loads(self.waves(PRICES, *check, "impulse down 38,45,48,57,76,85", "--format", "json", code=1))
        self.assertFalse(told["valid"])
        self.assertTrue([rule for rule in told["rules"] if not rule["holds"]])
        self.assertIn("Give 2 to 6 ends", self.waves(PRICES, *check, "impulse down 38,45,48,57,76,84,90", code=2))
        self.assertIn("3 of 5 waves", self.waves(PRICES, *check, "impulse down 38,45,48,57"))

    def test_bars_one_by_one(self):
        told = [json.loads(line) for line in self.waves(PRICES, "--replay", "30", "--format", "jsonl").splitlines()]
        self.assertEqual([step["bar"] for step in told], list(range(470, 500)))
        self.assertLess(sum(step["nodes"] for step in told), sum(step["full_search_nodes"] for step in told))
        whole = json.loads(self.waves(PRICES, "--format", "jsonl"))
        self.assertEqual(told[-1]["full_search_nodes"], whole["scan_stats"]["nodes"])
        self.assertEqual(told[-1]["best"]["pivots"], whole["counts"][0]["pivots"])
        self.assertIn("starts searched", self.waves(PRICES, "--replay", "1"))
        self.assertIn("surrogates", self.waves(PRICES, "--replay", "1", "--set", "surrogates=5", code=2))

    def test_bars_that_are_appended(self):
        rows = PRICES.read_text().splitlines(keepends=True)
        path = self.file("growing.csv", "".join(rows[:-2]))
        following = subprocess.Popen([PLIMSOLL, "waves", str(path), "--follow", "--replay", "1", "--format", "jsonl"],
                                     stdout=subprocess.PIPE, text=True)
        self.addCleanup(following.stdout.close)
        self.addCleanup(following.wait)
        self.addCleanup(following.kill)
        self.assertEqual(json.loads(following.stdout.readline())["bar"], 497)
        for bar, row in ((498, rows[-2]), (499, rows[-1])):
            with path.open("a", encoding="utf-8") as file:
                file.write(row[:7])  # a line that is still being written is not read
                file.flush()
                file.write(row[7:])
            self.assertEqual(json.loads(following.stdout.readline())["bar"], bar)
        self.assertIsNone(following.poll())

    def test_the_sample(self):
        told = self.waves(ROOT / "deploy/samples/european_closes.csv", "--set", "profile=true")
        for symbol in ("DAX", "SMI", "CAC", "FTSE"):
            self.assertIn(f"{symbol}  1860 bars", told)
        self.assertIn("CPU time", told)

    def test_significance_is_the_same_every_time(self):
        command = (PRICES, "--set", "surrogates=40", "--format", "csv")
        self.assertEqual(self.waves(*command, "--set", "processes=1"), self.waves(*command, "--set", "processes=3"))


if __name__ == "__main__":
    unittest.main()
