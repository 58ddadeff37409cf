"""A job kind is four places: its folder and its line in server/jobs, openapi.yaml, web/src/jobs."""
import re
import unittest

import tree

KIND_LINE = re.compile(r'^PLIMSOLL_KIND\((\w+)\)$', re.M)


def folders_below(folder, marker):
    """Names of the folders in `folder` that hold `marker` (a path inside them)."""
    pattern = re.compile(rf'^{folder}/([^/]+)/{marker}$')
    return {match[1] for path in tree.tracked_files() if (match := pattern.match(str(path)))}


def registered():
    return KIND_LINE.findall(tree.text_of('server/jobs/kinds.inc'))


def names_in_contract(schema, text):
    """The keys of a schema's discriminator mapping, by indentation: YAML needs no parser here."""
    block = re.search(rf'^    {schema}:\n((?:      .*\n|\n)+)', text, re.M)
    mapping = re.search(r'^        mapping:\n((?:          .*\n)+)', block[1], re.M) if block else None
    return set(re.findall(r'^          ([\w-]+):', mapping[1], re.M)) if mapping else set()


class Kinds(unittest.TestCase):
    def setUp(self):
        self.folders = registered()
        self.names = {folder.replace('_', '-') for folder in self.folders}

    def test_are_registered_once_each(self):
        self.assertTrue(self.folders, 'server/jobs/kinds.inc lists no kind')
        self.assertEqual(len(self.folders), len(set(self.folders)))

    def test_registered_ones_have_both_halves_and_a_readme(self):
        for marker in ('contract/CMakeLists.txt', 'run/CMakeLists.txt', r'README\.md'):
            self.assertEqual(folders_below('server/jobs', marker), set(self.folders),
                             f'folders of server/jobs with {marker} and lines of kinds.inc differ')

    def test_folders_name_their_kind_as_the_api_does(self):
        for folder in self.folders:
            sources = ''.join(tree.text_of(path) or '' for path in tree.tracked_files()
                              if str(path).startswith(f'server/jobs/{folder}/contract/'))
            self.assertIn(f'"{folder.replace("_", "-")}"', sources)

    def test_registered_ones_are_in_the_contract(self):
        text = tree.text_of('openapi.yaml')
        for schema in ('JobSpec', 'Report', 'JobResults'):
            self.assertEqual(names_in_contract(schema, text), self.names,
                             f"openapi.yaml: the kinds of {schema}'s discriminator")

    def test_registered_ones_have_pages(self):
        self.assertEqual(folders_below('web/src/jobs', r'index\.ts'), self.names,
                         'folders of web/src/jobs and lines of server/jobs/kinds.inc differ')


if __name__ == '__main__':
    unittest.main()
