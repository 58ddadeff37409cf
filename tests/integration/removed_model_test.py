"""Models that are removed between submit and run: policies and comparisons continue without them, other items report
it."""

import json
import unittest

from harness import Server
from tiny_model import install, until_offered

TEXTS = ["A brilliant quarter", "A weak quarter"]


class RemovedModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        published = install(cls.server, cls.api, "finbert")
        config = published / "config.json"
        config.write_text(json.dumps(json.loads(config.read_text()) | {"architectures": []}))  # other files: another model
        cls.server.run("model", "add", published, "--name", "other")
        until_offered(cls.api, "finbert", "other")
        policy = {"model": "finbert", "fallback": ["distilbert", "vader"]}
        assert cls.api.send("PUT", "/v1/policies/desk", policy).status == 200
        cls.server.run("queue", "pause", "--class", "cpu", "--reason", "a test")
        cls.jobs = {name: cls.api.post("/v1/jobs", {"kind": "sentiment", "args": args | {"texts": TEXTS}}).json["id"] for name, args in {
            "policy": {"policy": "desk"}, "model": {"model": "finbert"}, "models": {"models": ["finbert", "other", "vader"]},
            "kept": {"model": "other"}}.items()}
        cls.refused = cls.server.run("model", "remove", "finbert", check=False)
        cls.server.run("model", "remove", "finbert", "--force")
        until_offered(cls.api, "other")
        cls.server.run("queue", "resume", "--class", "cpu")

    def ended(self, name):
        job = self.api.wait(self.jobs[name])
        return job, self.api.results(job["id"])

    def test_a_model_that_is_used_is_removed_by_force_only(self):
        self.assertEqual(self.refused.returncode, 2, self.refused)
        self.assertRegex(self.refused.stderr, "finbert is used by the jobs job_[0-9a-z]+, job_[0-9a-z]+, job_[0-9a-z]+; the policy desk; "
                         r"the server's settings \(sentiment.model\)\. --force removes it anyway\.")

    def test_a_policy_uses_the_next_model_of_its_chain(self):
        job, rows = self.ended("policy")
        self.assertEqual((job["state"], job["progress"]["items_failed"]), ("succeeded", 0))
        for row in rows:
            self.assertEqual((row["model_asked"], row["model"]), ("finbert", "vader"))
            self.assertRegex(row["model_reason"], 'finbert: The model "finbert" was removed')

    def test_items_of_a_fixed_model_tell_that_it_is_gone(self):
        job, rows = self.ended("model")
        self.assertEqual(job["progress"]["items_failed"], 2, job)
        for row in rows:
            self.assertRegex(row["error"], 'The model "finbert" was removed from the workers, or replaced')

    def test_a_comparison_scores_by_the_others(self):
        job, rows = self.ended("models")
        self.assertEqual((job["state"], job["progress"]["items_failed"]), ("succeeded", 0))
        self.assertEqual(sorted(rows[0]["models"]), ["other", "vader"])
        told = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["compared"]["comparison"]
        self.assertFalse(told["finbert"]["success"])
        self.assertRegex(told["finbert"]["error"], "was removed")
        self.assertTrue(told["other"]["success"])

    def test_other_models_are_as_before(self):
        job, rows = self.ended("kept")
        self.assertEqual((job["state"], rows[0]["label"]), ("succeeded", "positive"))

    def test_a_call_is_answered_at_once(self):
        answer = self.api.post("/v1/score", {"model": "finbert", "texts": TEXTS})
        self.assertEqual((answer.status, answer.json["errors"][0]["pointer"]), (422, "/model"))
        answer = self.api.post("/v1/score", {"policy": "desk", "texts": TEXTS}).json
        self.assertEqual({row["model"] for row in answer["items"]}, {"vader"})


if __name__ == "__main__":
    unittest.main()
