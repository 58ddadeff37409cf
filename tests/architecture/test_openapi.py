"""openapi.yaml is what deploy/build/openapi assembles from its parts."""
import importlib.machinery
import importlib.util
import pathlib
import re
import tempfile
import unittest

import tree

SCRIPT = str(tree.ROOT / 'deploy/build/openapi')
loader = importlib.machinery.SourceFileLoader('openapi', SCRIPT)
openapi = importlib.util.module_from_spec(importlib.util.spec_from_loader('openapi', loader))
loader.exec_module(openapi)


class Contract(unittest.TestCase):
    def test_is_current(self):
        self.assertEqual(openapi.WHOLE.read_text(encoding='utf-8'), openapi.assembled(),
                         'openapi.yaml differs from its parts: change these, then run deploy/build/openapi')

    def test_general_part_names_no_schema_of_a_kind(self):
        # Examples may show a job of some kind; a reference would tie the general part to it.
        own = {line.strip().rstrip(':') for path in tree.ROOT.glob('server/kinds/*/openapi.yaml')
               for line in path.read_text(encoding='utf-8').splitlines()
               if line.startswith('    ') and line[4:5].isupper() and line.endswith(':')}
        self.assertTrue(own)
        general = openapi.GENERAL.read_text(encoding='utf-8')
        self.assertFalse([name for name in own if f'schemas/{name}\'' in general])


class Assembly(unittest.TestCase):
    def blocks(self, text):
        with tempfile.TemporaryDirectory() as folder:
            part = pathlib.Path(folder, 'openapi.yaml')
            part.write_text(text, encoding='utf-8')
            return openapi.blocks_of(part)

    def test_puts_blocks_in_their_places_in_the_order_of_the_kinds(self):
        parts = [self.blocks('# about\n#> a\n  x: 1\n  # why\n#> b\n  y: 1\n'), self.blocks('#> a\n  x: 2\n')]
        self.assertEqual(openapi.assemble('#> a\n---\n#> b\nend\n', parts),
                         '  x: 1\n  # why\n  x: 2\n---\n  y: 1\nend\n')

    def test_refuses_what_would_be_lost(self):
        with self.assertRaises(ValueError):
            openapi.assemble('#> a\n', [self.blocks('#> b\n  y: 1\n')])
        with self.assertRaises(ValueError):
            self.blocks('y: 1\n#> a\n')
        with self.assertRaises(ValueError):
            self.blocks('#> a\n#> a\n')

    def test_adds_the_responses_that_follow(self):
        document = """paths:
  /v1/things/{thing_id}:
    parameters:
      - $ref: '#/components/parameters/ThingId'
    put:
      x-scope: things:write
      parameters:
        - $ref: '#/components/parameters/IfMatch'
      requestBody: {}
      responses:
        '200':
          description: |
            One line

            and another.
        '503': {$ref: '#/components/responses/Unavailable'}

  /v1/open:
    get:
      security: []
      parameters:
        - $ref: '#/components/parameters/Limit'
      responses:
        '200': {}
%s
components:
  parameters:
    Limit:
      name: limit
      in: query
"""
        statuses = re.findall(r"(\d+|default)'?:", openapi.with_standard_responses(document % ''))
        self.assertEqual(statuses, '200 400 401 403 404 412 413 415 422 429 503 default'.split() + '200 400 default'.split())
        self.assertIn('One line\n\n            and another.\n        \'400\'', openapi.with_standard_responses(document % ''))
        with self.assertRaisesRegex(ValueError, "get /v1/open: default follows"):
            openapi.with_standard_responses(document % '        default: {}\n')


if __name__ == '__main__':
    unittest.main()
