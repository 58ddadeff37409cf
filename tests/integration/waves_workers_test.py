"""The same waves job on one worker and on several: rows, ranks and k of n are the same."""

import os
import random
import signal
import subprocess
import unittest

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
            summary, rows = self.finished(args)
            self.assertEqual(summary, alone[0])
            self.assertEqual(rows, alone[1])
        # Nor on the number of threads.
        summary, rows = self.finished({**args, "processes": 1})
        self.assertEqual(rows, alone[1])

    def test_workers_share_the_chance_series_of_a_symbol(self):
        args = {"prices": walks(2, 300) + "bad,0\n", "mode": "compatible", "surrogates": 2000, "top_n": 3}
        engine = self.engine("first")
        alone = self.finished(args)
        self.assertEqual([row["symbol"] for row in alone[1]], ["W0", "W1", "bad"])
        for row in alone[1][:2]:
            self.assertEqual(row["report"]["counts"][0]["chance"]["surrogates"], 2000)
            self.assertEqual(row["p_value"], row["report"]["counts"][0]["chance"]["p_value"])
        csv = self.api.get(f"/v1/jobs/{self.submit_and_wait(args)}/results?format=csv").body.decode()
        self.assertEqual(csv.count("\n"), 4, csv)
        self.assertTrue(csv.startswith("index,"), csv)

        # A worker that dies takes nothing along: another does what it had begun.
        job = self.submit(args)
        while self.api.get(f"/v1/jobs/{job}?wait=1").json["state"] == "queued":
            pass
        self.engine("second")
        for process in [engine.pid, *descendants(engine.pid)]:
            os.kill(process, signal.SIGKILL)
        self.assertEqual(self.finished(job=job), alone)
        self.engine("third")
        self.assertEqual(self.finished(args), alone)

    def submit_and_wait(self, args):
        job = self.submit(args)
        self.api.wait(job)
        return job


if __name__ == "__main__":
    unittest.main()
