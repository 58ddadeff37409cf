"""Every C++ file is as .clang-format writes it."""
import subprocess
import unittest

import tree


class Format(unittest.TestCase):
    def test_sources_are_formatted(self):
        sources = [str(path) for path in tree.tracked_files() if path.suffix in ('.cpp', '.hpp')]
        checked = subprocess.run(['clang-format-19', '--dry-run', '-Werror', *sources],
                                 cwd=tree.ROOT, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr[:4000])


if __name__ == '__main__':
    unittest.main()
