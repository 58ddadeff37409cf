"""Two servers behind HAProxy, as deploy/SCALING.md shows it, restarted one after the other with their default settings while
clients call: no request fails."""

import re
import threading
import unittest

from harness import PATIENCE, ROOT, Api, Server
from proxies_test import OPERATING, Proxy, free_port, with_values
from queue_client import url_for

BACKEND = re.search(r"^```haproxy\n(.*?)^```", (ROOT / "deploy/SCALING.md").read_text(), re.S | re.M)[1]
FRONTEND = re.search(r"^```haproxy\n(.*?)^backend", OPERATING, re.S | re.M)[1]
CLIENTS = 4
ROUNDS = 2


class RollingRestart(unittest.TestCase):
    def test_no_request_fails(self):
        servers = [Server(database__url=url_for("plimsoll_app"), engine__local="false", port=str(free_port()),
                          http__trusted_proxies="127.0.0.1", limits__requests_per_minute="0",
                          limits__team_requests_per_minute="0") for _ in range(2)]
        for server in servers:
            server.start()
            self.addCleanup(server.remove)
        proxy = Proxy("haproxy", ["-db", "-f"], lambda port, _: with_values(FRONTEND + BACKEND, {
            ":443 ssl crt /etc/haproxy/plimsoll.pem": f"127.0.0.1:{port}",
            "10.0.0.1:7272": f"127.0.0.1:{servers[0].settings['port']}", "10.0.0.2:7272": f"127.0.0.1:{servers[1].settings['port']}"}))
        self.addCleanup(proxy.close)
        token = servers[0].api().token
        failed, counts, over = [], [], threading.Event()

        def call():
            api, calls = Api(proxy.base, token, checked=False), 0
            while not over.is_set():
                try:
                    reply = api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["Fair winds."]}})
                    read = api.get(f"/v1/jobs/{reply.json['id']}") if reply.status == 202 else reply
                    if read.status != 200:
                        failed.append((read.status, read.body[:300]))
                except OSError as error:
                    failed.append(repr(error))
                calls += 2
            counts.append(calls)

        clients = [threading.Thread(target=call) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            for server in servers * ROUNDS:
                server.stop()
                server.start()
                server.logged("createJob")  # the proxy knows that it is back
        finally:
            over.set()
            for client in clients:
                client.join(PATIENCE)
        print(f"{sum(counts)} requests during {ROUNDS * len(servers)} restarts, {len(failed)} failed", flush=True)
        self.assertEqual(failed, [])
        self.assertGreater(sum(counts), 100)


if __name__ == "__main__":
    unittest.main()
