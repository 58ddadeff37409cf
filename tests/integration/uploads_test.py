"""Many uploads at once: each arrives whole, and the server's memory stays within its bounds."""

import json
import os
import pathlib
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from harness import Server, memory

UPLOADS, TEAMS = 64, 8
# Of each upload, and at the most of memory for them all: 64 MiB are the limit of all bodies together; what is cut,
# compressed and on its way to the database takes more.
MEGABYTES, MOST_MEGABYTES = (16, 192) if os.environ.get("PLIMSOLL_LONG_TESTS") else (3, 128)


def reset_peak(pid):
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


class Uploads(unittest.TestCase):
    def setUp(self):
        self.server = Server(engine__local="false").start()
        self.addCleanup(self.server.remove)
        self.server.admin("add-user", "eve")
        self.apis = []
        for number in range(TEAMS):  # a team may have a few uploads at a time only
            self.server.admin("add-team", f"team-{number}")
            self.server.admin("set-member", "--team", f"team-{number}", "--user", "eve", "--role", "owner")
            self.apis.append(self.server.api(user="eve", team=f"team-{number}"))

    def test_64_at_once_arrive_whole_in_bounded_memory(self):
        line = json.dumps({"text": "Fair winds, and a ship that carries what its line allows. " * 4}) + "\n"
        count = (MEGABYTES << 20) // len(line)
        body = (line * count).encode()
        together, ended, refused = threading.Barrier(UPLOADS), threading.Condition(), []

        def upload(number):
            api = self.apis[number % TEAMS]
            dataset = api.post("/v1/datasets", {"name": f"file-{number}", "format": "jsonl", "bytes": len(body)}).json
            together.wait()
            while dataset["state"] == "uploading":
                at = dataset["bytes_received"]
                try:
                    reply = api.send("PUT", f"/v1/datasets/{dataset['id']}/content?offset={at}", body[at:],
                                     headers={"Content-Type": "application/octet-stream"})
                except OSError:  # refused before all was sent
                    reply = None
                with ended:
                    if reply is None or reply.status != 200:
                        refused.append(reply and (reply.status, reply.headers["Retry-After"]))
                        ended.wait(int(reply.headers["Retry-After"]) if reply else 1)
                    else:
                        ended.notify_all()
                dataset = api.get(f"/v1/datasets/{dataset['id']}").json
            return dataset

        pid = self.server.process.pid
        before = memory(pid, "VmRSS")
        reset_peak(pid)
        with ThreadPoolExecutor(UPLOADS) as pool:
            datasets = list(pool.map(upload, range(UPLOADS)))
        self.assertEqual({(d["state"], d["records"], d["records_failed"]) for d in datasets}, {("ready", count, 0)})
        self.assertEqual({reply for reply in refused if reply} - {(503, str(n)) for n in range(1, 60)}, set())
        more = (memory(pid, "VmHWM") - before) >> 20
        print(f"{UPLOADS} uploads of {MEGABYTES} MiB, {len(refused)} refusals: {more} MiB more at the most")
        self.assertLess(more, MOST_MEGABYTES)


if __name__ == "__main__":
    unittest.main()
