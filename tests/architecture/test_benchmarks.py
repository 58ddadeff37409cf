"""The programs of the benchmarks compile: nothing else builds them, so that changed headers break them unseen."""
import json
import os
import pathlib
import re
import subprocess
import unittest

COMMANDS = pathlib.Path(os.environ['PLIMSOLL_BIN']).parent / 'compile_commands.json'


class Benchmarks(unittest.TestCase):
    def test_every_file_compiles(self):
        found = [it for it in json.loads(COMMANDS.read_text()) if '/tests/bench/' in it['file']]
        self.assertGreater(len(found), 10)
        for it in found:
            with self.subTest(it['file']):
                # Parsed only, without the launcher: the compiler cache knows no such output.
                command = re.sub(r'^.*?\bccache ', '', it['command'])
                told = subprocess.run(f'{command} -fsyntax-only', shell=True, cwd=it['directory'], capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr[-4000:])


if __name__ == '__main__':
    unittest.main()
