"""Other columns of a file: kept in the results, and used to break down reports; inline, as a dataset, by REST."""

import csv
import io
import json
import unittest

from harness import Server

TEXTS = ["A brilliant quarter", "A terrible loss", "The meeting is on Tuesday"]
REGIONS = ["EU", "US", ""]


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        cls.path = cls.server.folder / "reviews.csv"
        cls.path.write_text("region;when;said;customer\n" + "".join(
            f"{REGIONS[i % 3]};2026-03-{1 + i // 24:02}T{i % 24:02}:30:00Z;{TEXTS[i % 3]} {i};{('=1+1', 'Ann')[i % 2]}\n" for i in range(60)))

    def submit(self, *more):
        done = json.loads(self.server.run("submit", "sentiment", self.path, "--set", "model=vader", "--column", "text=said", "--column", "time=when",
                                          "--keep", "customer,region", "--group-by", "region", "--watch", "--json", *more).stdout)
        return done["id"]

    def check(self, job):
        rows = self.api.results(job)
        self.assertEqual(rows[0]["kept"], {"customer": "=1+1", "region": "EU"})
        self.assertEqual([row["group"] for row in rows[:2]], ["EU", "US"])
        self.assertEqual(rows[1]["time"], "2026-03-01T01:30:00Z")
        summary = self.api.get(f"/v1/jobs/{job}/report").json["summary"]
        groups = {group["name"]: group for group in summary["by_group"]["groups"]}
        self.assertEqual({name: (group["texts"], group["positive"], group["negative"]) for name, group in groups.items()},
                         {"EU": (20, 20, 0), "US": (20, 0, 20), None: (20, 0, 0)})
        self.assertEqual((summary["over_time"]["unit"], len(summary["over_time"]["points"]), summary["over_time"]["undated"]), ("hour", 60, 0))
        self.assertIsNone(summary["by_source"])
        text = self.server.run("results", job, "--format", "csv").stdout
        table = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual((table[0]["customer"], table[0]["region"], table[1]["customer"]), ("'=1+1", "EU", "Ann"))
        self.assertNotIn("kept", table[0])
        found = self.server.run("results", job, "--label", "positive", "--contains", f"{TEXTS[0].upper()} 3").stdout.splitlines()
        self.assertEqual([json.loads(row)["index"] for row in found], [3, 30, 33, 36, 39])
        self.assertEqual(self.server.run("results", job, "--label", "failed").stdout, "")
        # The columns have the order of the file, region before customer, neither the alphabet's nor that of --keep.
        self.assertLess(list(table[0]).index("region"), list(table[0]).index("customer"))

    def test_of_a_file(self):
        self.check(self.submit())

    def test_of_a_dataset(self):
        dataset = json.loads(self.server.run("datasets", "upload", self.path, "--json").stdout)["id"]
        args = {"model": "vader", "dataset": dataset,
                "columns": {"text": "said", "time": "when", "group": "region", "keep": ["customer", "region"]}}
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": args}).json["id"])
        # An empty cell of CSV is no group.
        self.check(job["id"])
        wrong = self.api.send("POST", "/v1/jobs", {"kind": "sentiment", "args": args | {"columns": {"text": "said", "keep": ["zone"]}}})
        self.assertEqual((wrong.status, wrong.json["errors"][0]["pointer"]), (422, "/args/columns/keep"))

    def test_of_a_request(self):
        items = [{"text": TEXTS[0], "group": "EU", "source": "wire", "kept": {"a": "1"}}, {"text": TEXTS[1], "kept": {"b": "x" * 5000}}]
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": "vader", "items": items}}).json["id"])
        rows = self.api.results(job["id"])
        self.assertEqual((rows[0]["kept"], rows[0]["group"], rows[1]["error_code"]), ({"a": "1"}, "EU", "invalid_record"))
        self.assertEqual(self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]["by_source"]["groups"][0]["name"], "wire")
        header = self.server.run("results", job["id"], "--format", "csv").stdout.splitlines()[0]
        # Nothing of policies, comparisons, models that read tokens, datasets, and what no item has.
        self.assertEqual(header, "index,text,label,compound,positive,neutral,negative,model,source,group,a,b,error_code,error")
        ordered = {"model": "vader", "items": [{"text": "a", "kept": {"a": "1", "b": "2", "c": "3"}}], "columns": {"keep": ["c", "a"]}}
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": ordered}).json["id"])
        header = self.server.run("results", job["id"], "--format", "csv").stdout.splitlines()[0]
        self.assertIn("c,a,b", header)
        refused = self.api.send("POST", "/v1/jobs", {"kind": "sentiment", "args": ordered | {"columns": {"text": "a"}}})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/args/columns"))
        many = [{"text": "a", "kept": {f"name {i} {j}": "" for j in range(20)}} for i in range(6)]
        refused = self.api.send("POST", "/v1/jobs", {"kind": "sentiment", "args": {"model": "vader", "items": many}})
        self.assertEqual((refused.status, refused.json["errors"][0]["pointer"]), (422, "/args/items"))

    def test_omitted_members_are_reported(self):
        told = self.server.run("submit", "sentiment", "--set", "model=vader", "--column", "text=said", self.path, "--keep", "region").stderr
        self.assertIn("not sent: when, customer", told)
        wrong = self.server.run("submit", "sentiment", self.path, "--column", "text=said", "--keep", "zone", check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn('no column "zone"', wrong.stderr)


if __name__ == "__main__":
    unittest.main()
