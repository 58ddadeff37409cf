"""A job kind of the pages is one folder of web/src/jobs and one line of its registry."""
import os
import re
import unittest

SOURCE = 'web/src'
JOBS = f'{SOURCE}/jobs'
REGISTRY = f'{JOBS}/registry.ts'
MOST_FILES = 30
# (folder, name): a profile's argument `mode` names the sentiment operation it measures.
ALLOWED = {('profile', 'sentiment')}
IMPORT = re.compile(r"""(?:from|import|import\()\s*'(\.[^'?]*)""")


def files():
    for folder, _, names in os.walk(SOURCE):
        for name in names:
            path = f'{folder}/{name}'
            if name.endswith(('.ts', '.svelte')) and path != f'{SOURCE}/api/schema.d.ts':
                yield path


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def kinds():
    return {name for name in os.listdir(JOBS) if os.path.exists(f'{JOBS}/{name}/index.ts')}


def kind_of(path):
    """The kind whose folder holds the path; None outside the kinds' folders."""
    parts = os.path.normpath(path).split('/')
    return parts[3] if len(parts) > 3 and '/'.join(parts[:3]) == JOBS and parts[3] in kinds() else None


class WebKinds(unittest.TestCase):
    def test_the_registry_lists_every_folder_in_one_line(self):
        lines = re.findall(r"^export \{ kind as \w+ \} from '\./([\w-]+)';$", read(REGISTRY), re.M)
        self.assertEqual(sorted(lines), sorted(kinds()))

    def test_only_the_registry_imports_a_kind(self):
        wrong = []
        for path in files():
            for target in IMPORT.findall(read(path)):
                owner = kind_of(f'{os.path.dirname(path)}/{target}/x')
                if owner and owner != kind_of(path) and path != REGISTRY:
                    wrong.append(f'{path} imports {target}')
        self.assertEqual(wrong, [])

    def test_no_kind_is_named_outside_its_folder(self):
        wrong = []
        for path in files():
            if path == REGISTRY:
                continue
            text = read(path)
            for kind in kinds() - {kind_of(path)}:
                if (kind_of(path), kind) not in ALLOWED and re.search(rf"""['"`/]{kind}['"`/]""", text):
                    wrong.append(f'{path} names {kind}')
        self.assertEqual(wrong, [])

    def test_no_folder_has_too_many_files(self):
        heaps = [folder for folder, _, names in os.walk(SOURCE) if len(names) > MOST_FILES]
        self.assertEqual(heaps, [])


if __name__ == '__main__':
    unittest.main()
