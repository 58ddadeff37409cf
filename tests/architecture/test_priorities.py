"""Priorities have the same words and numbers on the command line, in the pages and in the contract."""
import re
import unittest

import tree


class Priorities(unittest.TestCase):
    def test_all_agree(self):
        command_line = dict(re.findall(r'\{"(\w+)", (-?\d+)\}', tree.text_of('server/terminal/flag_values.hpp')))
        offered = re.findall(r"\['(-?\d+)', '(\w+)'\]", tree.text_of('web/src/routes/jobs/priority.ts'))
        contract = re.sub(r'\s+', ' ', tree.text_of('server/http/openapi.yaml'))
        told = re.search(r'show low for (-?\d+), normal for (-?\d+), high for (-?\d+) and highest for (-?\d+)', contract)
        self.assertEqual(command_line, {word.lower(): number for number, word in offered})
        self.assertEqual(list(told.groups()), [command_line[word] for word in ('low', 'normal', 'high', 'highest')])


if __name__ == '__main__':
    unittest.main()
