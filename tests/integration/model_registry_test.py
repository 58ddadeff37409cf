"""The models of the server's machine over REST: pulled with progress, verified, removed, and kept to one team."""

import pathlib
import threading
import unittest

import hub
from harness import Server
from tiny_model import make, until, until_offered

UNKNOWN = "modelop_0000000000000"


class Registry(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.remove)
        self.published = make(self.server)
        self.hub = hub.start(self, self.published)
        self.server.settings["models__hub"] = f"http://127.0.0.1:{self.hub.server_port}"
        self.server.start()
        self.api = self.server.api()

    def start(self, action="pull", model="desk/tiny", **more):
        reply = self.api.post("/v1/model-operations", {"action": action, "model": model} | more)
        self.assertEqual(reply.status, 202, reply.body)
        return reply.json["id"]

    def look(self, id):
        [operation] = [one for one in self.api.get("/v1/model-operations").json["items"] if one["id"] == id]
        return operation

    def ended(self, id):
        return until(lambda: (operation := self.look(id))["finished_at"] and operation, f"{id} does not end")

    def model(self, name):
        return next((model for model in self.api.get("/v1/models").json["items"] if model["name"] == name), None)

    def refused(self, status, method, path, body=None, pointer=None):
        reply = self.api.send(method, path, body)
        self.assertEqual(reply.status, status, reply.body)
        if pointer is not None:
            self.assertEqual(reply.json["errors"][0]["pointer"], pointer)
        return reply.json.get("detail", "")

    def audited(self, noun="model"):
        return [(event["action"], event["target"], event["user"]) for event in self.api.get(f"/v1/audit-events?action={noun}").json["items"]]

    def test_a_model_is_pulled_verified_and_removed(self):
        pull = self.start(name="tiny")
        done = self.ended(pull)
        self.assertEqual((done["state"], done["error"], done["started_by"], done["source"]), ("succeeded", None, "admin", "desk/tiny"))
        self.assertEqual(done["bytes_done"], done["bytes_total"])
        self.assertGreater(done["bytes_total"], 1000)
        until_offered(self.api, "tiny")
        model = self.model("tiny")
        self.assertEqual((model["added_by"], model["audience"], model["licence"], model["source"]), ("admin", "all", "apache-2.0", "desk/tiny@c0ffee"))
        self.assertEqual(sorted(file["name"] for file in model["files"]), ["README.md", "config.json", "model.safetensors", "vocab.txt"])
        self.assertEqual(model["bytes"], sum(file["bytes"] for file in model["files"]))
        self.assertEqual(model["speeds"], [])
        self.assertIn("by admin", self.server.run("model", "inspect", "tiny").stdout)
        self.assertIn("already installed", self.refused(409, "POST", "/v1/model-operations", {"action": "pull", "model": "desk/tiny", "name": "tiny"}))

        self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": "tiny", "texts": ["good", "bad"]}}).json["id"])
        # Usage is counted a few seconds after a task ends.
        [speed] = until(lambda: self.model("tiny")["speeds"], "no speed is measured")
        self.assertEqual((speed["form"], speed["texts"]), ("fp32", 2))
        self.assertGreater(speed["seconds_per_text"], 0)

        self.assertEqual(self.ended(self.start("verify", "tiny"))["state"], "succeeded")
        weights = self.server.folder / "models/tiny/model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1] + b"x")
        broken = self.ended(self.start("verify", "tiny"))
        self.assertEqual(broken["state"], "failed")
        self.assertIn("model.safetensors has changed", broken["error"])
        self.assertEqual([one["action"] for one in self.api.get("/v1/model-operations").json["items"]], ["verify", "verify", "pull"])

        self.assertEqual(self.api.send("PUT", "/v1/policies/desk", {"model": "tiny"}).status, 200)
        self.assertRegex(self.refused(409, "DELETE", "/v1/models/tiny"), "used by the policy desk. Set force to true")
        self.assertEqual(self.api.send("DELETE", "/v1/models/tiny?force=true").status, 204)
        until_offered(self.api)
        self.assertIn("no model", self.refused(404, "DELETE", "/v1/models/tiny?force=true"))
        self.assertIsNone(self.model("tiny"))
        self.assertEqual(self.audited(), [("model.remove", "tiny", "admin"), ("model.pull", "tiny", "admin")])

    def test_a_pull_is_cancelled_and_resumes(self):
        held = {"reached": threading.Event(), "release": threading.Event()}
        self.addCleanup(held["release"].set)
        self.hub.tricks["hold"] = held
        pull = self.start(name="tiny")
        held["reached"].wait()
        running = until(lambda: (one := self.look(pull))["bytes_done"] and one, "no progress")
        self.assertEqual((running["state"], running["stage"], running["finished_at"]), ("running", "Fetching desk/tiny", None))
        self.assertLess(running["bytes_done"], running["bytes_total"])
        self.assertIn("already pulling", self.refused(409, "POST", "/v1/model-operations", {"action": "pull", "model": "desk/other", "name": "other"}))
        reply = self.api.post(f"/v1/model-operations/{pull}/cancellation")
        self.assertEqual((reply.status, reply.json["state"]), (202, "cancelling"))
        self.assertEqual(self.ended(pull)["state"], "cancelled")
        self.assertEqual(self.api.post(f"/v1/model-operations/{pull}/cancellation").json["state"], "cancelled")
        self.assertFalse((self.server.folder / "models/tiny").exists())
        self.assertEqual(self.ended(self.start(name="tiny"))["state"], "succeeded")
        first, second = [asked for path, _, asked in self.hub.asked if path == "/moved/model.safetensors"]
        self.assertIsNone(first)
        self.assertRegex(second, r"^bytes=[1-9]\d{3,}-$")

    def test_a_server_that_stops_ends_its_pull(self):
        held = {"reached": threading.Event(), "release": threading.Event()}
        self.addCleanup(held["release"].set)
        self.hub.tricks["hold"] = held
        self.start(name="tiny")
        held["reached"].wait()
        [child] = self.server.children("plimsoll", "model", "pull")
        self.server.stop()
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

    def test_what_cannot_be_done_is_refused_with_the_field(self):
        post = lambda body, status=422, pointer=None: self.refused(status, "POST", "/v1/model-operations", body, pointer)
        post({"action": "pull", "model": "desk/tiny"}, pointer="/model")
        post({"action": "pull", "model": "desk/tiny", "name": "vader"}, pointer="/name")
        post({"action": "pull", "model": "--models=/etc"}, pointer="/model")
        post({"action": "pull", "model": "a/b", "name": "x", "revision": "--replace"}, pointer="/revision")
        post({"action": "verify", "model": "tiny", "audience": "team"}, pointer="/audience")
        post({"action": "verify", "model": "a/b"}, pointer="/model")
        self.assertIn("no model", post({"action": "verify", "model": "tiny"}, 404))
        self.refused(404, "POST", f"/v1/model-operations/{UNKNOWN}/cancellation")
        self.refused(404, "DELETE", "/v1/models/vader")
        failed = self.ended(self.start(model="finbrt"))
        self.assertEqual(failed["state"], "failed")
        self.assertIn("OWNER/NAME", failed["error"])
        self.assertIn("has no model", self.ended(self.start(model="desk/other", name="other"))["error"])

    def test_a_model_of_a_team_exists_for_that_team_alone(self):
        pull = self.start(name="tiny", audience="team")
        self.assertEqual(self.ended(pull)["state"], "succeeded")
        until_offered(self.api, "tiny")
        self.assertEqual(self.model("tiny")["audience"], "team")
        self.server.admin("add-team", "rivals")
        self.server.admin("add-user", "tom", "--administrator")
        self.server.admin("set-member", "--user", "tom", "--team", "rivals", "--role", "owner")
        rival = self.server.api("tom", "rivals", ("jobs:read", "jobs:write", "reports:read", "sys:admin"))
        self.assertEqual([model["name"] for model in rival.get("/v1/models").json["items"]], ["vader"])
        for method, path in (("DELETE", "/v1/models/tiny?force=true"), ("POST", f"/v1/model-operations/{pull}/cancellation")):
            self.assertEqual(rival.send(method, path).status, 404, path)
        self.assertEqual(rival.post("/v1/model-operations", {"action": "verify", "model": "tiny"}).status, 404)
        self.assertEqual(rival.get("/v1/model-operations").json["items"], [])
        for body in ({"kind": "sentiment", "args": {"model": "tiny", "texts": ["a"]}},
                     {"kind": "sentiment", "args": {"models": ["tiny", "vader"], "texts": ["a"]}},
                     {"kind": "profile", "args": {"mode": "sentiment", "sentiment_model": "tiny"}}):
            reply = rival.post("/v1/jobs", body)
            self.assertEqual(reply.status, 422, body)
            self.assertNotIn("Available: vader, tiny", reply.body.decode())
            self.assertEqual(self.api.post("/v1/jobs", body).status, 202, body)
        self.assertEqual(rival.send("PUT", "/v1/policies/desk", {"model": "tiny"}).json["missing"], ["tiny"])
        # A pull under its name reveals no more than that the name is taken.
        self.assertEqual(rival.post("/v1/model-operations", {"action": "pull", "model": "desk/tiny", "name": "tiny"}).status, 409)

    def test_members_read_and_change_nothing(self):
        self.server.admin("add-user", "mia")
        self.server.admin("set-member", "--user", "mia", "--team", "main", "--role", "member")
        member = self.server.api("mia", "main", ("jobs:read", "jobs:write"))
        self.assertEqual(member.get("/v1/model-operations").status, 200)
        for method, path, body in (("POST", "/v1/model-operations", {"action": "pull", "model": "finbert"}), ("DELETE", "/v1/models/finbert", None),
                                   ("POST", f"/v1/model-operations/{UNKNOWN}/cancellation", None)):
            self.assertEqual(member.send(method, path, body).status, 403, path)
        self.assertEqual(self.audited(), [])


if __name__ == "__main__":
    unittest.main()
