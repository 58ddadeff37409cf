"""Checks a server's responses against its own openapi.yaml: status, media type and body. In the folder
$PLIMSOLL_SEEN_ANSWERS, if it is set, processes note which operations gave which status (tests/contract/seen.py)."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request

sys.path.insert(0, subprocess.check_output([pathlib.Path(__file__).parent / 'python', 'fastjsonschema'], text=True).strip())
import fastjsonschema  # noqa: E402

SEEN = os.environ.get('PLIMSOLL_SEEN_ANSWERS')
METHODS = ('get', 'put', 'post', 'patch', 'delete')
PROBLEM = 'application/problem+json'


class Contract:
    """The operations of the 3.1 document, whose schemas are JSON Schema as it is."""

    def __init__(self, document):
        self.document, self.checks = document, {}
        self.operations = []
        for path, item in document['paths'].items():
            pattern = re.compile(re.sub(r'\\{\w+\\}', '[^/]+', re.escape(path)))
            # Of two that fit, the one with fewer names in its path is meant.
            self.operations += [(path.count('{'), pattern, method.upper(), item[method]) for method in METHODS if method in item]
        self.operations.sort(key=lambda operation: operation[0])

    def operation(self, method, target):
        return next((entry[3] for entry in self.operations
                     if entry[2] == method and entry[1].fullmatch(target.partition('?')[0])), None)

    def problem(self, method, target, status, media_type, body):
        """What is wrong with an answer; None: nothing."""
        operation = self.operation(method, target)
        if operation is None:
            if status < 400:
                return f'{status} of an operation that the contract does not have'
            return self.mismatch('#/components/schemas/Problem', media_type == PROBLEM, body)
        responses = operation['responses']
        response = responses.get(str(status)) or (responses['default'] if status >= 400 else None)
        if response is None:
            return f'{operation["operationId"]} may not answer {status}'
        content = self.resolved(response).get('content', {})
        if not content and not body:
            return None
        if media_type not in content:
            return f'{operation["operationId"]} may not answer {status} as {media_type or "nothing"}'
        if not media_type.endswith('json') or not body:
            return None
        reference = content[media_type]['schema'].get('$ref')
        return self.mismatch(reference, True, body) if reference else None

    def resolved(self, node):
        while '$ref' in node:
            node = functools.reduce(lambda at, name: at[name], node['$ref'].split('/')[1:], self.document)
        return node

    def mismatch(self, reference, is_type, body):
        if not is_type:
            return 'a failure is a problem'
        if reference not in self.checks:
            schema = {'$schema': 'http://json-schema.org/draft-07/schema', '$ref': reference, 'components': self.document['components']}
            self.checks[reference] = fastjsonschema.compile(schema, use_default=False)
        try:
            self.checks[reference](json.loads(body))
        except fastjsonschema.JsonSchemaValueException as error:
            return f'{error.message} ({reference})'
        return None


@functools.cache
def contract_of(base):
    with urllib.request.urlopen(base + '/openapi-3.1.json') as answer:
        return Contract(json.load(answer))


@functools.cache
def note(operation, status):
    with open(f'{SEEN}/{os.getpid()}', 'a', encoding='ascii') as file:
        file.write(f'{operation} {status}\n')


def check(base, method, target, reply):
    """Raises AssertionError for an answer that the server's contract does not allow. `reply` has status, headers, body."""
    if method == 'OPTIONS' or not target.startswith(('/v1/', '/healthz', '/readyz', '/version', '/openapi')):
        return
    # Part of a body, and a packed one, are not JSON.
    whole = method != 'HEAD' and reply.status != 206 and 'Content-Encoding' not in reply.headers
    media_type = (reply.headers['Content-Type'] or '').partition(';')[0]
    method = 'GET' if method == 'HEAD' else method
    operation = contract_of(base).operation(method, target) if SEEN else None
    if operation:
        note(operation['operationId'], reply.status)
    problem = contract_of(base).problem(method, target, reply.status, media_type, reply.body if whole else b'')
    if problem:
        raise AssertionError(f'{method} {target}: {problem}: {reply.body[:500]}')
