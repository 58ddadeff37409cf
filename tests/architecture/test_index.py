"""Every source file with logic, SQL function and page is reached by a test (tests/index lists them)."""
import re
import unittest

import index

# What is tested by running the programs and not by calling it: files, and the test that runs them.
RUN_BY_PROGRAMS = {
    'engine/cli/': 'tests/integration/harness.py',
    'engine/library_main.cpp': 'tests/integration/training_test.py',
    'engine/opencl/runtime/answer_check.': 'tests/integration/worker/device_faults_test.py',
    'server/app/': 'tests/integration/operations_test.py',
    'server/cli/': 'tests/integration/road_test.py',
    'server/terminal/': 'tests/integration/road_test.py',
    'server/http/embed/': 'tests/unit/server/http/site/pages_test.cpp',  # embeds what that test reads
    'server/http/serving/metrics_server.': 'tests/integration/operations_test.py',
    'server/kinds/commands.cpp': 'tests/integration/road_test.py',
    'server/kinds/contracts.cpp': 'tests/unit/server/jobs/jobs_test.cpp',
    'server/kinds/runs.cpp': 'tests/unit/server/kinds/sentiment/kind_test.cpp',
    'server/kinds/waves/command/': 'tests/integration/waves_test.py',
    'server/identity/program/': 'tests/unit/server/identity/hasher_test.cpp',
    'server/schedules/runner.': 'tests/integration/schedules_test.py',
    'server/worker/device/device_opener.': 'tests/integration/worker/device_faults_test.py',
}
TRIGGER = re.compile(r'execute function (?:plimsoll\.)?(\w+)\(')


class Index(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.graph = index.graph()
        # What names every command or every part: a test that comes through it tests none of them.
        cls.programs = {*index.PROGRAMS.values(), 'server/app/serve.hpp', 'server/cli/commands.hpp',
                        'server/jobs/command.hpp'}

    def untested(self):
        return [path for path in self.graph.texts
                if path.startswith(('engine/', 'server/')) and path.endswith(('.cpp', '.hpp'))
                and path not in self.programs and not self.graph.tests_of(path, self.programs)]

    def test_every_source_is_reached(self):
        unknown = [path for path in self.untested() if not path.startswith(tuple(RUN_BY_PROGRAMS))]
        self.assertFalse(unknown, '\nno test reaches these: ' + ', '.join(unknown))

    def test_exceptions_are_listed_once_and_still_needed(self):
        untested = self.untested()
        for prefix, test in RUN_BY_PROGRAMS.items():
            self.assertIn(test, self.graph.texts)
            self.assertTrue([path for path in untested if path.startswith(prefix)], f'{prefix} is reached by now')

    def test_every_sql_function_is_reached(self):
        triggers = {name for path, text in self.graph.texts.items() if path.startswith('migrations/')
                    for name in TRIGGER.findall(text)}
        self.assertGreater(len(self.graph.functions), 100)
        self.assertFalse([name for name in self.graph.functions if name not in triggers
                          and not self.graph.tests_of(f'function {name}', self.programs)])

    def test_every_page_is_opened_in_a_browser(self):
        self.assertGreater(len(self.graph.routes), 20)
        self.assertFalse([pattern for pattern, page in self.graph.routes
                          if not any(test.startswith('tests/browser/') for _, test in self.graph.tests_of(page))])

    def test_finds_the_nearest_first(self):
        for name, nearest in [('server/planning/planner.cpp', 'tests/unit/server/planning/named_device_test.cpp'),
                              ('gzip.cpp', 'tests/unit/server/base/gzip_test.cpp'),
                              ('explain_wait', 'tests/integration/queue/times_test.py'),
                              ('/schedules/:id', 'tests/browser/schedules.test.mjs')]:
            [node] = self.graph.nodes_of(name)
            found = self.graph.tests_of(node)
            self.assertIn(nearest, [test for steps, test in found if steps == found[0][0]], name)
        self.assertFalse(self.graph.nodes_of('no_such_thing'))

    def test_finds_page_addresses(self):
        self.assertTrue(index.fits('/jobs/:id/report', '/jobs/${job.id}/report'))
        self.assertFalse(index.fits('/jobs/:id', '/jobs'))
        self.assertFalse(index.fits('/jobs/:id', '/datasets/${id}'))


if __name__ == '__main__':
    unittest.main()
