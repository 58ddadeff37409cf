"""Tasks of several teams that share a device's batches, through the real server and PoCL: the same scores as alone, each
team charged by its tokens, and the warm-up of a policy's next model."""

import datetime
import json
import os
import time
import unittest
import unittest.mock

from harness import Server
from tiny_model import install, until

WORDS = "good bad strong weak profit loss shares quarter board union port rise fall storm deal".split()


def soon(seconds):
    return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)


class Sharing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        install(cls.server, cls.api, "tiny")
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

    def attempts(self, job):
        (api, name), cursor, found = job, "", []
        while cursor is not None:
            page = api.get(f"/v1/jobs/{name}/attempts?limit=100{cursor and '&cursor=' + cursor}").json
            found += page["items"]
            cursor = page["next_cursor"]
        return found

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

    def test_an_urgent_job_waits_for_what_the_device_holds_and_no_longer(self):
        path = self.server.folder / "many.jsonl"
        known = (self.server.folder / "published/vocab.txt").read_text().split()[5:]
        texts = (" ".join(known[number // len(known) ** place % len(known)] for place in range(3)) for number in range(200_000))
        path.write_text("".join(json.dumps({"text": " ".join([text] * 6)}) + "\n" for text in texts))
        api = self.teams[0]
        dataset = json.loads(self.server.run("datasets", "upload", path, "--json", env={"PLIMSOLL_TOKEN": api.token,
                                                                                     "PLIMSOLL_SERVER": self.server.base}).stdout)["id"]
        long = api, api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": "tiny", "dataset": dataset}}).json["id"]
        until(lambda: api.get(f"/v1/jobs/{long[1]}").json["progress"]["items_done"] > 0, "the long job does not start")
        urgent = self.teams[1].post("/v1/jobs", {"kind": "sentiment", "priority": 10,
                                                 "args": {"model": "tiny", "texts": ["good news"]}}).json
        self.assertEqual(self.teams[1].wait(urgent["id"])["state"], "succeeded")
        [ran] = [one for one in self.attempts((self.teams[1], urgent["id"])) if not one["merge"]]
        self.assertEqual(api.wait(long[1])["state"], "succeeded")
        others = [one for one in self.attempts(long) if not one["merge"]]
        self.assertTrue(any(one["started_at"] > ran["started_at"] for one in others), "the long job was over before")
        between = [one for one in others if urgent["created_at"] < one["started_at"] < ran["started_at"]]
        # A claim runs and another waits. The ID of an attempt ends with its claim's fence.
        self.assertLessEqual(len({one["id"].rpartition(".")[2] for one in between}), 2)


class WarmUp(unittest.TestCase):
    def test_the_next_model_is_loaded_before_the_switch(self):
        with unittest.mock.patch.dict(os.environ, {"GPU_CLEANUP_INTERVAL_SEC": "1"}), Server() as server:
            api = server.api()
            install(server, api, "tiny")

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
            server.logged("loaded a model before its policy switches to it")
            releases = held()
            self.assertEqual(score(), "vader")
            while soon(0) < opens:
                time.sleep(0.05)
            self.assertEqual(score(), "tiny")
            self.assertEqual(held(), releases, "it was kept until the switch")


if __name__ == "__main__":
    unittest.main()
