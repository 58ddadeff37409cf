"""Roles and what they may do are the same in the code, in the contract and on the page for people."""
import re
import unittest

import tree

PAGE = 'web/src/routes/docs/topics/roles.md'
RULE = re.compile(r'\{"([a-z:]+)", (?:Role::(\w+)|std::nullopt), (true|false)\}')


def table(heading):
    """The rows of the page's table that begins with this column, by their first cell."""
    lines = iter(tree.text_of(PAGE).splitlines())
    header = next(line for line in lines if line.startswith(f'| {heading} |'))
    next(lines)
    columns = [cell.strip() for cell in header.strip('|').split('|')]
    rows = {}
    for line in lines:
        if not line.startswith('|'):
            break
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        rows[cells[0]] = dict(zip(columns[1:], cells[1:]))
    return rows


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules = RULE.findall(tree.text_of('server/identity/identity.hpp'))
        roles = re.search(r'enum class Role \{ ([\w, ]+) \}', tree.text_of('server/identity/identity.hpp'))
        cls.roles = roles[1].split(', ')
        cls.contract = tree.text_of('server/http/openapi.yaml')

    def test_the_page_has_every_role_by_its_name_in_the_api(self):
        named = [row['in the API'].strip('`') for row in table('role').values()]
        self.assertEqual(named, [*self.roles, 'is_admin'])
        self.assertIn(f"enum: [{', '.join(self.roles)}]", self.contract)

    def test_the_page_shows_the_rules_of_the_code(self):
        people = list(table('role'))
        expected = {}
        for scope, least, system_admin in self.rules:
            fits = [least != '' and number >= self.roles.index(least) for number in range(len(self.roles))]
            cells = ['yes' if fit else 'no' for fit in fits]
            cells.append('yes' if system_admin == 'true' else 'by role')
            expected[f'`{scope}`'] = dict(zip(people, cells))
        self.assertEqual(len(expected), 5)
        self.assertEqual(table('scope'), expected)

    def test_operations_need_scopes_that_have_a_rule(self):
        needed = set(re.findall(r'x-scope: (\S+)', self.contract))
        self.assertTrue(needed)
        self.assertLessEqual(needed, {scope for scope, _, _ in self.rules})


if __name__ == '__main__':
    unittest.main()
