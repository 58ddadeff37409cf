"""Several models on the same texts, over REST and by the command line, through the real server and PoCL."""

import json
import unittest

from harness import Server
from tiny_model import install, until_offered, write_two_classes

GOOD = "A brilliant quarter and a wonderful year"
BAD = "A terrible loss and a dismal outlook"
PLAIN = "The meeting is on Tuesday"


class Comparison(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        install(cls.server, cls.api, "finbert", "twin")  # the same weights: they must agree on everything
        write_two_classes(cls.server.folder / "two")
        cls.server.run("model", "add", cls.server.folder / "two", "--name", "two")
        until_offered(cls.api, "finbert", "twin", "two")

    def compared(self, **args):
        job = self.api.wait(self.api.post("/v1/jobs", {"kind": "sentiment", "args": args}).json["id"])
        self.assertEqual(job["state"], "succeeded", job)
        summary = self.api.get(f"/v1/jobs/{job['id']}/report").json["summary"]
        return self.api.results(job["id"]), summary["compared"]

    def test_every_model_scores_every_text(self):
        items = [{"text": text, "label": label} for text, label in ((GOOD, "positive"), (BAD, "bearish"), (PLAIN, "0"))] * 40
        rows, compared = self.compared(models=["finbert", "twin", "vader"], items=items, label_names={"0": "neutral"})
        self.assertEqual(len(rows), 120)
        alone = self.api.post("/v1/jobs", {"kind": "sentiment", "args": {"model": "finbert", "texts": [GOOD]}}).json["id"]
        self.api.wait(alone)
        self.assertEqual(rows[0]["compound"], self.api.results(alone)[0]["compound"])
        self.assertEqual(rows[0]["models"]["finbert"]["compound"], rows[0]["compound"])
        self.assertEqual((rows[0]["model"], rows[1]["given_label"]), ("finbert", "bearish"))
        self.assertEqual(list(compared["comparison"]), ["finbert", "twin", "vader"])
        twins, other, _ = compared["pairs"]
        self.assertEqual((twins["first"], twins["second"], twins["agreement"], twins["correlation"]), ("finbert", "twin", 1, 1))
        self.assertLess(other["correlation"], 1)
        self.assertEqual(compared["given"]["labels"], {"positive": 40, "neutral": 40, "negative": 40})
        for name, model in compared["comparison"].items():
            said = [row["models"][name]["label"] for row in rows]
            truth = ["positive", "negative", "neutral"] * 40
            self.assertEqual(model["accuracy"]["accuracy"], sum(map(str.__eq__, said, truth)) / 120, name)
            self.assertGreater(model["items_per_second"], 0)
            self.assertEqual(model["success"], True)
        self.assertGreater(compared["comparison"]["finbert"]["memory_bytes"], 0)
        self.assertEqual(compared["comparison"]["vader"]["memory_bytes"], 0)
        self.assertEqual(compared["fastest"], "vader")
        self.assertIsNotNone(compared["recommendation"]["model"])

    def test_a_model_of_two_labels_meets_three_by_the_rule_that_is_given(self):
        items = [{"text": text, "label": label} for text, label in ((GOOD, "positive"), (BAD, "negative"), (PLAIN, "neutral"))] * 40
        _, compared = self.compared(models=["two", "finbert"], items=items)
        self.assertIsNone(compared["comparison"]["two"]["accuracy"], "it can say nothing neutral")
        self.assertEqual(compared["comparison"]["finbert"]["accuracy"]["accuracy"], 1)
        self.assertIn("two has no neutral label, and 40 texts are neutral: set neutral_within", compared["recommendation"]["text"])
        rows, compared = self.compared(models=["two", "finbert"], items=items, neutral_within=0.1)
        self.assertEqual([row["models"]["two"]["label"] for row in rows[:2]], ["positive", "negative"])
        self.assertLess(abs(rows[2]["models"]["two"]["compound"]), 0.1)
        judged = compared["comparison"]["two"]["accuracy"]
        self.assertEqual((judged["accuracy"], judged["macro_f1"]), (1, 1))
        # Positive and negative alone ask for no rule.
        _, compared = self.compared(models=["two", "finbert"], items=[item for item in items if item["label"] != "neutral"])
        self.assertEqual(compared["comparison"]["two"]["accuracy"]["accuracy"], 1)

    def test_labels_of_one_class_decide_nothing(self):
        _, compared = self.compared(models=["finbert", "vader"], items=[{"text": f"{GOOD} {i}", "label": "positive"} for i in range(120)])
        self.assertEqual(compared["recommendation"], {"model": None, "text": "No model is recommended: all labels are the same."})
        self.assertEqual(compared["given"]["labels"], {"positive": 120, "neutral": 0, "negative": 0})

    def test_what_makes_no_sense_is_refused_with_its_member(self):
        for args, pointer in (({"models": ["finbert", "nobody"], "texts": ["a"]}, "/args/models/1"),
                              ({"models": ["finbert", "finbert"], "texts": ["a"]}, "/args/models/1"),
                              ({"models": [], "texts": ["a"]}, "/args/models"),
                              ({"models": ["vader"] * 6, "texts": ["a"]}, "/args/models"),
                              ({"models": ["vader"], "model": "vader", "texts": ["a"]}, "/args/models"),
                              ({"models": ["vader"], "items": [{"text": "a", "label": "odd"}]}, "/args/items/0/label"),
                              ({"models": ["vader"], "label_names": {"1": "good"}, "texts": ["a"]}, "/args/label_names/1"),
                              ({"label_names": {"1": "positive"}, "texts": ["a"]}, "/args/label_names")):
            answer = self.api.send("POST", "/v1/jobs", {"kind": "sentiment", "args": args})
            self.assertEqual((answer.status, answer.json["errors"][0]["pointer"]), (422, pointer), answer)

    def test_a_file_by_the_command_line(self):
        path = self.server.folder / "labelled.csv"
        lines = [f"{i},{(GOOD, BAD, PLAIN)[i % 3]} {i},{('1', '-1', 'odd')[i % 3]}" for i in range(150)]
        path.write_text("\n".join(["id,headline,label", *lines]) + "\n")
        apart = self.server.folder / "apart.jsonl"
        told = self.server.run("compare-models", path, "--models", "finbert,vader", "--column", "text=headline", "--column", "custom_id=id",
                               "--label-name", "1=positive", "--label-name", "-1=negative", "--label-name", "odd=neutral",
                               "--disagreements", apart)
        self.assertIn("ACCURACY", told.stdout)
        self.assertRegex(told.stdout, r"finbert +\d")
        rows = [json.loads(line) for line in apart.read_text().splitlines()]
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(len(set(row["models"].values())), 2)
            self.assertEqual(row["label"], ("1", "-1", "odd")[row["index"] % 3])
            self.assertEqual(row["custom_id"], str(row["index"]))
        report = json.loads(self.server.run("compare-models", path, "--models", "finbert,vader", "--column", "text=headline",
                                            "--column", "label=id", "--label-name", "7=positive", "--json", check=False).stdout or "{}")
        self.assertEqual(report, {}, "labels that mean nothing are refused in a file as inline")

    def test_all_models_of_the_pool_on_a_file_without_labels(self):
        path = self.server.folder / "plain.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in (GOOD, BAD, PLAIN)))
        told = json.loads(self.server.run("compare-models", path, "--json").stdout)
        models = told["summary"]["compared"]["models"]
        self.assertEqual((models[0], sorted(models)), ("finbert", ["finbert", "twin", "two", "vader"]))
        self.assertIsNone(told["summary"]["compared"]["given"])
        self.assertIn("have no labels", told["summary"]["compared"]["recommendation"]["text"])

    def test_a_dataset_counts_unknown_labels(self):
        path = self.server.folder / "half.csv"
        path.write_text("text,label\n" + f"{GOOD},positive\n{BAD},\n{PLAIN},mixed\n" * 10)
        dataset = json.loads(self.server.run("datasets", "upload", path, "--json").stdout)["id"]
        rows, compared = self.compared(models=["vader"], dataset=dataset)
        self.assertEqual((compared["given"]["labelled"], compared["given"]["unlabelled"], compared["given"]["unknown"]), (10, 10, 10))
        self.assertEqual(compared["given"]["unknown_labels"], [{"label": "mixed", "texts": 10}])
        self.assertEqual(compared["recommendation"]["model"], None)
        self.assertEqual(rows[2]["given_label"], "mixed")


if __name__ == "__main__":
    unittest.main()
