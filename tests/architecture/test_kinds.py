"""A job kind is two folders, server/kinds/<kind> and web/src/jobs/<kind>, and a line in kinds.inc."""
import re
import unittest

import tree

KIND_LINE = re.compile(r'^PLIMSOLL_KIND\((\w+)\)$', re.M)

PARTS = {'contract', 'run'}
OPTIONAL_PARTS = {'command', 'library', 'rest', 'store'}
# Words that only one kind uses, beside its own name. In C++ outside its folder they show that
# something of the kind stands elsewhere.
WORDS = {
    'profile': r'speed.?profile|\bllm|llm_',
    'sentiment': r'vader',
    'training_config': r'gpu.?profile|training.?(advice|measurement)|\bmeas_',
    'waves': r'elliott|waves?.?(count|check|replay|job)',
}

# path -> why it may name a kind. Aim: none.
EXCEPTIONS = {}


def folders_below(folder, marker):
    """Names of the folders in `folder` that hold `marker` (a path inside them)."""
    pattern = re.compile(rf'^{folder}/([^/]+)/{marker}$')
    return {match[1] for path in tree.tracked_files() if (match := pattern.match(str(path)))}


def registered():
    return KIND_LINE.findall(tree.text_of('server/kinds/kinds.inc'))


def names_in_contract(schema, text):
    """The keys of a schema's discriminator mapping, by indentation: YAML needs no parser here."""
    block = re.search(rf'^    {schema}:\n((?:      .*\n|\n)+)', text, re.M)
    mapping = re.search(r'^        mapping:\n((?:          .*\n)+)', block[1], re.M) if block else None
    return set(re.findall(r'^          ([\w-]+):', mapping[1], re.M)) if mapping else set()


def traces_of(kind):
    """What shows that a line is about this kind. "profile" alone is a word of every day, so a name
    counts as one in quotes (also "waves:3"), in a path, in a namespace and in a target."""
    name = kind.replace('_', '-')
    camel = ''.join(word.capitalize() for word in kind.split('_'))
    traces = [rf'"{name}[":]', rf'`{name}`', rf'\bkind {name}\b', rf'(?:jobs|kinds)/{kind}\b', rf'jobs::{kind}\b',
              rf'kinds_{kind}_', rf'\bnamespace {kind}\b', f'(?i:{WORDS.get(kind, "(?!)")})']
    if kind != 'profile':
        traces += [rf'\b{name}\b', rf'(?<![a-z]){kind}', rf'{camel}(?=[A-Z]|\b)']
    return re.compile('|'.join(traces))


def strays(kinds, path, text):
    """The lines of a file that are about one kind."""
    for kind in kinds:
        trace = traces_of(kind)
        for number, line in enumerate(text.splitlines(), 1):
            if match := trace.search(line):
                yield f'{path}:{number}: {match[0]!r} is of the kind {kind}'


def shared_sources(kinds):
    """The C++, SQL and build files of the server that serve all kinds alike, and the worker's main. The
    rooms of engine/ compute for whoever calls them and are named after what they compute."""
    for path in tree.tracked_files():
        if path.parts[:2] == ('server', 'kinds') and path.parts[2] in kinds:
            continue  # there the include rule keeps the kinds apart
        if str(path) == 'engine/main.cpp' or path.parts[0] == 'server' and (
                path.suffix in ('.cpp', '.hpp', '.sql') or path.name == 'CMakeLists.txt'):
            yield path


class Kinds(unittest.TestCase):
    def setUp(self):
        self.folders = registered()
        self.names = {folder.replace('_', '-') for folder in self.folders}

    def test_are_registered_once_each(self):
        self.assertTrue(self.folders, 'server/kinds/kinds.inc lists no kind')
        self.assertEqual(len(self.folders), len(set(self.folders)))

    def test_registered_ones_have_what_every_kind_has(self):
        for marker in (r'contract/\w+\.cpp', r'run/\w+\.cpp', r'CMakeLists\.txt', r'README\.md', r'openapi\.yaml'):
            self.assertEqual(folders_below('server/kinds', marker), set(self.folders),
                             f'folders of server/kinds with {marker} and lines of kinds.inc differ')

    def test_have_only_parts_that_are_built(self):
        for path in tree.tracked_files():
            if path.parts[:2] == ('server', 'kinds') and len(path.parts) > 3:
                self.assertIn(path.parts[2], self.folders, f'{path}: no line in kinds.inc')
                if len(path.parts) > 4:
                    self.assertIn(path.parts[3], PARTS | OPTIONAL_PARTS, f'{path}: not a part of a kind')

    def test_counted_collections_have_their_statements(self):
        named = set(re.findall(r'-- name: records\.(\w+)\.list$', '\n'.join(
            tree.text_of(path) for path in tree.tracked_files()
            if re.match(r'server/kinds/\w+/store/\w+\.sql$', str(path))), re.M))
        declared = re.findall(r'\bCollection \w+\{\.name = "(\w+)"([^}]*)\}', '\n'.join(
            tree.text_of(path) for path in tree.tracked_files()
            if re.match(r'server/kinds/\w+/contract/.*pp$', str(path))))
        self.assertTrue(declared)
        self.assertEqual(named, {name for name, rest in declared if '.max' not in rest},
                         "statements in the kinds' store/ and collections without a limit differ")

    def test_folders_name_their_kind_as_the_api_does(self):
        for folder in self.folders:
            sources = ''.join(tree.text_of(path) or '' for path in tree.tracked_files()
                              if str(path).startswith(f'server/kinds/{folder}/contract/'))
            self.assertIn(f'"{folder.replace("_", "-")}"', sources)

    def test_registered_ones_are_in_the_contract(self):
        text = tree.text_of('openapi.yaml')
        for schema in ('JobSpec', 'Report', 'JobResults'):
            self.assertEqual(names_in_contract(schema, text), self.names,
                             f"openapi.yaml: the kinds of {schema}'s discriminator")

    def test_registered_ones_have_pages(self):
        self.assertEqual(folders_below('web/src/jobs', r'index\.ts'), self.names,
                         'folders of web/src/jobs and lines of server/kinds/kinds.inc differ')


class Places(unittest.TestCase):
    def test_nothing_of_a_kind_is_outside_its_folder(self):
        kinds = registered()
        found = [stray for path in shared_sources(kinds) if str(path) not in EXCEPTIONS
                 for stray in strays(kinds, path, tree.text_of(path))]
        files = {line.split(':')[0] for line in found}
        self.assertFalse(found, f'\n{len(files)} files:\n' + '\n'.join(found))

    def test_every_exception_is_needed(self):
        for path in EXCEPTIONS:
            self.assertTrue(list(strays(registered(), path, tree.text_of(path))), f'{path} names no kind')

    def test_detects_names_of_kinds(self):
        for line in ['if (kind == "training-config") {', 'find_contract("profile")', 'jobs::waves::kName',
                     '#include "server/kinds/profile/contract/advertisement.hpp"', 'class GpuProfiles {',
                     'handlers["createWavesCheck"]', 'parse_llm_endpoints(text)', 'void add_gpu_profiles()',
                     'select id from plimsoll.training_measurement', 'For jobs of the kind `profile`:',
                     'struct SentimentRow {', 'constexpr auto kModel = "vader";',
                     'add_subdirectory(kinds/sentiment)', 'LINK plimsoll_server_kinds_profile_command',
                     '// takes "waves:3" seconds']:
            self.assertTrue(list(strays(registered(), 'server/http/any.cpp', line)), line)

    def test_allows_everyday_words(self):
        for line in ['// a profile of the process', '{"PROFILE", "NAME"}', 'GPU_PROFILING_ENABLED', 'training runs on it',
                     'microwaves', '"profiles"', 'void enroll(Member m);']:
            self.assertFalse(list(strays(registered(), 'server/http/any.cpp', line)), line)


if __name__ == '__main__':
    unittest.main()
