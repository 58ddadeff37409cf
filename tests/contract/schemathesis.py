#!/usr/bin/env python3
"""Schemathesis over the whole contract, all checks and phases, on its own server; not part of tests/run.

    tests/contract/schemathesis.py [--max-examples N]     20 takes some minutes

Fails on server errors and on responses that violate the contract. Excluded, with the reason:
- rules that a schema cannot hold (a time in the future, a card that exists, exactly one of several members) reject data
  that fits the schema, with 4xx;
- headers that the contract does not name are ignored, as HTTP requires;
- /openapi.yaml is bytes in the contract, but the tool parses YAML;
- operations that end the caller's own token or session, and everything after them.
"""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))
from harness import Server  # noqa: E402

VERSION = "4.32.5"
LEFT_OUT = ("deleteToken", "deleteCurrentSession", "getContractYaml")
CONFIG = """
[checks]
enabled = true
positive_data_acceptance.expected-statuses = ["2xx", 304, 400, 401, 403, 404, 409, 412, 413, 416, 422, 429, 503]

[[operations]]
include-name = "GET /v1/jobs/{job_id}/events"
checks.negative_data_rejection.enabled = false
"""


def tool():
    folder = ROOT / "build/schemathesis"
    if not (folder / "bin/schemathesis").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", f"schemathesis=={VERSION}"], check=True)
    (folder / "schemathesis.toml").write_text(CONFIG)
    return [folder / "bin/schemathesis", "--config-file", folder / "schemathesis.toml"]


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--max-examples", default="20")
options = parser.parse_args()
command = [*tool(), "run", "--phases", "examples,coverage,fuzzing,stateful", "--continue-on-failure",
           "--max-examples", options.max_examples]
for operation in LEFT_OUT:
    command += ["--exclude-operation-id", operation]
server = Server().start()
try:
    api = server.api()
    api.wait(api.submit_texts(["good"]))  # something to read
    sys.exit(subprocess.run([*command, "--header", f"Authorization: Bearer {api.token}",
                             server.base + "/openapi.json"]).returncode)
finally:
    server.remove()
