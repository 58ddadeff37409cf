"""How large the product may be. What is added pays for itself: raising a budget needs a reason in the commit."""
import collections
import unittest

import tree

# Top folder -> (files, lines of code). Lines of the contract, of data and of prose do not count.
BUDGET = {
    'engine': (542, 51_476),
    'server': (806, 77_948),
    'web': (411, 28_077),
    'migrations': (177, 6_614),
    'deploy': (99, 2_118),
    'tests': (807, None),
}
CODE = {'.cpp', '.hpp', '.cl', '.ts', '.svelte', '.sql', '.py', '.mjs', '.js', '.css', '.sh', '.cmake'}
BUILD_FILES = 25
OPERATIONS = 150


class Size(unittest.TestCase):
    def test_of_every_top_folder_is_within_its_budget(self):
        files, lines = collections.Counter(), collections.Counter()
        for path in tree.tracked_files():
            files[path.parts[0]] += 1
            if path.suffix in CODE:
                lines[path.parts[0]] += len((tree.text_of(path) or '').splitlines())
        for folder, (max_files, max_lines) in BUDGET.items():
            self.assertLessEqual(files[folder], max_files, f'files of {folder}/')
            if max_lines:
                self.assertLessEqual(lines[folder], max_lines, f'lines of code of {folder}/')

    def test_build_files_are_few(self):
        lists = [path for path in tree.tracked_files() if path.name == 'CMakeLists.txt']
        self.assertLessEqual(len(lists), BUILD_FILES)

    def test_operations_are_few(self):
        operations = tree.text_of('openapi.yaml').count('\n      operationId: ')
        self.assertTrue(0 < operations <= OPERATIONS, operations)


if __name__ == '__main__':
    unittest.main()
