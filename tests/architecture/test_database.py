"""The database's sources: one function per file, with a contract, readable, used, and granted to its callers."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import tree

LONGEST_FUNCTION = 200  # lines
LONGEST_LINE = 120
CALL = re.compile(r'\b(\w+)\s*\(')


def sources(folder):
    return {path.stem: tree.text_of(path) for path in tree.tracked_files()
            if str(path).startswith(folder + '/') and path.suffix == '.sql'}


def header(text):
    return re.match(r'(?:--.*\n)*', text)[0]


def without_comments(text):
    return re.sub(r'--.*', '', text)


class Functions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.functions = sources('migrations/functions')
        cls.versions = ''.join(sources('migrations/versions').values())
        cls.rights = tree.text_of('migrations/rights.sql')
        cls.queries = ''.join((sources('server/postgres/queries') | sources('server/kinds')).values())

    def called_by(self, text):
        return set(CALL.findall(without_comments(text))) & self.functions.keys()

    def granted_to(self, role):
        """Functions that the page of rights grants to a role."""
        lists = re.findall(rf'grant execute on function([^;]*?) to {role};', self.rights)
        return {name for names in lists for name in names.replace(',', ' ').split()}

    def test_each_has_a_file_of_its_name(self):
        for name, text in self.functions.items():
            with self.subTest(name):
                self.assertEqual(re.findall(r'create (?:or replace )?function (\S+?)\(', text), [name])
                self.assertIn(f'create or replace function {name}(', text)

    def test_each_has_a_contract(self):
        for name, text in self.functions.items():
            with self.subTest(name):
                self.assertTrue(re.sub(r'-- needs:.*|[-\s]', '', header(text)), 'no comment before the function')

    def test_none_is_longer_than_two_screens(self):
        for name, text in self.functions.items():
            with self.subTest(name):
                self.assertLessEqual(text.removeprefix(header(text)).count('\n'), LONGEST_FUNCTION)

    def test_each_is_called_by_something(self):
        used = self.called_by(self.queries) | self.called_by(self.versions)
        used |= {name for name, text in self.functions.items() if 'create or replace trigger' in text}
        seen = set()
        while fresh := used - seen:
            seen |= fresh
            for name in fresh:
                used |= self.called_by(self.functions[name])
        self.assertEqual(self.functions.keys() - used, set())

    def test_needs_name_functions(self):
        for name, text in self.functions.items():
            for needs in re.findall(r'^-- needs: (.*)$', text, re.M):
                with self.subTest(name):
                    self.assertLessEqual(set(needs.split(', ')), self.functions.keys())

    def test_roles_may_call_what_the_programs_call(self):
        """serve's queries and the worker's; read_jobs runs with its caller's rights."""
        worker = self.called_by(tree.text_of('server/postgres/queries/worker.sql'))
        self.assertEqual(self.granted_to('plimsoll_worker'), worker)
        everybody = self.called_by(self.queries) | self.called_by(self.functions['read_jobs'])
        self.assertEqual(self.granted_to('plimsoll_app'), (everybody - worker) | {'read_jobs'})


class Embedding(unittest.TestCase):
    """migrations/embed.cmake writes functions behind those that they need."""

    def embed(self, functions):
        """CMake's answer, and the header that it wrote."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        files = {'versions/0001_first.sql': '', 'rights.sql': '', 'set_version': '1\n'}
        files |= {f'functions/area/{name}.sql': f'{needs}\nselect 1;\n' for name, needs in functions.items()}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding='utf-8')
        header_file = folder / 'schema.generated.hpp'
        done = subprocess.run(['cmake', f'-DFROM={folder}', f'-DTO={header_file}', '-P', tree.ROOT / 'migrations/embed.cmake'],
                              capture_output=True, text=True, check=False)
        return done, header_file.read_text(encoding='utf-8') if header_file.exists() else ''

    def test_a_function_comes_after_those_it_needs(self):
        done, text = self.embed({'first': '-- needs: second, third', 'second': '-- needs: third', 'third': '--'})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r'\{"(\w+)", "[0-9a-f]{64}"', text)[:3], ['third', 'second', 'first'])

    def test_a_comment_line_does_not_change_the_hash(self):
        hashes = [re.findall(r'\{"first", "([0-9a-f]{64})"', self.embed({'first': lines})[1])
                  for lines in ('-- Before.', '-- After:\n  -- more words; and [brackets]', 'select 2;')]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])

    def test_functions_that_need_each_other_are_refused(self):
        for needs in ({'first': '-- needs: second', 'second': '-- needs: first', 'third': '--'}, {'first': '-- needs: nobody'}):
            with self.subTest(needs):
                done, text = self.embed(needs)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, 'Functions that need each other, or one that does not exist')
                self.assertIn('first.sql', done.stderr)
                self.assertNotIn('third.sql', done.stderr)
                self.assertEqual(text, '')


class Lines(unittest.TestCase):
    def test_fit_a_screen(self):
        wide = [f'{path}:{number}' for path in tree.tracked_files() if str(path).startswith('migrations/') and path.suffix == '.sql'
                for number, line in enumerate(tree.text_of(path).splitlines(), 1) if len(line) > LONGEST_LINE]
        self.assertEqual(wide, [])


if __name__ == '__main__':
    unittest.main()
