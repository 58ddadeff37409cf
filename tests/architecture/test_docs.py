"""What the documentation names exists: commands and flags, settings and variables, links, and an entry for each
problem."""
import json
import re
import shlex
import unittest

import tree

TOPICS = tree.ROOT / 'web/src/routes/docs/topics'
INDEX = (TOPICS / 'index.ts').read_text(encoding='utf-8')
PAGES = {path.name: path.read_text(encoding='utf-8')
         for path in [*sorted(TOPICS.glob('*.md')), tree.ROOT / 'deploy/OPERATING.md', tree.ROOT / 'deploy/SCALING.md',
                       tree.ROOT / 'server/GLOSSARY.md']}
COMMANDS = {one['command']: one for one in json.loads((TOPICS / 'commands.json').read_text(encoding='utf-8'))['commands']}
SETTINGS = json.loads((TOPICS / 'settings.json').read_text(encoding='utf-8'))
TYPES = re.findall(r'ProblemType\{(\d+), "([\w-]+)", "([^"]+)"\}',
                   (tree.ROOT / 'server/http/messages/problem.cpp').read_text(encoding='utf-8'))
# The tests that run the code blocks of a page, or compile or check them.
RUNNERS = {
    'README.md': ['integration/docs_test.py'],
    'deploy/OPERATING.md': ['integration/backup_test.py', 'integration/docs_test.py', 'integration/own_database_test.py',
                            'integration/point_in_time_test.py', 'integration/proxies_test.py'],
    'deploy/SCALING.md': ['integration/rolling_restart_test.py', 'integration/slurm.py'],
    'deploy/README.md': ['integration/check_test.py'],
    'deploy/clients/python/README.md': ['clients/package_test.py', 'clients/wheel_test.py'],
    'deploy/clients/python/plimsoll/training/README.md': ['integration/measurements_test.py'],
    'server/cli/README.md': ['unit/CMakeLists.txt'],
    'server/kinds/README.md': ['kind/run'],
    'tests/README.md': ['integration/docs_test.py'],
    'web/src/routes/docs/topics/data-and-teams.md': ['integration/docs_test.py', 'integration/webhooks_test.py'],
    'web/src/routes/docs/topics/identity-provider.md': ['integration/provider_sign_in_test.py'],
    'web/src/routes/docs/topics/problems.md': ['integration/docs_test.py'],
    'web/src/routes/docs/topics/quick-start.md': ['integration/docs_test.py'],
    'web/src/routes/docs/topics/training.md': ['integration/docs_test.py'],
    'web/src/routes/docs/topics/troubleshooting.md': ['integration/docs_test.py', 'integration/model_pull_test.py'],
    **{f'web/src/jobs/{kind}/guide/Guide.svelte': ['integration/guides_test.py']
       for kind in ('profile', 'sentiment', 'training-config', 'waves')},
}
GUIDES = 18  # troubleshooting entries of the five guides


def ids(text):
    """Of the sections of a page, as web/tools/documents makes them."""
    for title in re.findall(r'^## (.*)$', text, re.M):
        own = re.search(r'\{#([\w-]+)\}$', title)
        yield own[1] if own else re.sub(r'[^\w]+', '-', title.lower()).strip('-')


def fault(line):
    """What a command line names that the program does not have, or None."""
    words = shlex.split(line.split(' | ')[0].split(' > ')[0], comments=True)[1:]
    path = ''
    while words and not words[0].startswith('-') and f'{path} {words[0]}'.strip() in COMMANDS:
        path = f'{path} {words.pop(0)}'.strip()
    if words and COMMANDS[path]['commands'] and not words[0].startswith('-') and words[0] not in ('…', 'COMMAND'):
        return f'no command {path} {words[0]}'
    known = {name for command in (path, '') for option in COMMANDS[command]['options']
             for name in option['names'].split(',')}
    known |= {'--' + setting['key'] for setting in SETTINGS['settings']}
    return next((f'{path}: no flag {word}' for word in words if re.match(r'--?[a-z]', word)
                 and word.split('=')[0] not in known), None)


def command_lines(text):
    for block in re.findall(r'^```sh.*?\n(.*?)^```', text, re.S | re.M):
        block = re.sub(r"<<'(\w+)'(.*?)\n.*?^\1$", r'\2', block, flags=re.S | re.M).replace('\\\n', ' ')
        yield from re.findall(r'(?:^|\()(plimsoll [^\n)]*)', block, re.M)
    yield from re.findall(r'`(plimsoll [^`]+)`', re.sub(r'^```.*?^```', '', text, flags=re.S | re.M))


class Docs(unittest.TestCase):
    def test_every_command_and_flag_exists(self):
        lines = [(page, line) for page, text in PAGES.items() for line in command_lines(text)]
        self.assertGreater(len(lines), 100)
        self.assertFalse([(page, line, wrong) for page, line in lines if (wrong := fault(line))])

    def test_every_command_and_flag_of_the_readmes_exists(self):
        lines = [(page, line) for page in tree.tracked_files() if page.name == 'README.md'
                 for line in command_lines(re.sub(r'(?:build/release/bin/|\$)plimsoll ', 'plimsoll ',
                                                  tree.text_of(page)))]
        self.assertGreater(len(lines), 30)
        self.assertFalse([(str(page), line, wrong) for page, line in lines if (wrong := fault(line))])

    def test_every_block_is_run_or_says_why_not(self):
        """A reason stands behind the language: `sh no-run: needs a network`."""
        blocks = [(str(path.relative_to(tree.ROOT) if path.is_absolute() else path), told) for path in tree.tracked_files()
                  if path.suffix == '.md' for told in re.findall(r'^ *```(\S.*)$', tree.text_of(path), re.M)]
        self.assertGreater(len(blocks), 60)
        for page, told in blocks:
            language, _, mark = told.partition(' ')
            if mark:
                self.assertRegex(mark, r'^no-run: \S.{10,}', f'{page}: ```{told}')
            else:
                self.assertIn(page, RUNNERS, f'no test runs its block ```{told}')
        run = {page for page, told in blocks if ' ' not in told} | {page for page in RUNNERS if page.endswith('.svelte')}
        self.assertEqual(run, set(RUNNERS))

    def test_what_goes_wrong_is_reproduced_by_a_test(self):
        rows = re.findall(r'^\| .* \| (`[^|]*`) \|$', tree.text_of('deploy/SCALING.md').partition('{#runbooks}')[2], re.M)
        self.assertGreaterEqual(len(rows), 12)
        for name in re.findall(r'`([^`]*)`', ' '.join(rows)):
            self.assertTrue((tree.ROOT / 'tests' / name).is_file(), name)

    def test_the_runner_of_a_page_reads_it(self):
        for page, tests in RUNNERS.items():
            name = page.rpartition('/')[2]
            for test in tests:
                self.assertIn(name.removesuffix('.md') if name == 'quick-start.md' else name, tree.text_of(f'tests/{test}'),
                              f'{test} does not read {page}')

    def test_every_guide_of_the_pages_is_run(self):
        guides = {str(path) for path in tree.tracked_files() if path.name == 'Guide.svelte' and '<Code' in tree.text_of(path)}
        self.assertEqual(guides, {page for page in RUNNERS if page.endswith('.svelte')})

    def test_the_readme_answers_a_visitor_within_two_screens(self):
        lines = tree.text_of('README.md').splitlines()[:48]
        begin = '\n'.join(lines)
        for what in ('deploy/samples/load-mark.svg', '**For** ', '\npip install plimsoll ', '**Not for**', '**Status**'):
            self.assertIn(what, begin)
        proofs = re.findall(r'^- \*\*.*?\]\(([^)#]+)', begin, re.M | re.S)
        self.assertEqual(len(proofs), 3)
        for proof in proofs:
            self.assertTrue((tree.ROOT / proof).exists(), proof)

    def test_a_wrong_command_is_found(self):
        self.assertIn('no command', fault('plimsoll queue juggle'))
        self.assertIn('no flag', fault('plimsoll estimate --preset bert-base --juggle 3'))
        self.assertIsNone(fault('plimsoll serve --http.port 0'))

    def test_every_setting_and_variable_exists(self):
        keys = {setting['key'] for setting in SETTINGS['settings']}
        rooms = {key.split('.')[0] for key in keys}
        variables = {setting['environment'] for setting in SETTINGS['settings']}
        variables |= {unused['environment'] for unused in SETTINGS['without_effect']}
        for page, text in PAGES.items():
            named = {name for name in re.findall(r'`([a-z]+\.[a-z_]+)`', text) if name.split('.')[0] in rooms}
            self.assertLessEqual(named, keys, page)
        table = PAGES['from-the-guides.md'].split('{#optimization-variables}')[1].split('\n## ')[0]
        named = set(re.findall(r'`([A-Z][A-Z_]{5,})`', table))
        self.assertGreater(len(named), 20)
        self.assertLessEqual(named, variables)

    def test_every_link_leads_to_a_page_and_a_section(self):
        names = dict(re.findall(r"name: '([\w-]+)'.*?import\('[./]*(?:[\w]+/)*([\w.-]+)\?document(?:=\w+)?'", INDEX))
        extra = {'api', 'clients'}
        for page, text in PAGES.items():
            for name, section in re.findall(r'\]\(#/docs/([\w-]+)(?:/([\w-]+))?\)', text):
                self.assertIn(name, names.keys() | extra, page)
                if section and names[name].endswith('.md'):
                    self.assertIn(section, set(ids(PAGES[names[name]])), page)

    def test_titles_are_those_of_the_list(self):
        for page, text in PAGES.items():
            self.assertIn(f"title: '{re.match(r'# (.*)', text)[1]}'", INDEX, page)

    def test_every_problem_has_its_entry(self):
        page = re.findall(r'^## (\d+) (.+) \{#([\w-]+)\}$', PAGES['problems.md'], re.M)
        self.assertEqual({(status, slug, title) for status, slug, title in TYPES},
                         {(status, slug, title) for status, title, slug in page})
        slugs = {slug for _, slug, _ in TYPES}
        contract = (tree.ROOT / 'openapi.yaml').read_text(encoding='utf-8')
        shown = re.findall(r"type: '?/docs/problems/([\w-]+)", contract)
        self.assertGreater(len(shown), 10)
        self.assertLessEqual(set(shown), slugs)
        for source in sorted((tree.ROOT / 'server').rglob('*.cpp')):
            for slug in re.findall(r'\.slug = "([\w-]+)"', source.read_text(encoding='utf-8')):
                self.assertIn(slug, slugs, source)

    def test_troubleshooting_has_every_entry_of_the_guides(self):
        entries = re.findall(r'^\*(?:Optimization guide|GPU profiles|Memory guide|Utilization guide|Wave guide)[^*]*\*',
                             PAGES['troubleshooting.md'], re.M)
        self.assertEqual(len(entries), GUIDES)


if __name__ == '__main__':
    unittest.main()
