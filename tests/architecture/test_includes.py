"""Which room may include which. A new edge between rooms is a decision: record it here first."""
import fnmatch
import re
import unittest

import tree

# room -> the other rooms it may include. Engine knows nothing of server.
ALLOWED = {
    'engine/base': [],
    'engine/kernels': ['engine/base'],
    'engine/opencl': ['engine/base', 'engine/kernels'],
    'engine/telemetry': ['engine/base'],
    'engine/routines': ['engine/base', 'engine/opencl', 'engine/kernels'],
    'engine/tuning': ['engine/base', 'engine/opencl', 'engine/routines'],
    'engine/text': ['engine/base'],
    # Published models: their files, their tokenizers, what is installed, what a device computes.
    'engine/model_files': ['engine/base'],
    'engine/tokenizers': ['engine/base', 'engine/text', 'engine/model_files'],
    'engine/models': ['engine/base', 'engine/model_files', 'engine/tokenizers'],
    'engine/transformer': ['engine/base', 'engine/text', 'engine/opencl', 'engine/routines', 'engine/tuning',
                           'engine/model_files', 'engine/tokenizers', 'engine/models'],
    'engine/sentiment': ['engine/base', 'engine/text'],
    'engine/drawing': ['engine/base'],
    'engine/waves': ['engine/base', 'engine/zones', 'engine/drawing'],
    'engine/waves_device': ['engine/base', 'engine/kernels', 'engine/opencl', 'engine/waves'],
    'engine/zones': ['engine/base'],
    'engine/market': ['engine/base', 'engine/zones'],
    'engine/training': ['engine/base'],
    'engine/training_device': ['engine/base', 'engine/opencl', 'engine/routines', 'engine/tuning',
                               'engine/telemetry', 'engine/training'],
    'engine/profiling': ['engine/base', 'engine/kernels', 'engine/opencl', 'engine/routines',
                         'engine/tuning'],
    'engine/cli': ['engine/base', 'engine/opencl', 'engine/routines', 'engine/tuning', 'engine/profiling',
                   'engine/text', 'engine/models', 'engine/transformer', 'engine/sentiment'],
    'engine/library_main.cpp': ['engine/base', 'engine/opencl', 'engine/cli'],
    # The worker program's composition root: the one file of engine that may use server.
    'engine/main.cpp': ['engine/base', 'engine/opencl', 'engine/cli', 'server/base', 'server/jobs',
                        'server/outbound', 'server/postgres', 'server/worker'],

    'server/base': ['engine/base'],
    'server/identity': ['server/base', 'engine/base'],
    # Requests of ours to others: endpoints of models, receivers of notices.
    'server/outbound': ['server/base', 'engine/base'],
    # Sign-in with an identity provider.
    'server/oidc': ['server/outbound', 'server/identity', 'server/base', 'engine/base'],
    'server/webhooks': ['server/outbound', 'server/base', 'engine/base'],
    # What a job kind is, its registry, and what kinds share.
    'server/jobs': ['server/base', 'engine/base', 'engine/text', 'engine/models'],
    'server/queue': ['server/jobs', 'server/base', 'engine/base'],
    # What a team keeps besides its jobs.
    'server/teams': ['server/queue', 'server/jobs', 'server/base', 'engine/base'],
    # Turns what is asked for into jobs: of requests, and of schedules.
    'server/planning': ['server/teams', 'server/queue', 'server/jobs', 'server/base', 'engine/base'],
    'server/schedules': ['server/planning', 'server/queue', 'server/jobs', 'server/base',
                         'engine/base', 'engine/zones'],
    # Names the stores of the API, and includes nothing.
    'server/stores': [],
    'server/postgres': ['server/queue', 'server/teams', 'server/jobs', 'server/identity', 'server/webhooks',
                        'server/planning', 'server/schedules', 'server/stores', 'server/outbound',
                        'server/base', 'engine/base', 'migrations'],
    'server/http': ['server/queue', 'server/teams', 'server/jobs', 'server/identity', 'server/oidc', 'server/outbound',
                    'server/webhooks', 'server/planning', 'server/schedules', 'server/stores',
                    'server/base', 'engine/base', 'engine/zones'],
    'server/worker': ['server/queue', 'server/jobs', 'server/base', 'engine/*'],
    # The command line, from the ground up: the REST client, what talks to a person, commands.
    'server/client': ['server/base', 'engine/base'],
    'server/terminal': ['server/client', 'server/base', 'engine/base', 'engine/text'],
    # The kinds, on the roof: only the composition root includes this room. What a part of a kind may use stands
    # in PARTS.
    'server/kinds': ['server/jobs', 'server/http', 'server/planning', 'server/teams', 'server/queue', 'server/identity',
                     'server/outbound', 'server/client', 'server/terminal', 'server/library', 'server/base',
                     'engine/*'],
    # The composition root of `plimsoll serve`.
    'server/app': ['server/http', 'server/postgres', 'server/schedules', 'server/planning', 'server/stores',
                   'server/queue', 'server/webhooks', 'server/identity', 'server/oidc', 'server/outbound',
                   'server/jobs', 'server/kinds', 'server/base', 'engine/base'],
    'server/cli': ['server/app', 'server/terminal', 'server/client', 'server/postgres', 'server/outbound',
                   'server/schedules', 'server/identity', 'server/jobs', 'server/base',
                   'engine/base'],
    # libplimsoll: the kinds without a server.
    'server/library': ['server/http', 'server/jobs', 'server/base', 'engine/base'],
    'server/main.cpp': ['server/cli'],
}

# The rooms of a folder, from the ground up: each may include those before it, never those behind it.
FLOORS = {
    'engine/opencl': ['calls', 'devices', 'memory', 'runtime', 'probing'],
    'server/http': ['messages', 'contract', 'access', 'api', 'site', 'endpoints', 'wire', 'serving'],
    'server/http/endpoints': ['identity', 'pool', 'jobs', 'datasets', 'kinds', 'automation'],
    'server/postgres': ['driver', 'cluster', 'schema', 'pool', 'identity', 'jobs', 'workers', 'teams'],
    'server/worker': ['base', 'device', 'loop', 'supervisor'],
}

# The parts of a kind -> the rooms that they may include, besides the kind's `contract` and what the contract may.
# No kind knows another, and nobody names one: what serves all kinds finds them in the registries, which the build
# makes of kinds.inc.
PARTS = {
    'contract': ['server/jobs', 'server/base', 'engine/*'],
    'run': ['server/outbound'],
    'library': ['server/library'],  # and the kind's run or command
    # Of http the check of arguments against openapi.yaml.
    'command': ['server/http', 'server/client', 'server/terminal'],
    'rest': ['server/http', 'server/identity', 'server/planning', 'server/teams', 'server/queue'],
}

# Libraries that only some folders may include, by the beginning of the include.
LIBRARIES = {
    'CL/': ['engine/opencl'],
    'boost/': ['server', 'deploy/build'],
    'boost/beast': ['server/http', 'server/client', 'server/outbound', 'server/oidc', 'server/webhooks', 'server/kinds/profile/run', 'deploy/build/boost'],
    'pqxx/': ['server/postgres/schema', 'server/postgres/cluster'],
    'libpq-fe.h': ['server/postgres'],
    'spdlog/': ['server/base', 'server/app'],
    'CLI/': ['deploy/build/precompiled', 'engine', 'server/cli', 'server/kinds/*/command'],
    'grpc': [],
    'google/protobuf': [],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


KINDS = re.findall(r'^PLIMSOLL_KIND\((\w+)\)$', tree.text_of('server/kinds/kinds.inc'), re.M)


def room_of(path):
    """engine/waves/search.cpp -> engine/waves; a file directly in engine or server is its own."""
    parts = str(path).split('/')
    return '/'.join(parts[:2]) if parts[0] in ('engine', 'server') else parts[0]


def kind_of(path):
    """server/kinds/sentiment/run/run.cpp -> ('sentiment', 'run'); (None, None) outside the kinds' folders."""
    parts = str(path).split('/')
    inside = parts[:2] == ['server', 'kinds'] and len(parts) > 3 and parts[2] in KINDS
    return (parts[2], parts[3]) if inside else (None, None)


def allows(rooms, target):
    return target in rooms or target.split('/')[0] + '/*' in rooms


def uphill(path, included):
    """Why this include leads from a room to one above it in the same folder, or None."""
    for folder, floors in FLOORS.items():
        ours, theirs = (str(name).removeprefix(folder + '/').split('/')[0]
                        if str(name).startswith(folder + '/') else None for name in (path, included))
        if ours in floors and theirs in floors and floors.index(theirs) > floors.index(ours):
            return f'in {folder}, {ours} stands below {theirs}'
    return None


def violation(path, included):
    """Why this file may not include that, or None."""
    for library, folders in LIBRARIES.items():
        if included.startswith(library) and not any(
                fnmatch.fnmatch(str(path), folder + '/*') for folder in folders):
            return f'only {folders or "nobody"} may use {library}'
    if included.split('/')[0] not in ('engine', 'server', 'migrations', 'tests'):
        return None
    room, target = room_of(path), room_of(included)
    if why := uphill(path, included):
        return why
    (kind, part), (other, other_part) = kind_of(path), kind_of(included)
    if other and not kind:
        return 'only kinds.inc names the kinds'
    if other and other != kind:
        return 'kinds of job do not know each other'
    below = {'library': ('run', 'command')}.get(part, ())
    if other and other_part not in (part, 'contract', *below):
        return f"a kind's {part} may only use its contract"
    if kind and not other and included.split('/')[0] == 'server' and room != target and not allows(
            PARTS['contract'] + PARTS.get(part, []), target):
        return f"a kind's {part} may only use {PARTS['contract'] + PARTS.get(part, [])}"
    if room == target and not (kind and not other and part != 'rest'):
        return None
    if room == target:
        return f"only a kind's rest may use {included}"
    if room not in ALLOWED:
        return f'{room} has no line in the table of {__file__}'
    if not allows(ALLOWED[room], target):
        return f'{room} may only use {ALLOWED[room]}'
    return None


def includes():
    """(path, line number, included path) of every source file but the tests."""
    for path in tree.tracked_files():
        if path.suffix not in ('.cpp', '.hpp') or path.parts[0] not in ('engine', 'server'):
            continue
        for number, line in enumerate(tree.text_of(path).splitlines(), 1):
            if match := INCLUDE.match(line):
                yield path, number, match[1]


class Rule(unittest.TestCase):
    def test_refuses_forbidden_includes(self):
        for path, included in [
                ('engine/waves/search.cpp', 'server/base/id.hpp'),
                ('engine/main.cpp', 'server/http/session.hpp'),
                ('server/http/contract/router.cpp', 'engine/opencl/runtime/device.hpp'),
                ('server/http/contract/router.cpp', 'server/postgres/pool/pool.hpp'),
                ('server/http/contract/router.cpp', 'server/kinds/sentiment/contract/args.hpp'),
                ('server/http/messages/problem.cpp', 'server/http/api/api.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'server/client/session.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'server/kinds/waves/command/follow.hpp'),
                ('server/kinds/waves/command/waves.cpp', 'server/kinds/profile/contract/advertisement.hpp'),
                ('server/kinds/waves/command/waves.cpp', 'server/cli/commands.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'CLI/CLI.hpp'),
                ('server/client/upload.cpp', 'server/terminal/terminal.hpp'),
                ('server/app/server.cpp', 'server/terminal/terminal.hpp'),
                ('server/cli/jobs/submit.cpp', 'server/kinds/waves/contract/extras.hpp'),
                ('server/cli/jobs/submit.cpp', 'server/kinds/waves/command/price_file.hpp'),
                ('server/queue/share.cpp', 'server/http/session.hpp'),
                ('server/kinds/sentiment/run/run.cpp', 'server/kinds/waves/contract/args.hpp'),
                ('server/kinds/sentiment/rest/texts.cpp', 'server/kinds/waves/contract/request.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'server/kinds/waves/run/rows.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'server/http/api/handler.hpp'),
                ('server/kinds/waves/rest/plan.cpp', 'server/postgres/pool/pool.hpp'),
                ('server/jobs/kind.hpp', 'server/kinds/waves/contract/args.hpp'),
                ('server/app/server.cpp', 'server/kinds/waves/contract/args.hpp'),
                ('server/http/api/api.cpp', 'server/kinds/operations.hpp'),
                ('server/kinds/waves/run/run.cpp', 'server/kinds/operations.hpp'),
                ('server/kinds/waves/run/run.cpp', 'server/client/session.hpp'),
                ('server/brand_new/file.cpp', 'server/base/id.hpp'),
                ('engine/text/csv.cpp', 'boost/asio.hpp'),
                ('server/queue/share.cpp', 'pqxx/pqxx'),
                ('server/http/contract/router.cpp', 'google/protobuf/message.h')]:
            self.assertIsNotNone(violation(path, included), f'{path} includes {included}')

    def test_allows_permitted_includes(self):
        for path, included in [
                ('engine/waves/search.cpp', 'engine/base/result.hpp'),
                ('engine/main.cpp', 'server/worker/loop.hpp'),
                ('server/http/contract/router.cpp', 'server/jobs/kind.hpp'),
                ('server/kinds/waves/contract/plan.cpp', 'server/jobs/records/dataset.hpp'),
                ('server/kinds/waves/run/run.cpp', 'server/kinds/waves/contract/slices.hpp'),
                ('server/kinds/waves/rest/plan.cpp', 'server/http/api/handler.hpp'),
                ('server/app/server.cpp', 'server/kinds/operations.hpp'),
                ('server/kinds/waves/rest/plan.cpp', 'server/kinds/operations.hpp'),
                ('server/kinds/waves/command/waves.cpp', 'server/client/session.hpp'),
                ('server/kinds/waves/command/waves.cpp', 'server/kinds/waves/contract/extras.hpp'),
                ('server/kinds/waves/command/waves.cpp', 'CLI/CLI.hpp'),
                ('server/worker/loop.cpp', 'engine/opencl/runtime/device.hpp'),
                ('server/app/server.cpp', 'server/http/wire/listener.hpp'),
                ('server/cli/jobs/report.cpp', 'server/jobs/command.hpp'),
                ('server/postgres/wire.cpp', 'libpq-fe.h')]:
            self.assertIsNone(violation(path, included), f'{path} includes {included}')


class Sources(unittest.TestCase):
    def test_keep_the_include_rule(self):
        broken = [f'{path}:{number}: includes {included}: {why}'
                  for path, number, included in includes()
                  if (why := violation(path, included))]
        self.assertFalse(broken, '\n' + '\n'.join(broken))

    def test_have_no_cycle_between_rooms(self):
        edges = {}
        for path, _, included in includes():
            if included.split('/')[0] in ('engine', 'server') and room_of(path) != room_of(included):
                edges.setdefault(room_of(path), set()).add(room_of(included))
        done = set()

        def visit(room, way):
            self.assertNotIn(room, way, 'a cycle: ' + ' -> '.join([*way, room]))
            if room not in done:
                for target in sorted(edges.get(room, ())):
                    visit(target, [*way, room])
                done.add(room)

        for room in sorted(edges):
            visit(room, [])


if __name__ == '__main__':
    unittest.main()
