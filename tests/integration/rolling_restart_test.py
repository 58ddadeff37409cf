"""Two servers behind HAProxy and nginx, as deploy/SCALING.md shows them, restarted one after the other with their default settings
while clients call; then again, beside the schema of the next release: no request fails."""

import collections
import os
import re
import subprocess
import threading
import unittest

from harness import PATIENCE, ROOT, Api, Server
from proxies_test import NGINX, OPERATING, Proxy, free_port, shown, with_values
from queue_client import url_for

SCALING = (ROOT / "deploy/SCALING.md").read_text("utf-8")
CLIENTS = 3  # of each proxy
# What a later release may do while programs of this one work: see migrations/README.md.
NEXT_RELEASE = """
    begin;
    alter table plimsoll.job add column next_release text;
    create table plimsoll.next_release (job_id bigint primary key);
    insert into plimsoll.schema_migration (version, name, sha256) select max(version) + 1, 'next', sha256('') from plimsoll.schema_migration;
    update plimsoll.schema_set set version = version + 1;
    commit;
"""


def example(language):
    return re.search(rf"^```{language}\n(.*?)^```", SCALING, re.S | re.M)[1]


def haproxy(ports, port):
    frontend = shown("haproxy").partition("\nbackend ")[0] + "\n"
    return with_values(frontend + example("haproxy"), {
        ":443 ssl crt /etc/haproxy/plimsoll.pem": f"127.0.0.1:{port}",
        "10.0.0.1:7272": f"127.0.0.1:{ports[0]}", "10.0.0.2:7272": f"127.0.0.1:{ports[1]}"})


def nginx(ports, port, folder):
    server = shown("nginx").partition("server {")
    return NGINX.format(folder=folder, impatience="10s", user="user root;" if os.getuid() == 0 else "", shown=with_values(
        example("nginx") + server[1] + server[2],
        {"listen 443 ssl;": f"listen 127.0.0.1:{port};",
         "10.0.0.1:7272": f"127.0.0.1:{ports[0]}", "10.0.0.2:7272": f"127.0.0.1:{ports[1]}"}))


class RollingRestart(unittest.TestCase):
    def test_no_request_fails(self):
        servers = [Server(database__url=url_for("plimsoll_app"), engine__local="false", port=str(free_port()),
                          http__trusted_proxies="127.0.0.1", limits__requests_per_minute="0",
                          limits__team_requests_per_minute="0") for _ in range(2)]
        for server in servers:
            server.start()
            self.addCleanup(server.remove)
        ports = [server.settings["port"] for server in servers]
        proxies = {"haproxy": Proxy("haproxy", ["-db", "-f"], lambda port, _: haproxy(ports, port)),
                   "nginx": Proxy("nginx", ["-e", "stderr", "-c"], lambda port, folder: nginx(ports, port, folder))}
        for proxy in proxies.values():
            self.addCleanup(proxy.close)
        token = servers[0].api().token
        failed, counts, over = [], collections.Counter(), threading.Event()

        def call(name):
            api = Api(proxies[name].base, token, checked=False)
            while not over.is_set():
                try:
                    reply = api.post("/v1/jobs", {"kind": "sentiment", "args": {"texts": ["Fair winds."]}})
                    read = api.get(f"/v1/jobs/{reply.json['id']}") if reply.status == 202 else reply
                    if read.status != 200:
                        failed.append((name, read.status, read.body[:300]))
                except OSError as error:
                    failed.append((name, repr(error)))
                counts[name] += 2

        clients = [threading.Thread(target=call, args=(name,)) for name in proxies for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            for migration in (None, NEXT_RELEASE):
                if migration:
                    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url_for("postgres"), "-c", migration], check=True)
                for server in servers:
                    server.stop()
                    server.start()
                    server.logged("createJob")  # the proxies know that it is back
        finally:
            over.set()
            for client in clients:
                client.join(PATIENCE)
        print(f"{dict(counts)} requests during {2 * len(servers)} restarts and a migration, {len(failed)} failed", flush=True)
        self.assertEqual(failed, [])
        self.assertGreater(min(counts.values()), 100)


if __name__ == "__main__":
    unittest.main()
