"""The output of `plimsoll schedules next`."""

import datetime
import os
import pathlib
import subprocess

PROGRAM = pathlib.Path(os.environ.get("PLIMSOLL_BIN", "build/release/bin")) / "plimsoll"


def found(cron, zone, after, count):
    done = subprocess.run([PROGRAM, "schedules", "next", cron, "--time-zone", zone, "--after", after.strftime("%Y-%m-%dT%H:%M:%SZ"),
                           "--count", str(count)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{cron}: {done.stderr}")
    return [datetime.datetime.fromisoformat(line.replace("Z", "+00:00")) for line in done.stdout.split()]
