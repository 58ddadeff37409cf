"""Waves through the real server: jobs of the kind, inline and on datasets, compared with the command line."""

import csv
import io
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import harness

SAMPLE = harness.ROOT / "deploy/samples/european_closes.csv"
SETTINGS = {"surrogates": 20, "top_n": 3, "days": 200}


def walks(symbols, bars):
    """Closes of random walks, a row a bar and symbol, by date: a symbol's rows lie apart."""
    chance = random.Random(5)
    price = {f"W{n}": 100.0 for n in range(symbols)}
    lines = ["symbol,close"]
    for _ in range(bars):
        for symbol in price:
            price[symbol] *= 1 + chance.gauss(0, 0.02)
            lines.append(f"{symbol},{price[symbol]:.6f}")
    return "\n".join(lines) + "\n"


class WavesJobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = harness.Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def submit(self, **args):
        reply = self.api.post("/v1/jobs", {"kind": "waves", "args": args})
        self.assertEqual(reply.status, 202, reply.body[:500])
        return reply.json["id"]

    def finished(self, job):
        ended = self.api.wait(job)
        self.assertEqual(ended["state"], "succeeded", ended)
        return self.api.get(f"/v1/jobs/{job}/report").json, self.api.results(job)

    def alone(self, file, **settings):
        """What the command line says of the same file, by symbol."""
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")]
        told = subprocess.run([harness.BIN / "plimsoll", "waves", str(file), "--format", "jsonl", *sets],
                              capture_output=True, text=True, timeout=120, check=True).stdout
        return {it["symbol"]: it for it in map(json.loads, told.splitlines())}

    def assert_same(self, report, rows, expected):
        """Rates of false discovery belong to all symbols: the report has them, the rows have not."""
        rates = {it["symbol"]: it["false_discovery_rate"] for it in report["summary"]["ranking"]}
        self.assertEqual([row["symbol"] for row in rows], list(expected))
        for row in rows:
            symbol = dict(expected[row["symbol"]])
            self.assertEqual(rates[row["symbol"]], symbol.pop("false_discovery_rate", None))
            self.assertEqual(row["report"], symbol)

    def test_a_job_reports_the_same_as_the_command_line(self):
        report, rows = self.finished(self.submit(prices=SAMPLE.read_text(), **SETTINGS))
        self.assert_same(report, rows, self.alone(SAMPLE, **SETTINGS))
        self.assertEqual(report["items"], {"total": 4, "ok": 4, "failed": 0})
        self.assertTrue(report["summary"]["complete"])

    def test_a_dataset_by_date_gives_the_same_as_the_file(self):
        text = walks(30, 400)  # 12,000 rows: more than one chunk, every symbol in each
        file = self.folder / "walks.csv"
        file.write_text(text)
        self.server.api()
        told = self.server.run("--json", "datasets", "upload", file).stdout
        dataset = json.loads(told)["id"]
        args = {"surrogates": 5, "top_n": 2}
        report, rows = self.finished(self.submit(dataset=dataset, **args))
        self.assert_same(report, rows, self.alone(file, **args))
        chosen, few = self.finished(self.submit(dataset=dataset, symbols=["W3", "W17"], **args))
        self.assertEqual([row["symbol"] for row in few], ["W3", "W17"])
        self.assertEqual(few[0]["report"], rows[3]["report"])
        newest = self.api.wait(self.submit(dataset="new:walks.csv", symbols=["W3"], **args))
        self.assertEqual(newest["args"]["dataset"], dataset, "which version it had")
        refused = self.api.post("/v1/jobs", {"kind": "waves", "args": {"dataset": dataset, "symbols": ["none"]}})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/args/symbols"))
        columns = {"close": "last"}
        refused = self.api.post("/v1/jobs", {"kind": "waves", "args": {"dataset": dataset, "columns": columns}})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/args/columns"))

    def test_broken_symbols_fail_alone(self):
        good = "".join(f"good,2024-01-{day:02},{10 + (day * 7) % 5}\n" for day in range(1, 31))
        bad = ("twice,2024-01-01,1\ntwice,2024-01-01,2\nback,2024-01-02,1\nback,2024-01-01,2\nback,2024-01-03,2\n"
               "zero,2024-01-01,0\ndear,2024-01-01,dear\nshort,2024-01-01,5\n")
        report, rows = self.finished(self.submit(prices="symbol,date,close\n" + good + bad))
        self.assertEqual(report["items"], {"total": 6, "ok": 1, "failed": 5})
        errors = {row["symbol"]: row["error"] for row in rows}
        self.assertIsNone(errors["good"])
        for symbol, words in (("twice", "occurs twice"), ("back", "must be sorted by date"), ("zero", "zero or negative"),
                              ("dear", "not a price"), ("short", "has 1 bar")):
            self.assertIn(words, errors[symbol])
        self.assertEqual(len(report["summary"]["errors"]), 5)
        results = f"/v1/jobs/{report['job_id']}/results"
        part = self.api.get(f"{results}.jsonl?offset=2&limit=3").body.splitlines()
        self.assertEqual([json.loads(line) for line in part], rows[2:5])
        self.assertEqual(self.api.get(f"{results}?offset=6").json["items"], [])
        self.assertEqual(self.api.get(f"{results}?limit=0").status, 400)
        table = self.api.get(f"/v1/jobs/{report['job_id']}/results.csv").body.decode()
        self.assertEqual([row["symbol"] for row in csv.DictReader(io.StringIO(table))], [row["symbol"] for row in rows])

    def wait_for_device(self, name):
        deadline = time.monotonic() + harness.PATIENCE
        while time.monotonic() < deadline:
            states = {it["device"]: it["state"] for it in self.api.get("/v1/devices").json["items"]}
            if states.get(name) == "ready":
                return
            time.sleep(0.1)
        self.fail(f"{name} is not ready: {states}")

    def test_a_device_finds_the_same_as_the_processor(self):
        self.wait_for_device("opencl:pocl:0")
        args = {"prices": walks(4, 120), "surrogates": 20}
        with_device, rows = self.finished(self.submit(**args, use_gpu=True))
        without, expected = self.finished(self.submit(**args, use_gpu=False))
        self.assertEqual(rows, expected)
        self.assertEqual(with_device["summary"]["ranking"], without["summary"]["ranking"])
        node = self.api.get("/v1/devices").json["items"][0]["node"]
        said = {"node": node, "symbols": 4, "surrogates": 80}
        self.assertEqual(with_device["summary"]["computed"],
                         [{"by": "opencl:pocl:0 (CPU flavour)", **said, "why": "use_gpu is true."}])
        self.assertEqual(without["summary"]["computed"], [{"by": "processor", **said, "why": ""}])

    def test_every_setting_of_the_command_line_is_an_argument(self):
        told = subprocess.run([harness.BIN / "plimsoll", "waves", "--keys"], capture_output=True, text=True,
                              timeout=60, check=True).stdout
        keys = {line.split(":")[0] for line in told.splitlines() if line[:1].strip()}
        self.assertIn("surrogates", keys)
        schema = (harness.ROOT / "openapi.yaml").read_text().split("\n    WavesArgs:\n")[1].split("\n    WavesSeries:\n")[0]
        known = {line.strip().split(":")[0] for line in schema.splitlines() if line[:8] == " " * 8 and line[8:9].isalpha()}
        self.assertEqual(keys - known, set())

    def test_invalid_settings_name_their_key(self):
        for key, value in (("max_overlap", 2), ("preset", "warp"), ("use_gpu", "maybe"), ("stars", 1), ("top_n", -1)):
            reply = self.api.post("/v1/jobs", {"kind": "waves", "args": {"prices": "close\n1\n", key: value}})
            self.assertEqual(reply.status, 422, (key, reply.body[:300]))
            self.assertIn("/args/" + key, reply.body.decode())

    def refused(self, path, body):
        """The pointers of what is wrong."""
        reply = self.api.post(path, body)
        self.assertEqual(reply.status, 422, reply.body[:500])
        return [error["pointer"] for error in reply.json["errors"]]

    def test_a_count_of_a_report_is_valid_when_checked(self):
        report, rows = self.finished(self.submit(prices=SAMPLE.read_text(), days=300, top_n=5))
        job = {"job_id": report["job_id"], "index": 2}
        for count in rows[2]["report"]["counts"]:
            told = self.api.post("/v1/waves-checks", {**job, "pattern": count["rule_name"], "direction": count["direction"],
                                                      "ends": count["pivots"]}).json
            self.assertTrue(told["valid"])
            for member in ("ensemble_score", "rarity", "rarity_text", "parts", "outlook", "wave_config", "pattern"):
                self.assertEqual(told[member], count[member])
            margins = {rule["name"]: rule["margin"] for rule in told["rules"]}
            for rule in count["rules"]:
                self.assertEqual(margins[rule["name"]], rule["margin"])
        count = rows[2]["report"]["counts"][0]
        ends = count["pivots"]
        body = {**job, "pattern": count["rule_name"], "direction": count["direction"]}
        wrong = self.api.post("/v1/waves-checks", {**body, "ends": [*ends[:-1], ends[-1] + 1]}).json
        self.assertFalse(wrong["valid"])
        self.assertIsNone(wrong["ensemble_score"])
        self.assertIn(f"wave_{wrong['ends'][-1]['label'].lower()}_ends_at_a_swing", [rule["name"] for rule in wrong["rules"] if not rule["holds"]])
        part = self.api.post("/v1/waves-checks", {**body, "ends": ends[:3]}).json
        self.assertEqual((part["valid"], part["waves_done"]), (True, 2))
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "ends": [ends[0], ends[0]]}), ["/ends/1"])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "ends": [0, ends[1]]}), ["/ends/0"])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "ends": ["soon", "later"]}), ["/ends/0", "/ends/1"])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "index": 4, "ends": ends}), ["/index"])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "pattern": "corrective", "ends": ends[:3]}), ["/pattern"])
        self.assertEqual(self.api.post("/v1/waves-checks", {**body, "job_id": "job_0000000000000", "ends": ends}).status, 404)

    def test_counts_are_checked_without_a_job(self):
        body = {"pattern": "zigzag", "direction": "up", "ends": ["2024-03-01", "2024-03-04", "2024-03-05", "2024-03-06"]}
        series = {"symbol": "A", "date": ["2024-03-01", "2024-03-04", "2024-03-05", "2024-03-06", "2024-03-07"],
                  "close": [10, 12, 11, 14, 13]}
        told = self.api.post("/v1/waves-checks", {**body, "series": [series]}).json
        self.assertTrue(told["valid"], told)
        self.assertEqual([end["label"] for end in told["ends"]], ["0", "A", "B", "C"])
        self.assertEqual([end["price"] for end in told["ends"]], [10, 12, 11, 14])
        self.assertEqual(self.refused("/v1/waves-checks", body), [""])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "prices": "close\n0\n"}), ["/prices"])
        self.assertEqual(self.refused("/v1/waves-checks", {**body, "prices": "symbol,close\na,1\nb,1\n"}), ["/prices"])

    def test_a_count_is_drawn_as_svg_and_png(self):
        report, rows = self.finished(self.submit(prices=SAMPLE.read_text(), days=300, top_n=2))
        pictures = f"/v1/jobs/{report['job_id']}/pictures"
        best = rows[1]["report"]["counts"][0]
        svg = self.api.get(f"{pictures}/1.svg")
        self.assertEqual((svg.status, svg.headers["Content-Type"]), (200, "image/svg+xml"))
        text = svg.body.decode()
        self.assertIn(f"SMI: {best['pattern']}, score {best['ensemble_score']:.3f}", text)
        for label in best["chart"]["labels"]:
            self.assertIn(f">{label}</text>", text)
        png = self.api.get(f"{pictures}/1.png")
        self.assertEqual((png.headers["Content-Type"], png.body[:8]), ("image/png", b"\x89PNG\r\n\x1a\n"))
        counts = len(rows[1]["report"]["counts"]) + len(rows[1]["report"]["in_progress"])
        self.assertEqual(self.api.get(f"{pictures}/1.svg?number={counts}").status, 200)
        self.assertEqual(self.api.get(f"{pictures}/1.svg?number={counts + 1}").status, 404)
        self.assertEqual(self.api.get(f"{pictures}/4.svg").status, 404)

    def test_new_bars_change_what_a_full_search_reports(self):
        closes = [line.split(",")[1] for line in SAMPLE.read_text().splitlines() if line.startswith("DAX,")][:400]
        told = lambda bars: "close\n" + "\n".join(bars) + "\n"
        before, _ = self.finished(self.submit(prices=told(closes[:390]), symbol="DAX", surrogates=5))
        replay = self.api.post("/v1/waves-replays", {"job_id": before["job_id"], "prices": told(closes[390:])})
        self.assertEqual(replay.status, 200, replay.body[:500])
        steps = replay.json["steps"]
        self.assertEqual([step["bar"] for step in steps], list(range(390, 400)))
        _, rows = self.finished(self.submit(prices=told(closes), symbol="DAX"))
        whole = rows[0]["report"]
        self.assertEqual(replay.json["report"]["counts"], whole["counts"])
        self.assertEqual(replay.json["report"]["in_progress"], whole["in_progress"])
        self.assertEqual(steps[-1]["full_search_nodes"], whole["scan_stats"]["nodes"])
        self.assertLess(sum(step["nodes"] for step in steps), sum(step["full_search_nodes"] for step in steps))
        alone = self.api.post("/v1/waves-replays", {"prices": told(closes), "symbol": "DAX", "last": 10}).json
        self.assertEqual(alone["steps"][1:], steps[1:])
        self.assertEqual(alone["report"], replay.json["report"])
        few = self.api.post("/v1/waves-replays", {"prices": told(closes[:8]), "last": 10}).json
        self.assertEqual([step["bar"] for step in few["steps"]], list(range(8)))
        self.assertEqual(self.refused("/v1/waves-replays", {"prices": told(["1"] * 2001)}), [""])

    def test_times_are_in_the_zone_of_the_series(self):
        rows = "".join(f"2024-03-{day:02} {hour:02}:30,{100 + (day * 7 + hour * 3) % 11}\n"
                       for day in range(28, 32) for hour in range(9, 17))
        args = {"prices": "date,close\n" + rows, "time_zone": "Europe/Berlin"}
        report, results = self.finished(self.submit(**args, starts="points"))
        told = results[0]["report"]
        self.assertEqual(told["time_zone"], "Europe/Berlin")
        # Clocks were put forward on the 31st.
        self.assertEqual((told["date_start"], told["date_end"]),
                         ("2024-03-28T09:30:00+01:00", "2024-03-31T16:30:00+02:00"))
        self.assertEqual(results[0]["prices"]["dates"][-1], told["date_end"])
        self.assertEqual(report["summary"]["ranking"][0]["date_end"], told["date_end"])
        self.assertIn("restricted (starts)", report["summary"]["rarity_note"])
        count = told["counts"][0]
        checked = self.api.post("/v1/waves-checks", {"job_id": report["job_id"], "pattern": count["rule_name"],
                                                     "direction": count["direction"], "ends": count["chart"]["dates"]}).json
        self.assertEqual([end["date"] for end in checked["ends"]], count["chart"]["dates"])
        days, results = self.finished(self.submit(prices="date,close\n2024-03-01,1\n2024-03-04,2\n2024-03-05,1\n2024-03-06,3\n",
                                                  time_zone="Europe/Berlin"))
        self.assertIsNone(results[0]["report"]["time_zone"])
        self.assertEqual(results[0]["date_start"], "2024-03-01")
        self.assertIsNone(days["summary"]["rarity_note"])

    def test_a_file_that_names_its_zone_keeps_it(self):
        rows = "".join(f"2024-03-04T{hour:02}:30-05:00,{100 + (hour * 7) % 11}\n" for hour in range(9, 17))
        _, results = self.finished(self.submit(prices="date,close\n" + rows))
        told = results[0]["report"]
        self.assertEqual((told["time_zone"], told["date_start"]), ("-05:00", "2024-03-04T09:30:00-05:00"))
        _, results = self.finished(self.submit(prices="date,close\n" + rows, time_zone="Asia/Tokyo"))
        self.assertEqual(results[0]["report"]["date_start"], "2024-03-04T23:30:00+09:00")

    def test_progress_moves_while_tasks_share_the_chance_series(self):
        job = self.submit(prices=walks(1, 400), surrogates=20000, top_n=1)
        stream = self.api.get(f"/v1/jobs/{job}/events", headers={"Accept": "text/event-stream"})
        told = [json.loads(line[len("data: "):]) for line in stream.body.decode().splitlines() if line.startswith("data: ")]
        shares = [it["progress"]["fraction"] for it in told if "progress" in it]
        self.assertEqual(shares, sorted(shares))
        self.assertEqual(shares[-1], 1)
        self.assertTrue([share for share in shares if 0 < share < 1], shares)

    def test_the_command_line_submits_a_file(self):
        self.server.api()
        told = self.server.run("submit", "waves", SAMPLE, "--set", "days=150", "--set", "surrogates=10", "--watch").stdout
        for word in ("DAX", "SMI", "CAC", "FTSE", "chance series"):
            self.assertIn(word, told)
        config = self.folder / "configs.yaml"
        config.write_text("days: 365\nmax_weeks: 12\nmax_windows: 5\nmax_start_points: 8\ncpu_top_k: 256\n")
        told = self.server.run("submit", "waves", SAMPLE, "--config", config, "--set", "max_windows=7", "--watch", "--json")
        report = self.api.get(f"/v1/jobs/{json.loads(told.stdout)['id']}/report").json["summary"]
        self.assertEqual(report["windows"], 4 * 7)
        self.assertEqual([note["key"] for note in report["ignored_settings"]], ["cpu_top_k"])
        config.write_text("stars: 1\n")
        wrong = self.server.run("submit", "waves", SAMPLE, "--config", config, check=False)
        self.assertEqual(wrong.returncode, 2, wrong.stderr)
        self.assertIn("stars", wrong.stderr)


class WithoutCairo(unittest.TestCase):
    def test_png_names_the_missing_library_and_svg_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "libcairo.so.2").write_text("")  # found first, and no library
            with unittest.mock.patch.dict(os.environ, {"LD_LIBRARY_PATH": folder}):
                server = harness.Server().start()
            self.addCleanup(server.remove)
            api = server.api()
            reply = api.post("/v1/jobs", {"kind": "waves", "args": {"prices": walks(1, 60)}})
            job = reply.json["id"]
            self.assertEqual(api.wait(job)["state"], "succeeded")
            png = api.get(f"/v1/jobs/{job}/pictures/0.png")
            self.assertEqual((png.status, png.headers["Content-Type"]), (503, "application/problem+json"))
            self.assertIn("PNG needs the library cairo", png.json["detail"])
            self.assertEqual(api.get(f"/v1/jobs/{job}/pictures/0.svg").headers["Content-Type"], "image/svg+xml")


if __name__ == "__main__":
    unittest.main()
