"""The same waves job on one worker and on several: rows, ranks and k of n are the same."""

import os
import random
import signal
import subprocess
import unittest

from harness import BIN, PATIENCE, Server

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
    def engine(self, node):
        engine = subprocess.Popen([BIN / "plimsoll", "engine", "--database.worker_url", WORKER],
                                  env={**os.environ, "PLIMSOLL_NODE": node},
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(engine.wait, PATIENCE)
        self.addCleanup(engine.send_signal, signal.SIGTERM)

    def finished(self, api, args):
        reply = api.post("/v1/jobs", {"kind": "waves", "args": args})
        self.assertEqual(reply.status, 202, reply.body[:500])
        job = reply.json["id"]
        ended = api.wait(job)
        self.assertEqual(ended["state"], "succeeded", ended)
        return api.get(f"/v1/jobs/{job}/report").json["summary"], api.results(job)

    def test_results_do_not_depend_on_the_number_of_workers(self):
        subprocess.run([BIN / "plimsoll", "migrate", "--database.url", APP, "--database.migrate_url", URL], check=True,
                       stdout=subprocess.DEVNULL, timeout=PATIENCE)
        server = Server(database__url=APP, engine__local="false").start()
        self.addCleanup(server.remove)
        api = server.api()
        # Each symbol's chance series are predicted to fill a task.
        args = {"prices": walks(16, 300), "surrogates": 400, "top_n": 3}
        self.engine("first")
        alone = self.finished(api, args)
        self.assertEqual(len(alone[1]), 16)
        self.assertTrue(all(row["report"]["counts"][0]["chance"]["surrogates"] == 400 for row in alone[1]))
        for node in ("second", "third"):
            self.engine(node)
        for _ in range(2):  # the workers of the new ones may come while the first job runs
            summary, rows = self.finished(api, args)
            self.assertEqual(summary, alone[0])
            self.assertEqual(rows, alone[1])
        # Nor on the number of threads.
        summary, rows = self.finished(api, {**args, "processes": 1})
        self.assertEqual(rows, alone[1])


if __name__ == "__main__":
    unittest.main()
