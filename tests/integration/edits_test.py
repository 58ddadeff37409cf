"""Edits with If-Match: of every resource of the contract that has it, one of those that are based on one version is made."""

import concurrent.futures
import unittest

from harness import Server

STALE = '"0"'


class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(webhooks__allowed_origins="https://hooks.example.com").start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api("admin", "main", ("jobs:read", "jobs:write", "reports:read", "team:admin", "sys:admin"))
        document = cls.api.get("/openapi.json").json
        cls.edited = {item[method]["operationId"] for item in document["paths"].values() for method in ("put", "patch")
                      if {"$ref": "#/components/parameters/IfMatch"} in item.get(method, {}).get("parameters", [])}

    def made(self, path, body, *names):
        answer = self.api.post(path, body)
        self.assertLess(answer.status, 300, answer.body)
        thing = answer.json
        for name in names:
            thing = thing[name]
        return thing

    def resources(self):
        """Operation, method, path, and the body of an edit by its number."""
        user = self.made("/v1/users", {"name": "eve"}, "id")
        yield "updateUser", "PATCH", f"/v1/users/{user}", lambda n: {"email": f"eve{n}@example.com"}
        team = self.made("/v1/teams", {"name": "ops"}, "id")
        yield "updateTeam", "PATCH", f"/v1/teams/{team}", lambda n: {"name": f"ops {n}"}
        own = self.api.get("/v1/users/me").json["team"]["id"]
        member = f"/v1/teams/{own}/members/{user}"
        self.api.send("PUT", member, {"role": "viewer"})
        yield "setTeamMember", "PUT", member, lambda n: {"role": ("viewer", "member", "admin")[n % 3]}
        share = f"/v1/teams/{own}/shares/cpu"
        self.api.send("PUT", share, {"weight": 1})
        yield "setShare", "PUT", share, lambda n: {"weight": 1.1 + n, "cap": n, "quota": {"seconds": 0.1 * n, "period": "day"}}
        yield "setTeamLimits", "PUT", f"/v1/teams/{own}/limits", lambda n: {"queued_jobs": 1000 + n}
        yield "setDeviceClass", "PUT", "/v1/device-classes/cpu", lambda n: {"half_life_seconds": 0.1 + n, "entry_limit_seconds": n}
        account = self.made("/v1/service-accounts", {"name": "ci"}, "id")
        yield "updateServiceAccount", "PATCH", f"/v1/service-accounts/{account}", lambda n: {"name": f"ci {n}"}
        token = self.made("/v1/tokens", {"name": "nightly", "scopes": ["jobs:read"]}, "token", "id")
        yield "updateToken", "PATCH", f"/v1/tokens/{token}", lambda n: {"name": f"nightly {n}"}
        hook = self.made("/v1/webhooks", {"name": "log", "url": "https://hooks.example.com/a"}, "webhook", "id")
        yield "updateWebhook", "PATCH", f"/v1/webhooks/{hook}", lambda n: {"url": f"https://hooks.example.com/{n}"}
        self.api.send("PUT", "/v1/policies/desk", {"model": "vader"})
        yield "setPolicy", "PUT", "/v1/policies/desk", lambda n: {"model": "vader", "description": f"number {n}"}
        card = {"name": "Card", "memory_gib": 16, "bandwidth_gb_s": 300, "fp32_tflops": 8}
        self.api.send("PUT", "/v1/gpu-profiles/card", card)
        yield "setGpuProfile", "PUT", "/v1/gpu-profiles/card", lambda n: {**card, "memory_gib": 17 + n}
        job = {"kind": "sentiment", "args": {"texts": ["calm"]}}
        schedule = self.made("/v1/schedules", {"name": "nightly", "cron": "@daily", "job": job}, "id")
        yield ("replaceSchedule", "PUT", f"/v1/schedules/{schedule}",
               lambda n: {"name": f"nightly {n}", "cron": "@daily", "job": job})

    def version(self, path):
        """As a read of the resource tells it, or the list that has it."""
        one = self.api.get(path)
        if one.status == 200:
            self.assertEqual(one.headers["ETag"], f'"{one.json["version"]}"')
            return one.headers["ETag"]
        place, _, name = path.rpartition("/")
        if name in ("cpu", "gpu"):
            items = self.api.get("/v1/queue").json["shares" if place.endswith("/shares") else "classes"]
        else:
            items = self.api.get(place).json["items"]
        [found] = [item for item in items if name in (item.get("id"), item.get("user", {}).get("id"), item.get("device_class"))
                   and item.get("team", {}).get("id", "") in path]
        return f'"{found["version"]}"'

    def test_of_each_version_one_edit_is_made(self):
        seen = set()
        for operation, method, path, body in self.resources():
            seen.add(operation)
            with self.subTest(operation):
                edit = lambda number, version: self.api.send(method, path, body(number), {"If-Match": version})  # noqa: E731
                version = self.version(path)
                self.assertEqual(self.version(path), version)
                self.assertEqual(edit(1, STALE).status, 412)
                self.assertEqual(edit(1, "*").status, 400)
                answer = edit(1, version)
                self.assertEqual(answer.status, 200, answer.body)
                self.assertNotEqual(answer.headers["ETag"], version)
                self.assertEqual(answer.headers["ETag"], self.version(path))
                late = edit(2, version)
                self.assertEqual((late.status, late.json["type"]), (412, "/docs/problems/precondition-failed"))
                self.assertEqual(self.api.send(method, path, body(3)).status, 200)
                self.assertEqual(edit(4, answer.headers["ETag"]).status, 412)
        self.assertEqual(seen, self.edited)

    def test_a_put_that_only_creates_replaces_nothing(self):
        card = {"memory_gib": 16, "bandwidth_gb_s": 300, "fp32_tflops": 8}
        for path, body in (("/v1/policies/only", {"model": "vader"}), ("/v1/gpu-profiles/only", card)):
            with self.subTest(path), concurrent.futures.ThreadPoolExecutor(4) as threads:
                create = lambda path: self.api.send("PUT", path, body, {"If-None-Match": "*"}).status  # noqa: E731
                self.assertEqual(self.api.send("PUT", path, body, {"If-None-Match": '"0"'}).status, 400)
                self.assertEqual(self.api.send("PUT", path, body, {"If-None-Match": "*", "If-Match": STALE}).status, 412)
                self.assertEqual(create(path), 200)
                self.assertEqual(create(path), 412)
                version = self.version(path)
                self.assertEqual(self.api.send("PUT", path, body, {"If-None-Match": "*", "If-Match": version}).status, 412)
                self.assertEqual(sorted(threads.map(create, [path + "_race"] * 4)), [200, 412, 412, 412])

    def test_a_built_in_gpu_profile_is_replaced_only_knowingly(self):
        card = {"memory_gib": 16, "bandwidth_gb_s": 300, "fp32_tflops": 8}
        put = lambda headers: self.api.send("PUT", "/v1/gpu-profiles/t4", card, headers).status  # noqa: E731
        self.assertEqual(put({"If-None-Match": "*"}), 412)
        version = self.version("/v1/gpu-profiles/t4")
        self.assertEqual(put({"If-Match": version}), 200)
        self.assertEqual(put({"If-Match": version}), 412)

    def test_one_of_several_concurrent_edits_wins(self):
        own = f"/v1/teams/{self.api.get('/v1/users/me').json['team']['id']}"
        for path, body in (("/v1/policies/race", lambda n: {"model": "vader", "description": f"number {n}"}),
                           (own + "/shares/gpu", lambda n: {"weight": 1 + n}), (own + "/limits", lambda n: {"queued_jobs": 500 + n}),
                           ("/v1/device-classes/gpu", lambda n: {"half_life_seconds": 100 + n, "entry_limit_seconds": 1})):
            with self.subTest(path), concurrent.futures.ThreadPoolExecutor(4) as threads:
                for number in range(10):
                    self.api.send("PUT", path, body(10 * number))
                    version = self.version(path)
                    answers = threads.map(lambda one: self.api.send("PUT", path, body(10 * number + one + 1), {"If-Match": version}), range(4))
                    self.assertEqual(sorted(answer.status for answer in answers), [200, 412, 412, 412])


if __name__ == "__main__":
    unittest.main()
