"""The command line as a new user meets it: real-world files, typing errors, exit statuses for programs."""

import json
import socket
import subprocess
import unittest

from harness import BIN, Server


class FirstHour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def call(self, *arguments, status=0):
        done = self.server.run(*arguments, check=False)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def file(self, name, text):
        path = self.server.folder / name
        path.write_text(text, "utf-8")
        return path

    def test_tables_are_read_as_they_are_separated(self):
        for name, text in (("a.csv", "text;custom_id;region\ngood, very good;7;EU\n"),
                           ("b.tsv", "custom_id\ttext\n7\tgood, very good\n"),
                           ("c.csv", 'text,custom_id\n"good, very good",7\n')):
            done = self.call("submit", "sentiment", self.file(name, text), "--watch", "--json")
            self.assertIn("1 record; columns: ", done.stderr)
            [row] = self.api.results(json.loads(done.stdout)["id"])
            self.assertEqual((row["text"], row["custom_id"]), ("good, very good", "7"), name)
        self.assertIn("not sent: region", self.call("submit", "sentiment", self.server.folder / "a.csv").stderr)

    def test_a_dataset_is_read_as_it_is_separated(self):
        path = self.file("large.csv", "text;custom_id\n" + "calm, sunny;1\n" * 10_001)
        done = self.call("submit", "sentiment", path, "--watch", "--json")
        rows = self.api.results(json.loads(done.stdout)["id"])
        self.assertEqual((len(rows), rows[-1]["text"], rows[-1]["custom_id"]), (10_001, "calm, sunny", "1"))

    def test_an_invalid_file_names_the_error_and_the_flag(self):
        told = self.call("submit", "sentiment", self.file("d.csv", "headline,id\nup,1\n"), status=2).stderr
        self.assertIn('"headline"', told)
        self.assertIn("--column text=COLUMN", told)
        self.assertIn("no records", self.call("submit", "sentiment", self.file("e.csv", "text\n"), status=2).stderr)
        self.assertIn("--column must be", self.call("submit", "sentiment", self.file("f.csv", "text\nx\n"), "--column",
                                                  "text", status=2).stderr)

    def test_a_file_without_a_header_line(self):
        path = self.file("i.csv", "7;good, very good\n8;bad\n")
        done = self.call("submit", "sentiment", path, "--column", "text=#2", "--column", "custom_id=#1", "--watch", "--json")
        self.assertIn("2 records; columns: #1, #2; separator: \";\"", done.stderr)
        rows = self.api.results(json.loads(done.stdout)["id"])
        self.assertEqual([(row["text"], row["custom_id"]) for row in rows], [("good, very good", "7"), ("bad", "8")])
        self.assertIn("by its number: #1", self.call("submit", "sentiment", path, status=2).stderr)
        self.assertIn('"#3"', self.call("submit", "sentiment", path, "--column", "text=#3", status=2).stderr)
        long = self.file("j.csv", "1;calm\n" * 10_001)
        self.assertIn("needs a header line", self.call("submit", "sentiment", long, "--column", "text=#2", status=2).stderr)

    def test_a_file_for_another_kind(self):
        texts = self.file("k.csv", "text\ncalm\n")
        for kind in ("training-config", "profile"):
            self.assertIn("does not accept a file of records", self.call("submit", kind, texts, status=2).stderr)
            self.assertIn("--column, --keep and --group-by have no effect", self.call("submit", kind, texts, "--column", "text=a", status=2).stderr)
        self.assertIn('"text"', self.call("submit", "waves", texts, "--watch", status=2).stderr)

    def test_priorities_are_words_or_numbers(self):
        texts = self.file("l.jsonl", json.dumps({"text": "calm"}))
        for given, number in ((None, 0), ("normal", 0), ("low", -5), ("high", 5), ("highest", 10), ("3", 3)):
            flag = ("--priority", given) if given else ()
            job = json.loads(self.call("submit", "sentiment", texts, "--json", *flag).stdout)
            self.assertEqual(job["priority"], number)
        for wrong in ("urgent", "11"):
            self.assertIn("low, normal, high", self.call("submit", "sentiment", texts, "--priority", wrong, status=2).stderr)

    def test_doctor_reports_servers_and_settings(self):
        there = self.call("doctor", "--data", self.server.folder / "data").stdout
        self.assertIn("Signed in to " + self.server.base, there)
        self.assertIn("VADER; no published model", there)
        self.assertIn("The default GPU of estimates is rtx_4090", there)
        self.assertNotIn(f"add --data {self.server.folder / 'data'}", there)
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"http://127.0.0.1:{other.getsockname()[1]}/api/generate"
            answers = self.server.run("doctor", env={"LLM_ENDPOINT_URL": address}, check=False).stdout
            self.assertRegex(answers, r"The endpoint at 127\.0\.0\.1:\d+ responds")
        away = self.server.run("doctor", "--data", self.server.folder / "elsewhere", check=False,
                               env={"LLM_ENDPOINT_URL": address, "PLIMSOLL_SERVER": "http://127.0.0.1:1",
                                    "PLIMSOLL_TOKEN": "plm_api_x"}).stdout
        self.assertIn(f"add --data {self.server.folder / 'data'}", away)
        self.assertIn("does not respond: Connection refused", away)
        self.assertIn("choose another one with `plimsoll use`", away)
        self.assertFalse((self.server.folder / "elsewhere").exists())

    def test_the_bundle_of_a_bug_report_holds_no_secrets(self):
        canary = "canary-7f3a91"
        bundle = self.server.folder / "bundle.json"
        done = self.server.run("doctor", "--bundle", bundle, check=False, env={
            "PLIMSOLL_DATABASE_URL": f"postgresql://user:{canary}@127.0.0.1:1/db", "PLIMSOLL_TOKEN": canary,
            "PLIMSOLL_SERVER": f"http://127.0.0.1:1/?{canary}", "HF_TOKEN": canary, "GPU_KEY": canary,
            "LLM_ENDPOINT_URL": f"http://127.0.0.1:1/chat/completions?key={canary}"})
        self.assertIn(str(bundle), done.stderr)
        text = bundle.read_text()
        self.assertNotIn(canary, text)
        self.assertEqual(bundle.stat().st_mode & 0o777, 0o600)
        told = json.loads(text)
        self.assertIn("127.0.0.1:1", json.dumps(told["findings"]))
        self.assertIn("PLIMSOLL_TOKEN", told["environment"])
        self.assertTrue({"plimsoll", "system", "settings", "devices"} <= told.keys())
        again = self.server.run("doctor", "--bundle", bundle, check=False)
        self.assertEqual(again.returncode, 2, again.stderr)

    def test_the_exit_status_tells_how_a_job_ended(self):
        one, long = "calm", "x" * 100_000
        self.call("submit", "sentiment", self.file("ok.jsonl", json.dumps({"text": one})), "--watch")
        lines = "\n".join(json.dumps({"text": text}) for text in (one, long))
        self.call("submit", "sentiment", self.file("partly.jsonl", lines), "--watch", status=5)
        self.call("submit", "sentiment", self.file("none.jsonl", json.dumps({"text": long})), "--watch", status=1)

    def test_a_job_that_no_device_can_run_says_so(self):
        told = self.call("submit", "profile", "--set", "device_class=gpu")
        self.assertIn("No device of class gpu is connected", told.stderr)
        self.call("cancel", told.stdout.strip())
        self.call("watch", told.stdout.strip(), status=6)

    def test_nothing_is_dropped_silently(self):
        texts = self.file("g.jsonl", json.dumps({"text": "calm"}))
        for timeout in ("0", "-5", "soon"):
            told = self.call("submit", "sentiment", texts, "--timeout", timeout, status=2).stderr
            self.assertIn("above 0", told)
        self.assertIn('Did you mean "waves"?', self.call("jobs", "--kind", "wave", status=2).stderr)
        self.assertIn("No job matches", self.call("jobs", "--label", "nowhere").stdout)
        dataset = self.call("datasets", "upload", self.file("h.csv", "comment,id\nfine,1\nsad,2\n"), "--json").stdout
        args = ("--set", f"dataset={json.loads(dataset)['id']}", "--column", "text=comment")
        self.call("submit", "sentiment", *args, "--watch")
        self.call("submit", "sentiment", *args[:2], "--set", "columns.text=comment", "--watch")

    def test_teams_and_holds_by_their_names(self):
        self.call("queue", "pause", "--team", "main", "--reason", "a test")
        self.call("queue", "resume", "--team", "main")
        self.call("queue", "pause", "--class", "cpu", "--reason", "a test")
        self.assertIn("Did you mean", self.call("queue", "resume", "--team", "mian", status=2).stderr)
        self.call("queue", "resume", "--class", "cpu")
        self.assertIn("Nothing is paused", self.call("queue", "resume", "--class", "cpu", status=2).stderr)
        self.call("queue", "limit", "main", "--queued-jobs", "1000")
        self.call("queue", "limit", "main", "--jobs-per-minute", "9")
        self.assertEqual(json.loads(self.call("queue", "limit", "main", "--json").stdout)["queued_jobs"], 1000)
        self.call("queue", "limit", "main", "--queued-jobs", "unlimited", "--jobs-per-minute", "unlimited")

    def test_a_port_in_use_is_noticed_before_a_database_is_made(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            folder = self.server.folder / "other"
            told = self.call("serve", "--port", other.getsockname()[1], "--data", folder, status=1).stderr
            self.assertIn("Choose another port with --port", told)
            self.assertFalse(folder.exists())

    def completed(self, shell, script, typed):
        """What a shell offers for the last word of a line."""
        if shell == "fish":
            lines = f"source {script}; complete -C 'plimsoll {typed}'"
        else:
            words = ["plimsoll", *typed.split()]
            lines = (f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _plimsoll; "
                     'echo "${COMPREPLY[@]}"')
        start = {"bash": ["bash", "--norc", "-c"], "zsh": ["zsh", "-f", "-c"], "fish": ["fish", "--no-config", "-c"]}[shell]
        prepared = "autoload -U compinit; compinit -u -D; " if shell == "zsh" else ""
        done = subprocess.run([*start, prepared + lines], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "", shell)
        return done.stdout.split()

    def test_completion_and_manual_work_in_their_programs(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.file(f"completion.{shell}", self.call("completion", shell).stdout)
            for typed, word in (("que", "queue"), ("queue sh", "share"), ("queue share --we", "--weight")):
                self.assertIn(word, self.completed(shell, script, typed), (shell, typed))
        # Files are offered where no command is, and flags only after a dash.
        self.assertEqual(self.completed("bash", self.server.folder / "completion.bash", "submit sentiment a"), [])
        self.call("completion", "tcsh", status=2)
        page = self.call("manual").stdout
        self.assertIn(".SS plimsoll queue share", page)

    def test_a_file_of_another_format_is_named(self):
        for name, content, told in (
                ("z.xlsx", b"PK\x03\x04rest", "a spreadsheet"), ("z.csv.gz", b"\x1f\x8brest", "compressed"), ("z.txt", b"one nice day\n", "not JSON lines"),
                ("z.jsonl", b'[{"text": "calm"}]', "one record per line"), ("z.csv", b"", "is empty")):
            path = self.server.folder / name
            path.write_bytes(content)
            for command in (("submit", "sentiment"), ("compare-models",), ("datasets", "upload")):
                wrong = self.call(*command, path, status=2).stderr
                self.assertIn(told, wrong)
                self.assertIn(f"({path})", wrong)
                self.assertNotIn("--resume", wrong)
        (self.server.folder / "list.json").write_text("[1]")
        self.assertIn("a .jsonl file", self.call("submit", "sentiment", self.server.folder / "list.json", status=2).stderr)
        broken = self.call("datasets", "upload", self.file("m.jsonl", "{no\n{json\n"), status=1)
        self.assertIn("2 records, 2 unreadable", broken.stdout)
        self.assertIn("datasets errors", broken.stderr)

    def test_a_missing_price_column_names_the_flag(self):
        prices = self.file("prices.csv", "Datum;Menge;Umsatz\n2026-01-05;1;1\n")
        for command in (("waves",), ("submit", "waves")):
            told = self.call(*command, prices, status=2).stderr
            self.assertIn('The columns are: "Datum", "Menge", "Umsatz". Name one with --column close=COLUMN.', told)

    def test_a_job_without_a_good_item_says_why(self):
        prices = self.file("german.csv", "date;close\nyesterday;1\ntoday;2\n")
        done = self.call("submit", "waves", prices, "--watch", status=1)
        self.assertIn("0 ok, 1 failed", done.stdout + done.stderr)
        self.assertIn("not an ISO 8601 date", done.stdout)
        self.assertIn("plimsoll results job_", done.stderr)

    def test_errors_name_flags_and_arguments(self):
        for command, place in (
                (("queue", "share", "main", "cpu", "--weight", "0"), "Error: --weight: "), (("queue", "share", "main", "cpo"), "Error: class: "),
                (("queue", "limit", "main", "--queued-jobs", "-1"), "Error: --queued-jobs: "), (("jobs", "--state", "done"), "Error: --state: "),
                (("usage", "--by", "moon"), "Error: --by: "), (("tokens", "add", "x", "--scope", "jobs:all"), "Error: --scope: "),
                (("tokens", "add", "x", "--expires", "soon"), "Error: --expires: "), (("schedules", "next", "x"), "Error: cron: "),
                (("submit", "sentiment", "--set", "form=fp8", "--set", "texts=[\"a\"]"), "Error: --set form: "),
                (("webhooks", "add", "x", "https://example.com/"), "Error: url: This server sends no notices: its setting webhooks.allowed_origins"),
                (("estimate", "--preset", "bert-base", "--lora", "0"), "Error: --lora: ")):
            self.assertTrue(self.call(*command, status=2).stderr.startswith(place), self.call(*command, status=2).stderr)
        self.assertIn("Name a file", self.call("submit", "sentiment", status=2).stderr)
        self.assertIn('Did you mean "sentiment"?', self.call("submit", "sentimnt", "nowhere.csv", status=2).stderr)
        self.assertIn("is not a report", self.call("apply", self.file("a.txt", "text\n"), self.file("b.yaml", "a: 1\n"), status=2).stderr)
        self.assertIn("(--gpu-percent)", self.call("diagnose", "--gpu-percent", "200", status=2).stderr)
        self.assertIn("Give exactly one of --team, --class, --node", self.call("queue", "pause", "--team", "main", "--class", "cpu", "--reason", "a", status=2).stderr)
        self.assertIn("The file is not JSON.", self.call("policy", "set", "desk", self.file("p.json", "text\n"), status=2).stderr)
        self.assertIn("The file is not JSON.", self.call("gpu-profiles", "add", "card", self.server.folder / "p.json", status=2).stderr)
        self.assertIn("A team needs an owner", self.call("admin", "--data", self.server.folder / "data", "set-member", "--team", "main",
                                                         "--user", "admin", "--role", "member", status=2).stderr)
        jobs = len(self.api.get("/v1/jobs").json["items"])
        told = self.call("profile", "--output-dir", "/proc/x", status=2).stderr
        self.assertIn("The report cannot be written to this folder", told)
        self.assertEqual(len(self.api.get("/v1/jobs").json["items"]), jobs, "nothing was measured")
        self.assertIn("Commands: list, upload", self.call("datasets", "xyz", status=2).stderr)

    def test_output_that_is_lost_is_no_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for command in (("jobs",), ("estimate", "--preset", "bert-base"), ("manual",)):
                done = subprocess.run([BIN / "plimsoll", *command], stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=self.server.environment(), check=False)
                self.assertEqual((done.returncode, done.stderr), (1, "Error: The output cannot be written.\n"), command)

    def test_a_run_that_fits_no_card_has_nothing_to_paste(self):
        told = self.call("estimate", "--preset", "llama-8b", "--gpu", "t4", status=1).stdout
        self.assertIn("Nothing to paste: the run does not fit", told)
        self.assertNotIn("TrainingArguments(", told)
        self.assertIn("It fits with:", told)
        flags = next(line for line in told.splitlines() if line.startswith("  --")).partition("  (")[0].split()
        self.assertIn("batch", self.call("estimate", "--preset", "llama-8b", "--gpu", "t4", *flags).stdout)
        told = self.call("estimate", "--preset", "llama-8b", "--gpu", "t4", "--lora", "8", "--checkpointing", status=1).stdout
        self.assertRegex(told, r"(?m)^  --quantization nf4\S*  \(largest batch")

    def test_help_and_mistyped_commands(self):
        self.assertIn("--weight", self.call("help", "queue", "share").stdout)
        self.assertIn('Did you mean "share"?', self.call("help", "queue", "shar", status=2).stderr)
        self.assertIn('Did you mean "submit"?', self.call("sumbit", status=2).stderr)
        self.assertIn("Exit status:", self.call("--help").stdout)
        self.assertEqual(json.loads(self.call("sumbit", "--json", status=2).stderr)["error"]["code"], "invalid_input")
        self.assertNotIn("--http.body_bytes", self.call("admin", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
