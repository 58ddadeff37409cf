"""The Python package (deploy/clients/python) is installed from the wheel that clients/release made, and used on a real server."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

from generated_test import PRICES
from samples_test import BIN, ROOT, ContractProxy, Server, wheels

README = (ROOT / "deploy/clients/python/README.md").read_text("utf-8")
PROGRAMS = pathlib.Path(__file__).with_name("programs")


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.remove)
        cls.api = cls.server.api()
        proxy = ContractProxy(cls.server.base)
        cls.addClassCleanup(proxy.finish)
        cls.env = {**os.environ, "PLIMSOLL_SERVER": proxy.base, "PLIMSOLL_TOKEN": cls.api.token,
                   "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels(), "PIP_NO_COMPILE": "1"}
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plm-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.call("python3", "-m", "venv", "--without-pip", ".venv")
        cls.env["PATH"] = f"{cls.folder}/.venv/bin:{os.environ['PATH']}"
        dist = BIN.with_name("dist")
        [wheel] = dist.glob("plimsoll-*-any.whl")
        cls.call(sys.executable, "-m", "pip", "--python", ".venv/bin/python", "install", "--find-links", dist, f"{wheel}[client]")

    @classmethod
    def call(cls, *command, fails=False):
        done = subprocess.run(command, cwd=cls.folder, env=cls.env, capture_output=True, text=True, timeout=600)
        assert (done.returncode != 0) == fails, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout + done.stderr

    def run_program(self, text, **more):
        (self.folder / "program.py").write_text(text)
        return self.call(".venv/bin/python", "program.py", **more)

    def test_programs_of_the_readme(self):
        _, _, plain, asynchronous = re.findall(r"```python\n(.*?)```", README, re.S)
        job = self.api.wait(self.api.submit_texts(["to fail"] * 3, headers={}))
        told = self.run_program(plain)
        self.assertIn("succeeded 1", told)
        self.assertIn("positive 0.", told)
        self.assertNotIn(job["id"], told, "it did not fail")
        (self.folder / "prices.csv").write_text(PRICES.replace("date,close", "symbol,date,close").replace("\n2", "\nFTSE,2"))
        told = self.run_program("import asyncio\nimport plimsoll\n\n\nasync def main():\n"
                                + textwrap.indent(asynchronous, "    ") + "\n\nasyncio.run(main())\n")
        self.assertEqual(told, "FTSE\n")

    def test_results_and_jobs_are_read_in_pages(self):
        job = self.api.submit_texts(["good"] * 10_000)
        for number in range(3):
            self.api.submit_texts([f"text {number}"])
        told = self.run_program(textwrap.dedent(f"""
            import asyncio
            import plimsoll

            with plimsoll.Client() as client:
                client.wait("{job}")
                rows = list(client.results("{job}"))
                print(len(rows), [row.index for row in rows] == list(range(10_000)))
                listed = [job.id for job in client.jobs(limit=2)]
                print(len(listed) == len(set(listed)) >= 4)

            async def count():
                async with plimsoll.AsyncClient() as client:
                    print(sum([1 async for _ in client.results("{job}")]), [job.id async for job in client.jobs(limit=2)] == listed)

            asyncio.run(count())
            """))
        self.assertEqual(told, "10000 True\nTrue\n10000 True\n")

    def test_refusals_name_every_place(self):
        told = self.run_program("import plimsoll\nplimsoll.Client().submit('sentiment', {'texts': [1, 'a', 2]})", fails=True)
        self.assertRegex(told, r"ProblemError: 422 Invalid body: .*\n  /args/texts/0: .*\n  /args/texts/2: .*\(req_")
        told = self.run_program("import plimsoll\nplimsoll.Client(token='plm_api_wrong').report('job_1')", fails=True)
        self.assertRegex(told, r"ProblemError: 401 Unauthenticated: .*\(req_")
        told = self.run_program("import plimsoll\nplimsoll.Client().submit('magic', {})", fails=True)
        self.assertRegex(told, r"ProblemError: 422 .*\n  /kind: ")

    def test_a_job_that_does_not_succeed_is_an_error(self):
        told = self.run_program(textwrap.dedent("""
            import datetime
            import plimsoll

            with plimsoll.Client() as client:
                later = (datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1)).isoformat()
                job = client.submit("sentiment", {"texts": ["a"]}, run_at=later, key="once")
                print(client.submit("sentiment", {"texts": ["a"]}, run_at=later, key="once").id == job.id)
                try:
                    client.wait(job.id, timeout=0.1)
                except TimeoutError as error:
                    print(error)
                client.call("jobs.cancel_job", job_id=job.id)
                print(client.wait(job.id, check=False).state)
                client.wait(job.id)
            """), fails=True)
        self.assertRegex(told, r"^True\njob_\w+ is still scheduled after 0.1 s.\ncancelled\n")
        self.assertRegex(told, r"plimsoll.errors.JobFailed: job_\w+ cancelled: ")

    def test_retries(self):
        shutil.copy(PROGRAMS / "retries.py", self.folder)
        self.call(".venv/bin/python", "retries.py")


if __name__ == "__main__":
    unittest.main()
