"""The command line as a new user meets it: real-world files, typing errors, exit statuses for programs."""

import json
import socket
import subprocess
import unittest

from harness import Server


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
        self.assertIn("--column takes", self.call("submit", "sentiment", self.file("f.csv", "text\nx\n"), "--column",
                                                  "text", status=2).stderr)

    def test_a_file_without_a_header_line(self):
        path = self.file("i.csv", "7;good, very good\n8;bad\n")
        done = self.call("submit", "sentiment", path, "--column", "text=#2", "--column", "custom_id=#1", "--watch", "--json")
        self.assertIn("2 records; columns: #1, #2; separator: \";\"", done.stderr)
        rows = self.api.results(json.loads(done.stdout)["id"])
        self.assertEqual([(row["text"], row["custom_id"]) for row in rows], [("good, very good", "7"), ("bad", "8")])
        self.assertIn("=#1", self.call("submit", "sentiment", path, status=2).stderr)
        self.assertIn('"#3"', self.call("submit", "sentiment", path, "--column", "text=#3", status=2).stderr)
        long = self.file("j.csv", "1;calm\n" * 10_001)
        self.assertIn("needs a header line", self.call("submit", "sentiment", long, "--column", "text=#2", status=2).stderr)

    def test_a_file_for_another_kind(self):
        texts = self.file("k.csv", "text\ncalm\n")
        for kind in ("training-config", "profile"):
            self.assertIn("takes no file of records", self.call("submit", kind, texts, status=2).stderr)
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
        self.call("queue", "limit", "main")

    def test_a_port_in_use_is_noticed_before_a_database_is_made(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            folder = self.server.folder / "other"
            told = self.call("serve", "--port", other.getsockname()[1], "--data", folder, status=1).stderr
            self.assertIn("Choose another port with --port", told)
            self.assertFalse(folder.exists())

    def test_completion_and_manual_work_in_their_programs(self):
        script = self.file("completion.bash", self.call("completion", "bash").stdout)
        for typed, word in (("que", "queue"), ("queue sh", "share"), ("queue share --we", "--weight")):
            words = ["plimsoll", *typed.split()]
            lines = (f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _plimsoll; "
                     'echo "${COMPREPLY[@]}"')
            found = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True).stdout.split()
            self.assertIn(word, found, typed)
        self.assertIn("-l weight", self.call("completion", "fish").stdout)
        self.call("completion", "tcsh", status=2)
        page = self.call("manual").stdout
        self.assertIn(".SS plimsoll queue share", page)

    def test_help_and_mistyped_commands(self):
        self.assertIn("--weight", self.call("help", "queue", "share").stdout)
        self.assertIn('has no command "shar"', self.call("help", "queue", "shar", status=2).stderr)
        self.assertIn('Did you mean "submit"?', self.call("sumbit", status=2).stderr)
        self.assertIn("Exit status:", self.call("--help").stdout)
        self.assertEqual(json.loads(self.call("sumbit", "--json", status=2).stderr)["error"]["code"], "invalid_input")
        self.assertNotIn("--http.body_bytes", self.call("admin", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
