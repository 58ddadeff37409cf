"""What the repository may contain, and how large its files may grow."""
import collections
import pathlib
import re
import unittest

import tree

TOP_LEVEL = {
    'CMakeLists.txt', 'CMakePresets.json', 'server', 'engine', 'web', 'migrations', 'tests',
    'deploy', 'openapi.yaml', 'README.md', 'LICENSE', 'NOTICE', 'CONTRIBUTING.md', 'CHANGELOG.md',
    'SECURITY.md',
}
CODE = {'.cpp', '.hpp', '.cl', '.ts', '.mjs', '.js', '.svelte', '.css', '.sql', '.py', '.sh', '.cmake'}
MAX_LINES = 400
MAX_FILES = 30

# Folders of one person's or one machine's, and package hosts: those who build choose their mirror.
# Written in parts, so that this file does not match itself.
FOREIGN = re.compile(r'(?<![\w.~$}*-])/(?:wo' r'rk|home/[a-z]+|Users/[A-Za-z]+)/'
                     r'|https?://(?:registry|deb|ftp|proxy|repo1?|files|index)' r'\.[a-z]')


def is_script(path):
    return (tree.text_of(path) or '').startswith('#!')


class Tree(unittest.TestCase):
    def test_top_level_holds_only_agreed_entries(self):
        entries = {path.parts[0] for path in tree.tracked_files()}
        extra = {entry for entry in entries - TOP_LEVEL if not entry.startswith('.')}
        self.assertFalse(extra, 'not among the agreed entries of the top level')

    def test_no_code_file_is_two_things(self):
        large = []
        for path in tree.tracked_files():
            if path.suffix in CODE or (not path.suffix and is_script(path)):
                lines = len((tree.text_of(path) or '').splitlines())
                if lines > MAX_LINES:
                    large.append(f'{path}: {lines} lines, at most {MAX_LINES}')
        self.assertFalse(large, '\n' + '\n'.join(large))

    def test_no_folder_has_too_many_files(self):
        folders = collections.Counter(path.parent for path in tree.tracked_files()
                                      if path.parts[0] in ('engine', 'server', 'web') and path.suffix in CODE)
        heaps = [f'{folder}: {count} files, at most {MAX_FILES}: make rooms' for folder, count in folders.items() if count > MAX_FILES]
        self.assertFalse(heaps, '\n' + '\n'.join(heaps))

    def test_names_no_machine_and_no_package_host(self):
        found = []
        for path in tree.tracked_files():
            for number, line in enumerate((tree.text_of(path) or '').splitlines(), 1):
                if match := FOREIGN.search(line):
                    found.append(f'{path}:{number}: {match[0]}')
        self.assertFalse(found, '\n' + '\n'.join(found))

    def test_scripts_can_be_run_and_nothing_else(self):
        for path in tree.tracked_files():
            if path.suffix in ('.py', '.mjs'):
                continue  # run through their interpreter
            runs = bool((tree.ROOT / path).stat().st_mode & 0o100)
            self.assertEqual(runs, is_script(path), f'{path}: run bit and first line disagree')

    def test_every_room_has_a_readme(self):
        files = tree.tracked_files()
        rooms = {path.parts[0] for path in files if len(path.parts) > 1 and not path.parts[0].startswith('.')}
        rooms |= {'/'.join(path.parts[:2]) for path in files
                  if path.parts[0] in ('engine', 'server') and len(path.parts) > 2}
        self.assertLessEqual({'web', 'engine/base', 'server/base'}, rooms)
        self.assertFalse([room for room in rooms if pathlib.Path(room, 'README.md') not in files])

    def test_finds_foreign_words(self):
        for line in ['cd /wo' 'rk/main', 'see /home/' 'ann/notes', 'https://regis' 'try.example.org/']:
            self.assertTrue(FOREIGN.search(line), line)
        for line in ['/var/lib/plimsoll', '~/work/', 'server/worker/', '$root$home/x']:
            self.assertFalse(FOREIGN.search(line), line)


if __name__ == '__main__':
    unittest.main()
