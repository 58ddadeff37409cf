"""The same waves job on one worker and on several, of one class and of two: rows, ranks and k of n are the same."""

import os
import random
import signal
import subprocess
import time
import unittest

import psycopg
from harness import BIN, PATIENCE, Server, descendants

URL = os.environ["PLIMSOLL_TEST_DATABASE_URL"]  # as the superuser
APP = URL.replace("//postgres@", "//plimsoll_app@")
WORKER = URL.replace("//postgres@", "//plimsoll_worker@")


def walks(symbols, bars):
    chance = random.Random(7)
    lines = ["symbol,close"]
    for symbol in range(symbols):
        price = 100.0
        for _ in range(bars):
            price *= 1 + chance.gauss(0, 0.02)
            lines.append(f"W{symbol},{price:.4f}")
    return "\n".join(lines) + "\n"


class WavesWorkers(unittest.TestCase):
    def setUp(self):
        subprocess.run([BIN / "plimsoll", "migrate", "--database.url", APP, "--database.migrate_url", URL], check=True,
                       stdout=subprocess.DEVNULL, timeout=PATIENCE)
        server = Server(database__url=APP, engine__local="false").start()
        self.addCleanup(server.remove)
        self.api = server.api()

    def engine(self, node):
        engine = subprocess.Popen([BIN / "plimsoll", "engine", "--database.worker_url", WORKER],
                                  env={**os.environ, "PLIMSOLL_NODE": node},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(engine.wait, PATIENCE)
        self.addCleanup(engine.send_signal, signal.SIGTERM)
        return engine

    def submit(self, args):
        reply = self.api.post("/v1/jobs", {"kind": "waves", "args": args})
        self.assertEqual(reply.status, 202, reply.body[:500])
        return reply.json["id"]

    def finished(self, args=None, job=None):
        job = job or self.submit(args)
        ended = self.api.wait(job)
        self.assertEqual(ended["state"], "succeeded", ended)
        return self.api.get(f"/v1/jobs/{job}/report").json["summary"], self.api.results(job)

    def test_results_do_not_depend_on_the_number_of_workers(self):
        # Each symbol's chance series are predicted to fill a task.
        args = {"prices": walks(16, 300), "surrogates": 400, "top_n": 3}
        self.engine("first")
        alone = self.finished(args)
        self.assertEqual(len(alone[1]), 16)
        self.assertTrue(all(row["report"]["counts"][0]["chance"]["surrogates"] == 400 for row in alone[1]))
        for node in ("second", "third"):
            self.engine(node)
        for _ in range(2):  # the workers of the new ones may come while the first job runs
            self.check_same(self.finished(args), alone)
        # Nor on the number of threads.
        summary, rows = self.finished({**args, "processes": 1})
        self.assertEqual(rows, alone[1])

    def but_who(self, summary):
        """The report without the workers that searched; every symbol has one."""
        self.assertEqual(sum(it["symbols"] for it in summary["computed"]), summary["symbols"] - len(summary["errors"]))
        self.assertLessEqual({(it["by"], it["node"]) for it in summary["computed"]},
                             {("processor", node) for node in ("first", "second", "third")})
        return {**summary, "computed": None}

    def check_same(self, found, expected):
        self.assertEqual(self.but_who(found[0]), self.but_who(expected[0]))
        self.assertEqual(found[1], expected[1])

    def sql(self, query):
        with psycopg.connect(URL, autocommit=True) as connection:
            return connection.execute(query).fetchone()[0]

    def test_an_idle_device_of_another_class_helps(self):
        args = {"prices": walks(96, 300), "surrogates": 400, "top_n": 3}
        self.engine("node")
        deadline = time.monotonic() + PATIENCE
        while ("opencl:pocl:0", "ready") not in {(it["device"], it["state"]) for it in self.api.get("/v1/devices").json["items"]}:
            self.assertLess(time.monotonic(), deadline)
        alone = self.finished({**args, "use_gpu": False})
        # The device of the job's class claims nothing for now, and the host is idle.
        hold = self.sql("select plimsoll.place_hold('device', id::text, 'pause', 'Test.', true, 1) from plimsoll.worker where device = 'opencl:pocl:0'")
        other = self.api.post("/v1/jobs", {"kind": "profile", "args": {"mode": "engine", "device_class": "cpu"}}).json["id"]
        job = self.submit({**args, "use_gpu": True})
        while self.sql("select count(*) from plimsoll.result where job_id = (select max(id) from plimsoll.job)") == 0:
            self.assertLess(time.monotonic(), deadline)
        # Of a profile no two devices find the same.
        self.assertEqual(self.api.get(f"/v1/jobs/{other}").json["state"], "queued")
        self.api.post(f"/v1/jobs/{other}/cancel")
        self.assertTrue(self.sql(f"select plimsoll.lift_hold({hold}, null)"))
        summary, rows = self.finished(job=job)
        self.assertEqual(rows, alone[1])
        self.assertEqual({(it["by"], it["node"]) for it in summary["computed"]},
                         {("processor", "node"), ("opencl:pocl:0 (CPU flavour)", "node")})
        self.assertEqual(summary["ranking"], alone[0]["ranking"])
        # What the host did cost the class's account the estimate.
        self.assertTrue(self.sql("""select bool_and(abs(r.seconds - t.est_seconds) < 1e-6) from plimsoll.result r
            join plimsoll.job_task t on t.job_id = r.job_id and t.seq = r.seq join plimsoll.worker w on w.id = r.worker_id
            where w.device = 'host' and r.job_id = (select max(id) from plimsoll.job)"""))

    def test_workers_share_the_chance_series_of_a_symbol(self):
        args = {"prices": walks(2, 300) + "bad,0\n", "mode": "compatible", "surrogates": 2000, "top_n": 3}
        engine = self.engine("first")
        alone = self.finished(args)
        self.assertEqual([row["symbol"] for row in alone[1]], ["W0", "W1", "bad"])
        for row in alone[1][:2]:
            self.assertEqual(row["report"]["counts"][0]["chance"]["surrogates"], 2000)
            self.assertEqual(row["p_value"], row["report"]["counts"][0]["chance"]["p_value"])
        csv = self.api.get(f"/v1/jobs/{self.submit_and_wait(args)}/results.csv").body.decode()
        self.assertEqual(csv.count("\n"), 4, csv)
        self.assertTrue(csv.startswith("index,"), csv)

        # A worker that dies loses nothing: another runs its tasks.
        job = self.submit(args)
        while self.api.get(f"/v1/jobs/{job}?wait=1").json["state"] == "queued":
            pass
        self.engine("second")
        for process in [engine.pid, *descendants(engine.pid)]:
            os.kill(process, signal.SIGKILL)
        self.check_same(self.finished(job=job), alone)
        self.engine("third")
        self.check_same(self.finished(args), alone)

    def submit_and_wait(self, args):
        job = self.submit(args)
        self.api.wait(job)
        return job


if __name__ == "__main__":
    unittest.main()
