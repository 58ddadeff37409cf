"""The tables behind a server under test, seen as the owner of its private cluster sees them."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, subprocess.run([ROOT / 'tests/support/python', 'psycopg'], stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
import psycopg  # noqa: E402
from queue_client import Queue  # noqa: E402
from queue_invariants import broken  # noqa: E402


def open_tables(server):
    lines = next((server.folder / 'data').rglob('postmaster.pid')).read_text().splitlines()
    return psycopg.connect(host=lines[4], port=lines[3], user='plimsoll_superuser', dbname='plimsoll', autocommit=True,
                           options='-c search_path=plimsoll')


def broken_invariants(server):
    with open_tables(server) as connection:
        return broken(Queue(connection))


__all__ = ['broken_invariants', 'open_tables', 'psycopg']
