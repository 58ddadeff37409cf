"""Policies that choose models, from the policy file to the rows of a job, through the real server and PoCL."""

import json
import os
import time
import unittest
import unittest.mock

from harness import PATIENCE, Server
from tiny_model import install

TRADING = "2026-03-02T15:00:00Z"  # a Monday, 10:00 in New York
CLOSED = "2026-03-02T03:00:00Z"
DESK = {
    "description": "FinBERT for press releases, DistilBERT while the market trades.",
    "model": "vader",
    "rules": [{"sources": ["businesswire", "globenewswire"], "model": "finbert"},
              {"markets": ["open", "extended"], "model": "distilbert"}],
}


class Policies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        install(cls.server, cls.api, "finbert")
        cls.put("desk", DESK)

    @classmethod
    def put(cls, name, definition):
        answer = cls.api.send("PUT", f"/v1/policies/{name}", definition)
        assert answer.status == 200, answer
        return answer.json

    def report(self, **args):
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": args}).json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        return job, self.api.results(job["id"]), self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]

    def refusal(self, method, path, body):
        answer = self.api.send(method, path, body)
        self.assertEqual(answer.status, 422, answer)
        return answer.json["errors"][0]["pointer"]

    def test_they_are_kept_listed_and_removed(self):
        self.assertEqual(self.put("late", {"model": "finbert", "hold_minutes": 30})["missing"], [])
        listed = self.api.get("/v1/policies").json["items"]
        self.assertEqual([policy["id"] for policy in listed], ["server", "desk", "late"])
        self.assertEqual((listed[0]["builtin"], listed[0]["definition"]["model"]), (True, "finbert"))
        self.assertEqual((listed[1]["missing"], listed[1]["definition"]), (["distilbert"], DESK))
        self.assertEqual(self.api.get("/v1/policies/desk").json, listed[1])
        self.assertEqual(self.api.send("DELETE", "/v1/policies/late").status, 204)
        self.assertEqual(self.api.send("DELETE", "/v1/policies/late").status, 404)
        self.assertEqual(self.api.get("/v1/policies/late").status, 404)
        for method in ("PUT", "DELETE"):
            self.assertEqual(self.api.send(method, "/v1/policies/server", DESK if method == "PUT" else None).status, 409)

    def test_invalid_arguments_are_refused_with_their_member(self):
        for change, pointer in (({"fallback": ["finbert", "finbert"]}, "/fallback/1"),
                                ({"rules": [{"model": "finbert"}]}, "/rules/0"),
                                ({"calendar": "lse"}, "/calendar"),
                                ({"hold_minutes": 500}, "/hold_minutes"),
                                ({"overrides": [{"from": TRADING, "until": CLOSED, "market_status": "closed"}]}, "/overrides/0/until"),
                                ({"market_status": "weekend"}, "/market_status")):
            self.assertEqual(self.refusal("PUT", "/v1/policies/wrong", DESK | change), pointer)
        self.assertEqual(self.api.get("/v1/policies/wrong").status, 404)
        for args, pointer in (({"policy": "desc", "texts": ["a"]}, "/args/policy"),
                              ({"policy": "desk", "model": "vader", "texts": ["a"]}, "/args/policy"),
                              ({"policy": "desk", "items": [{"text": "a", "time": "2026-03-02 15:00"}]}, "/args/items/0/time")):
            self.assertEqual(self.refusal("POST", "/v1/jobs", {"kind": "sentiment", "args": args}), pointer)

    def test_a_preview_needs_no_job(self):
        answer = self.api.post("/v1/policy-previews", {"policy_id": "desk", "at": TRADING, "source": "reuters", "days": 2}).json
        choice = answer["choice"]
        self.assertEqual((choice["market"], choice["rule"], choice["asked"], choice["model"], choice["fallback"]),
                         ("regular", 2, "distilbert", "finbert", "no worker has distilbert"))
        self.assertEqual(answer["next_switch"]["from"], "2026-03-03T01:00:00.000Z")
        draft = self.api.post("/v1/policy-previews", {"definition": DESK | {"market_status": "closed"}, "at": TRADING}).json
        self.assertEqual((draft["choice"]["model"], draft["next_switch"]), ("vader", None))
        self.assertEqual(self.api.post("/v1/policy-previews", {"policy_id": "nobody"}).status, 404)
        self.assertEqual(self.refusal("POST", "/v1/policy-previews", {"policy_id": "desk", "at": "1980-01-01T00:00:00Z"}), "/at")
        self.assertEqual(self.api.post("/v1/policy-previews", {}).status, 422)

    def test_each_text_is_scored_by_the_model_of_its_time_and_source(self):
        items = [{"text": "A brilliant quarter", "time": CLOSED, "source": "reuters"},
                 {"text": "A brilliant quarter", "time": TRADING, "source": "reuters"},
                 {"text": "A brilliant quarter", "time": CLOSED, "source": "businesswire"},
                 {"text": "A brilliant quarter", "time": "2041-01-02T15:00:00Z"}]
        job, rows, summary = self.report(policy="desk", items=items)
        self.assertEqual([row["model"] for row in rows], ["vader", "finbert", "finbert", None])
        self.assertEqual([row["model_asked"] for row in rows], ["vader", "distilbert", "finbert", None])
        self.assertEqual(rows[1]["model_reason"], "rule 2: market regular; no worker has distilbert")
        self.assertEqual(rows[2]["model_reason"], "rule 1: source businesswire")
        self.assertEqual(rows[3]["error_code"], "invalid_time")
        self.assertEqual((rows[0]["tokens"], rows[1]["tokens"]), (None, 5))
        self.assertEqual((summary["model"], summary["policy"]["id"]), (None, "desk"))
        self.assertEqual([(choice["rule"], choice["model"], choice["items"]) for choice in summary["choices"]],
                         [(None, "vader", 1), (1, "finbert", 1), (2, "finbert", 1)])
        alone = self.report(model="finbert", texts=["A brilliant quarter"])[1][0]
        self.assertEqual(rows[1]["compound"], alone["compound"])
        self.assertEqual(job["args"]["policy"]["id"], "desk")

    def test_times_and_sources_that_nobody_knows_are_errors_of_their_texts(self):
        times = ["2026-03-02 15:00:00", "2026-03-02T15:00:00", "1989-12-31T15:00:00Z", "2041-01-02T15:00:00Z", "2026-02-30T15:00:00Z",
                 "2026-03-02T25:00:00Z", "noon"]
        path = self.server.folder / "times.csv"
        path.write_text("text,time,source\n" + "".join(f"A brilliant quarter,{time},reuters\n" for time in times)
                        + f"A brilliant quarter,{TRADING},nobody knows\nA brilliant quarter,{CLOSED},\n")
        dataset = json.loads(self.server.run("datasets", "upload", path, "--json").stdout)["id"]
        job, rows, _ = self.report(dataset=dataset, policy="desk")
        self.assertEqual((job["progress"]["items_total"], job["progress"]["items_failed"]), (9, 7))
        self.assertEqual({row["error_code"] for row in rows[:7]}, {"invalid_time"})
        self.assertTrue(all("RFC 3339 time with a zone" in row["error"] or "1990" in row["error"] for row in rows[:7]), [row["error"] for row in rows])
        self.assertEqual([(row["model"], row["model_asked"]) for row in rows[7:]], [("finbert", "distilbert"), ("vader", "vader")])

    def test_hours_that_a_day_does_not_have(self):
        calendar = {"time_zone": "Europe/Berlin", "weekdays": ["sunday"], "open": "02:30", "close": "12:00"}
        for change, pointer in (({"open": "25:00"}, "/custom_calendar/open"), ({"close": "12:60"}, "/custom_calendar/close"),
                                ({"time_zone": "Europe/Nowhere"}, "/custom_calendar/time_zone"), ({"close": "02:00"}, "/custom_calendar")):
            self.assertEqual(self.refusal("PUT", "/v1/policies/wrong", {"model": "vader", "custom_calendar": calendar | change}), pointer)
        # On 29 March clocks go from 02:00 to 03:00: trading begins when they have.
        definition = {"model": "vader", "rules": [{"markets": ["open"], "model": "finbert"}], "custom_calendar": calendar}
        answer = self.api.post("/v1/policy-previews", {"definition": definition, "at": "2026-03-28T12:00:00Z", "days": 2}).json
        [trading] = [span for span in answer["spans"] if span["market"] == "regular"]
        self.assertEqual((trading["from"], trading["until"]), ("2026-03-29T01:00:00.000Z", "2026-03-29T10:00:00.000Z"))

    def test_the_report_compares_models_with_a_fixed_one(self):
        self.report(model="finbert", texts=["A brilliant quarter"] * 10)
        self.report(model="vader", texts=["A brilliant quarter"] * 5)
        until = time.monotonic() + PATIENCE
        told = self.api.get("/v1/policy-report").json
        while {model["model"] for model in told["models"]} < {"finbert", "vader"}:
            assert time.monotonic() < until, told
            time.sleep(0.5)  # a duty counts usage, and nobody announces it
            told = self.api.get("/v1/policy-report").json
        finbert = next(model for model in told["models"] if model["model"] == "finbert")
        self.assertGreaterEqual(finbert["texts"], 10)
        self.assertGreater(finbert["memory_bytes"], 0)
        self.assertEqual((told["hours"], told["promised_percent"]), (24, 75))
        self.assertEqual((told["fixed"]["model"], told["fixed"]["basis"]), ("finbert", "measured"))
        self.assertAlmostEqual(told["device_seconds"], sum(model["seconds"] for model in told["models"] if model["resident"]))
        self.assertIsNone(self.api.get("/v1/policy-report?against=nobody").json["fixed"])
        for query in ("hours=0", "hours=169", "hours=x", "against=A"):
            self.assertEqual(self.api.get(f"/v1/policy-report?{query}").status, 400, query)
        shown = self.server.run("policy", "report", "--against", "finbert").stdout
        self.assertIn("finbert alone would have used", shown)
        self.assertIn("the guide expects 75 %", shown)
        self.assertIn("finbert ", self.server.run("usage", "--by", "model").stdout)

    def test_a_market_that_is_taken_to_be_closed_means_vader(self):
        self.put("closed", DESK | {"market_status": "closed"})
        self.addCleanup(self.api.send, "DELETE", "/v1/policies/closed")
        _, rows, summary = self.report(policy="closed", texts=["A brilliant quarter"] * 3)
        self.assertEqual((summary["model"], summary["reading"]), ("vader", None))
        self.assertEqual({row["model_reason"] for row in rows}, {"no rule matches"})

    def test_a_file_with_times_and_sources_by_the_command_line(self):
        path = self.server.folder / "news.csv"
        path.write_text("text,time,source\n" + "".join(
            f"A brilliant quarter {i},{(TRADING, CLOSED)[i % 2]},reuters\n" for i in range(50)) + "When?,yesterday,reuters\n")
        definition = self.server.folder / "policy.json"
        definition.write_text(json.dumps(DESK))
        told = self.server.run("policy", "set", "wire", definition)
        self.assertIn("--set policy=wire", told.stdout)
        self.assertIn("No worker has distilbert", told.stderr)
        self.assertIn("wire", self.server.run("policy", "list").stdout)
        self.assertEqual(json.loads(self.server.run("policy", "show", "wire").stdout), DESK)
        shown = self.server.run("policy", "preview", "wire", "--at", TRADING, "--days", "1").stdout
        self.assertIn("finbert in fp32 (rule 2: market regular) instead of distilbert", shown)
        dataset = json.loads(self.server.run("datasets", "upload", path, "--json").stdout)["id"]
        _, rows, summary = self.report(dataset=dataset, policy="wire")
        self.assertEqual([row["model"] for row in rows[:50]], ["finbert", "vader"] * 25)
        self.assertEqual(rows[50]["error_code"], "invalid_time")
        self.assertEqual(summary["labels"]["positive"], 50)
        path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
        done = json.loads(self.server.run("submit", "sentiment", path, "--set", "policy=wire", "--column", "time=time", "--column",
                                          "source=source", "--watch", "--json").stdout)
        self.assertEqual([row["model"] for row in self.api.results(done["id"])], ["finbert", "vader"] * 25)
        self.server.run("policy", "remove", "wire")
        self.assertNotEqual(self.server.run("policy", "show", "wire", check=False).returncode, 0)

    def test_jobs_of_a_bundle_are_completed_like_single_jobs(self):
        jobs = [{"kind": "sentiment", "args": args} for args in (
            {"model": "finbert", "texts": ["good"]}, {"policy": "desk", "texts": ["good"]}, {"texts": ["good"]})]
        made = self.api.post("/v1/job-bundles", {"jobs": jobs}).json["items"]
        models = [self.api.wait(one["job_id"])["args"] for one in made]
        self.assertEqual((models[0]["model"], models[1]["policy"]["id"], models[2]["model"]), ("finbert", "desk", "finbert"))


class ServersPolicy(unittest.TestCase):
    def test_the_guides_variables_make_it(self):
        environment = {"FEATURE_ADAPTIVE_SENTIMENT": "1", "MARKET_STATUS_OVERRIDE": "open", "SENTIMENT_MODEL_OPEN": "distilbert",
                       "SENTIMENT_MODEL_CLOSED": "vader", "CLOSED_DISABLE_LLM": "1"}
        with unittest.mock.patch.dict(os.environ, environment), Server() as server:
            api = server.api()
            definition = api.get("/v1/policies/server").json["definition"]
            self.assertEqual((definition["rules"][0]["model"], definition["model"], definition["market_status"]),
                             ("distilbert", "vader", "open"))
            self.assertIn("the market is regular, overridden", server.run("policy", "preview", "server").stdout)
            job = api.wait(api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["good"]}}).json["id"])
            self.assertEqual(job["args"]["policy"]["id"], "server")
            self.assertIn("no worker has distilbert", api.results(job["id"])[0]["model_reason"])
            self.assertIn("CLOSED_DISABLE_LLM has no effect", "".join(server.log))


if __name__ == "__main__":
    unittest.main()
