"""Tasks of several teams that share a device's batches, through the real server and PoCL: the same scores as alone, each
team charged by its tokens, and the warm-up of a policy's next model."""

import datetime
import os
import subprocess
import sys
import time
import unittest
import unittest.mock

from harness import PATIENCE, ROOT, Server

MAKE = ROOT / "deploy/samples/models/make_tiny_model.py"
WORDS = "good bad strong weak profit loss shares quarter board union port rise fall storm deal".split()


def soon(seconds):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)


def until(look, what):
    """Workers tell with heartbeats, and nobody announces it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, what
        time.sleep(0.1)
    return found


def install(server, *names):
    published = server.folder / "published"
    subprocess.run([sys.executable, "-B", MAKE, published], check=True)
    for name in names:
        server.run("model", "add", published, "--name", name)


class Sharing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        install(cls.server, "tiny")
        until(lambda: len(cls.api.get("/v1/models").json["items"]) == 2, "no worker offers the model")
        cls.teams = [cls.team(name) for name in ("first", "second")]

    @classmethod
    def team(cls, name):
        cls.server.admin("add-team", name)
        cls.server.admin("add-user", f"user of {name}")
        cls.server.admin("set-member", "--user", f"user of {name}", "--team", name, "--role", "member")
        return cls.server.api(user=f"user of {name}", team=name)

    def submit(self, api, texts):
        return api, api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": "tiny", "texts": texts}}).json["id"]

    def rows_of(self, jobs):
        for api, job in jobs:
            self.assertEqual(api.wait(job)["state"], "succeeded")
        return [api.results(job) for api, job in jobs]

    def charged(self, api, job):
        """Seconds of the job's tasks on the device; merging, on the host, is none of them."""
        tasks = api.get(f"/v1/jobs/{job}/attempts").json["items"]
        return sum(task["seconds"] for task in tasks if not task["merge"])

    def test_scores_are_those_of_a_text_alone_and_charges_those_of_its_tokens(self):
        teams = [self.team(name) for name in ("third", "fourth")]  # who used nothing yet
        texts = [[" ".join(WORDS[(team + job * 3 + text * 7 + word) % len(WORDS)] for word in range(2 + (job * 5 + text * 3) % 23))
                  for text in range(4)] for team in range(2) for job in range(3)]
        texts[3] = [texts[0][0], texts[0][0], "good"]  # the other team's text, twice
        alone = self.rows_of([self.submit(teams[number // 3], some) for number, some in enumerate(texts)])
        # The queue opens when all are in it: their tasks are in one claim.
        self.server.run("queue", "pause", "--class", "cpu", "--reason", "a test")
        jobs = [self.submit(teams[number // 3], some) for number, some in enumerate(texts)]
        self.server.run("queue", "resume", "--class", "cpu")
        self.assertEqual(self.rows_of(jobs), alone)
        seconds = [self.charged(api, job) for api, job in jobs]
        # A text that is repeated in a job is read once; another job reads it again.
        tokens = [sum({row["text"]: row["tokens"] for row in rows}.values()) for rows in alone]
        for took, read in zip(seconds, tokens):
            # Nanoseconds are not divided further, and a time is stored with 24 binary digits.
            self.assertAlmostEqual(took, sum(seconds) * read / sum(tokens), delta=1e-9 + took * 2 ** -22)
        for team, api in enumerate(teams):
            [used] = until(lambda: [row for row in api.get("/v1/usage?group_by=model").json["items"] if row["model"] and row["tasks"] == 6],
                           "the tasks are not counted")
            self.assertRegex(used["model"], "^tiny [0-9a-f]{12}$")
            self.assertGreaterEqual(used["device_seconds"], sum(seconds[3 * team:3 * team + 3]))

    def test_a_call_is_answered_while_a_long_job_runs(self):
        many = [f"good news {number}" for number in range(5_000)]
        long = self.submit(self.teams[0], many)
        answer = self.teams[1].post("/v1/score", {"model": "tiny", "texts": ["good news"]})
        self.assertEqual((answer.status, answer.json["items"][0]["label"]), (200, "positive"))
        self.rows_of([long])


class WarmUp(unittest.TestCase):
    def test_the_next_model_is_loaded_before_the_switch(self):
        with unittest.mock.patch.dict(os.environ, {"GPU_CLEANUP_INTERVAL_SEC": "1"}), Server() as server:
            api = server.api()
            install(server, "tiny")
            until(lambda: len(api.get("/v1/models").json["items"]) == 2, "no worker offers the model")

            def put(opens):
                times = [(soon(-3600), opens, "closed"), (opens, soon(3600), "regular")]
                overrides = [{"from": begin.isoformat(), "until": end.isoformat(), "market_status": status} for begin, end, status in times]
                policy = {"model": "vader", "rules": [{"markets": ["open"], "model": "tiny"}], "overrides": overrides}
                self.assertEqual(api.send("PUT", "/v1/policies/desk", policy).status, 200)

            def score(**item):
                [row] = api.post("/v1/score", {"policy": "desk", "items": [{"text": "good news", **item}]}).json["items"]
                return row["model"]

            later = soon(1800).isoformat()
            put(soon(900))
            score(time=later)  # compiles
            # The worker meets the policy by a text of later, and then has nothing to do.
            opens = soon(15)
            put(opens)
            self.assertEqual(score(time=later), "tiny")
            held = lambda: sum("released models" in line and "opencl" in line for line in server.log)
            until(lambda: held() > 0, "an idle device keeps its model")
            until(lambda: any("made ready before its policy's switch" in line for line in server.log), "no model was made ready")
            releases = held()
            self.assertEqual(score(), "vader")
            while soon(0) < opens:
                time.sleep(0.05)
            self.assertEqual(score(), "tiny")
            self.assertEqual(held(), releases, "it was kept until the switch")


if __name__ == "__main__":
    unittest.main()
