"""A few texts scored within one call, through the real server, its queue and its workers."""

import collections
import concurrent.futures
import json
import os
import statistics
import threading
import time
import unittest

from harness import PATIENCE, Server

GOOD = "A brilliant quarter, and a great outlook."
BAD = "The fraud ruined them."
CALLS = 400 if "PLIMSOLL_LONG_TESTS" in os.environ else 40
MOST_SECONDS, MOST_TIMES = 2, 10  # of a call beside a flood, and of the median: other tests may run, too


class Scores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def score(self, **body):
        answer = self.api.post("/v1/score", body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def assert_nothing_stays(self):
        until = time.monotonic() + PATIENCE
        while jobs := self.api.get("/v1/jobs").json["items"]:
            self.assertLess(time.monotonic(), until, jobs)
            time.sleep(0.05)  # they go after the answer, and nobody announces it

    def paused(self):
        self.server.run("queue", "pause", "--team", "main", "--reason", "a test")
        self.addCleanup(self.server.run, "queue", "resume", "--team", "main")

    def test_they_are_those_of_a_job(self):
        texts = [GOOD, BAD, "", "It rained.\nAll day."]
        job = self.api.submit_texts(texts)
        self.api.wait(job)
        answer = self.score(texts=texts, model="vader")
        self.assertEqual(answer["items"], self.api.results(job))
        self.assertEqual((answer["job_id"], answer["model"], answer["model_hash"]), (None, "vader", None))
        self.assertEqual([item["label"] for item in answer["items"]], ["positive", "negative", "neutral", "neutral"])
        self.assertEqual(self.api.send("DELETE", f"/v1/jobs/{job}").status, 204)
        self.assert_nothing_stays()

    def test_a_call_may_keep_its_job(self):
        answer = self.score(texts=[GOOD], keep=True)
        job = self.api.get(f"/v1/jobs/{answer['job_id']}").json
        self.assertEqual((job["state"], job["priority"], job["name"]), ("succeeded", 10, "Score"))
        self.assertEqual(self.api.results(answer["job_id"]), answer["items"])
        self.assertEqual(self.api.send("DELETE", f"/v1/jobs/{answer['job_id']}").status, 204)

    def test_items_keep_their_id_and_a_policy_reports_its_choice(self):
        items = [{"text": GOOD, "custom_id": "a", "time": "2026-03-02T15:00:00Z", "source": "reuters"},
                 {"text": BAD, "custom_id": "b", "time": "2041-03-02T15:00:00Z"}]
        answer = self.score(items=items, policy="server")
        self.assertEqual([item["custom_id"] for item in answer["items"]], ["a", "b"])
        self.assertEqual(answer["model"], None)
        good, late = answer["items"]
        self.assertEqual((good["model"], good["model_asked"], good["source"]), ("vader", "finbert", "reuters"))
        self.assertEqual((late["label"], late["error_code"]), (None, "invalid_time"))

    def test_invalid_calls_are_refused_and_name_their_member(self):
        for body, status, pointer in (({"texts": ["a"] * 65}, 422, "/texts"),
                                      ({"texts": []}, 422, "/texts"),
                                      ({"texts": ["a"], "items": [{"text": "a"}]}, 422, None),
                                      ({}, 422, None),
                                      ({"texts": ["a"], "model": "finbret"}, 422, "/model"),
                                      ({"texts": ["a"], "policy": "desc"}, 422, "/policy"),
                                      ({"texts": ["a"], "model": "vader", "policy": "server"}, 422, "/policy"),
                                      ({"items": [{"text": "a", "time": "2026-03-02 15:00"}]}, 422, "/items/0/time"),
                                      ({"texts": ["a"], "timeout_seconds": 61}, 422, "/timeout_seconds"),
                                      ({"texts": ["a"], "dataset": "data_0"}, 422, "/dataset"),
                                      ({"texts": ["a" * 1000000]}, 413, None)):
            answer = self.api.post("/v1/score", body)
            self.assertEqual(answer.status, status, (str(body)[:100], answer.body[:300]))
            if pointer:
                self.assertEqual(answer.json["errors"][0]["pointer"], pointer, str(body)[:100])
        self.assert_nothing_stays()

    def test_a_timeout_is_reported_per_item(self):
        self.paused()
        answer = self.score(texts=[GOOD, BAD], timeout_seconds=1)
        self.assertEqual([(item["label"], item["error_code"]) for item in answer["items"]],
                         [(None, "unfinished")] * 2)
        self.assertRegex(answer["items"][0]["error"], r"^The job did not finish within 1 s\. .+ paused the team: a test$")
        self.assert_nothing_stays()

    def test_too_many_calls_get_retry_after(self):
        self.paused()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            calls = [pool.submit(self.api.post, "/v1/score", {"texts": [GOOD], "timeout_seconds": 3}) for _ in range(20)]
            answers = [call.result() for call in calls]
        self.assertEqual({answer.status for answer in answers}, {200, 429})
        refused = [answer for answer in answers if answer.status == 429]
        self.assertTrue(all(int(answer.headers["Retry-After"]) >= 1 for answer in refused))
        self.assert_nothing_stays()

    def test_a_flood_of_another_team_delays_no_call_for_long(self):
        for name in ("flooder", "quiet"):
            self.server.admin("add-user", name)
            self.server.admin("add-team", f"team of {name}")
            self.server.admin("set-member", "--user", name, "--team", f"team of {name}", "--role", "member")
        flooder, quiet = (self.server.api(name, f"team of {name}") for name in ("flooder", "quiet"))
        over, flooded = threading.Event(), collections.Counter()

        def flood():
            while not over.is_set():
                flooded[flooder.post("/v1/score", {"texts": [GOOD] * 64}).status] += 1

        floods = [threading.Thread(target=flood) for _ in range(12)]
        for one in floods:
            one.start()
        waits = []
        for _ in range(CALLS):
            began = time.monotonic()
            self.assertEqual(quiet.post("/v1/score", {"texts": [BAD]}).status, 200)
            waits.append(time.monotonic() - began)
        over.set()
        for one in floods:
            one.join()
        middle = statistics.median(waits)
        print(f"{len(waits)} calls beside {dict(flooded)}: p50 {middle:.3f} s, longest {max(waits):.2f} s", flush=True)
        self.assertLess(max(waits), MOST_SECONDS + MOST_TIMES * middle)

    def test_the_command_line(self):
        told = self.server.run("score", GOOD, BAD, "--model", "vader")
        self.assertRegex(told.stdout, r"positive +\+0\.\d{3} +vader +A brilliant")
        self.assertRegex(told.stdout, r"negative +-0\.\d{3} +vader +The fraud")
        piped = self.server.run("score", "-", "--json", input=f"{GOOD}\n\n{BAD}\n")
        self.assertEqual([item["text"] for item in json.loads(piped.stdout)["items"]], [GOOD, BAD])
        refused = self.server.run("score", __file__, check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(f"is a file: `plimsoll submit sentiment {__file__} --watch` scores its rows", refused.stderr)
        many = self.server.run("score", *["a"] * 65, check=False)
        self.assertEqual((many.returncode, "1 to 64 texts, not 65" in many.stderr), (2, True))
        late = self.server.run("score", "a", "--policy", "server", "--time", "2041-03-02T15:00:00Z", check=False)
        self.assertEqual(late.returncode, 1, late)


if __name__ == "__main__":
    unittest.main()
