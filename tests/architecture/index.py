"""Which tests reach a source file, a SQL function or a page: by includes, calls and addresses."""
import ast
import functools
import re

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
C_STRING = re.compile(r'R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"', re.S)
QUERY = re.compile(r'^-- name: (\S+)', re.M)
QUERY_USE = re.compile(r'\bsql::(\w+)')
FUNCTION_FILE = re.compile(r'migrations/functions/.+/(\w+)\.sql$')
MODULE_IMPORT = re.compile(r'''(?:from|import\()\s*['"](\.[^'"]*)['"]''')
ROUTE = re.compile(r"""route\('([^']+)', \(\) => import\('([^']+)'\)""")
ADDRESS = re.compile(r"#(/[^'\"`\s?)]*)")
# How a program comes into a test that runs it.
PROGRAMS = {'plimsoll': 'server/main.cpp', 'plimsoll-engine': 'engine/main.cpp'}
TEST = re.compile(r'^tests/.*(?:_test\.(?:cpp|py)|\.test\.mjs)$')


def in_tests(path):
    """Whether it is a part of what tests run."""
    return path.startswith('tests/') and not path.startswith(('tests/bench/', 'tests/architecture/'))


def folder_of(path):
    return path.rsplit('/', 1)[0]


class Graph:
    """Who uses whom. A node is a path, "query NAME" of a store, or "function NAME" of SQL."""

    def __init__(self):
        self.texts = {str(path): tree.text_of(path) or '' for path in tree.tracked_files()
                      if path.parts[0] in ('engine', 'server', 'tests', 'migrations', 'web')
                      and path.suffix in ('.cpp', '.hpp', '.py', '.sql', '.ts', '.svelte', '.mjs')}
        self.users = {}  # used -> users
        self.functions = {match[1]: path for path in self.texts if (match := FUNCTION_FILE.match(path))}
        self.calls = re.compile(r'\b(%s)\s*\(' % '|'.join(sorted(self.functions)) if self.functions else '(?!)')
        self.modules = {path.rsplit('/', 1)[-1].removesuffix('.py'): path
                        for path in self.texts if path.startswith('tests/') and path.endswith('.py')}
        self.routes = [(pattern, self.web_file('web/src/routes/routes.ts', target))
                       for pattern, target in ROUTE.findall(self.texts.get('web/src/routes/routes.ts', ''))]
        for path, text in self.texts.items():
            kind = path.rsplit('.', 1)[1]
            read = {'cpp': self.read_cpp, 'hpp': self.read_cpp, 'py': self.read_python, 'sql': self.read_sql}
            read.get(kind, self.read_web)(path, text)

    def edge(self, user, used):
        if user != used:
            self.users.setdefault(used, set()).add(user)

    def read_cpp(self, path, text):
        included = [target for name in INCLUDE.findall(text)
                    for target in (name, f'{folder_of(path)}/{name}') if target in self.texts]
        for target in included:
            self.edge(path, target)
        if path.endswith('.cpp') and not path.endswith('/main.cpp') and not TEST.search(path):
            self.implementation(path, included)
        for name in QUERY_USE.findall(text):
            self.edge(path, f'query {name}')
        if in_tests(path):
            for raw, plain in C_STRING.findall(text):
                self.read_calls(path, raw or plain)

    def implementation(self, path, included):
        """Who uses a header uses what implements it: the file of its name. A file without a header does what some
        header of its room declares: the first of its folder most likely, or else one that it sees (a step further)."""
        own = path.removesuffix('.cpp') + '.hpp'
        beside = [target for target in included if folder_of(target) == folder_of(path)]
        if own in included:
            self.edge(own, path)
            return
        if beside:
            self.edge(beside[0], path)
        self.edge(f'declaration of {path}', path)
        seen, left = set(), list(included)
        while left:
            header = left.pop()
            if header not in seen and header.split('/')[:2] == path.split('/')[:2]:
                seen.add(header)
                self.edge(header, f'declaration of {path}')
                left += [target for target in INCLUDE.findall(self.texts[header]) if target in self.texts]

    def read_python(self, path, text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or '']
            else:
                # self.call('claim', …): the clients of tests/support build the statement.
                if isinstance(node, ast.Call) and getattr(node.func, 'attr', '') == 'call' and node.args:
                    self.read_calls(path, f'{getattr(node.args[0], "value", "")}(')
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    self.read_calls(path, node.value)
                    if node.value in PROGRAMS:
                        self.edge(path, PROGRAMS[node.value])
                continue
            for name in names:
                if name in self.modules:
                    self.edge(path, self.modules[name])

    def read_sql(self, path, text):
        if function := FUNCTION_FILE.match(path):
            self.edge(f'function {function[1]}', path)
            self.edge(path, f'function {function[1]}')
        code = re.sub(r'--(?! name:).*', '', text)
        pieces = QUERY.split(code)
        self.read_calls(path, pieces[0])
        for name, query in zip(pieces[1::2], pieces[2::2]):
            node = 'query ' + name.replace('.', '_')
            self.edge(node, path)
            self.read_calls(node, query)

    def read_calls(self, user, sql):
        for name in self.calls.findall(sql):
            self.edge(user, f'function {name}')

    def web_file(self, path, target):
        folder = path.split('/')[:-1]
        for part in target.split('/'):
            if part == '..':
                folder = folder[:-1]
            elif part != '.':
                folder = [*folder, part]
        stem = '/'.join(folder)
        return next((stem + ending for ending in ('', '.ts', '.svelte.ts', '.mjs', '/index.ts')
                     if stem + ending in self.texts), stem)

    def read_web(self, path, text):
        for target in MODULE_IMPORT.findall(text):
            if path != 'web/src/routes/routes.ts':
                self.edge(path, self.web_file(path, target))
        if path.startswith('tests/browser/'):
            for address in ADDRESS.findall(text):
                for pattern, page in self.routes:
                    if fits(pattern, address):
                        self.edge(path, page)

    def nodes_of(self, name):
        """The nodes that somebody means who writes this name."""
        if name in self.functions:
            return [f'function {name}']
        if name in self.texts:
            return [name]
        pages = [page for pattern, page in self.routes if pattern == name]
        return pages or [path for path in self.texts if not path.startswith('tests/') and f'/{path}'.endswith(f'/{name}')]

    def is_test(self, node):
        """A file of the tests that no other file uses: what is run, and no part of it."""
        return in_tests(node) and not self.users.get(node)

    def tests_of(self, node, without=()):
        """[(steps, test)], nearest first. `without`: nodes that the way may not lead through."""
        steps, level, found, distance = {node}, [node], [], 0
        while level:
            distance += 1
            above = sorted({user for one in level for user in self.users.get(one, ())
                            if user not in steps and user not in without})
            steps.update(above)
            found += [(distance, user) for user in above if self.is_test(user)]
            level = above
        return found


def fits(pattern, address):
    """Whether the address, as a test writes it, is one of the page's: /jobs/${id} of /jobs/:id."""
    ours, theirs = pattern.split('/'), address.rstrip('/').split('/')
    return len(ours) == len(theirs) and all(
        own.startswith(':') or own == their for own, their in zip(ours, theirs))


@functools.cache
def graph():
    return Graph()
