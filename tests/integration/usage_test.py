"""Usage as the real server reports it: by REST, as CSV and on the command line."""

import csv
import io
import unittest

from harness import Server


class Usage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()

    def usage(self, query=""):
        reply = self.api.get("/v1/usage" + query)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def usage_until(self, tasks):
        """A duty counts what completions noted."""
        while (found := self.usage("?group_by=hour,team,user,kind"))["total"]["tasks"] < tasks:
            pass
        return found

    def test_usage_of_jobs_is_reported_and_outlives_them(self):
        jobs = [self.api.submit_texts([f"a good day {n}", "a bad day"]) for n in range(3)]
        for job in jobs:
            self.api.wait(job)
        found = self.usage_until(3)
        self.assertEqual((found["total"]["jobs"], found["total"]["items"]), (3, 6))
        self.assertGreater(found["total"]["device_seconds"], 0)
        row = found["items"][0]
        self.assertEqual((row["kind"], row["user"]["name"]), ("sentiment", self.api.get("/v1/users/me").json["user"]["name"]))

        self.assertEqual(self.api.send("DELETE", f"/v1/jobs/{jobs[0]}").status, 204)
        by_kind = self.usage("?group_by=kind")
        self.assertEqual([(r["kind"], r["tasks"], r["start"], r["team"]) for r in by_kind["items"]], [("sentiment", 3, None, None)])

        table = self.api.get("/v1/usage.csv?group_by=day,kind")
        lines = list(csv.DictReader(io.StringIO(table.body.decode())))
        self.assertEqual(sum(int(line["items"]) for line in lines), 6)
        self.assertGreater(float(lines[0]["device_seconds"]), 0)

        shown = self.server.run("usage", "--by", "kind").stdout
        self.assertRegex(shown, r"(?m)^sentiment +[0-9.]+ +3 +6 +3$")
        self.assertRegex(shown, r"(?m)^total +[0-9.]+ +3 +6 +3$")
        self.assertEqual(self.server.run("usage", "--by", "day,kind", "--csv").stdout.splitlines()[0], ",".join(lines[0]))
        self.assertEqual(self.server.run("usage", "--from", "yesterday", check=False).returncode, 2)


if __name__ == "__main__":
    unittest.main()
