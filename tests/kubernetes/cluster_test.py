"""deploy/kubernetes on a real control plane: nothing is refused or warned of, pods are restricted, Helm installs and upgrades it while
clients call, and KEDA scales engines with the backlog. Each pod is a process of this machine.

    tests/support/with_database tests/kubernetes/cluster_test.py
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests/integration'), str(ROOT / 'tests/integration/worker'), str(pathlib.Path(__file__).parent)]
from harness import BIN, Api  # noqa: E402

# The worker program with tasks that last until they are told to end.
os.environ.setdefault('PLIMSOLL_TEST_ENGINE', str(BIN.parent / 'tests/test_engine_with_faults'))
import keda  # noqa: E402
from cluster import NAMESPACE, PROGRAMS, TOOLS, Cluster, Node, until  # noqa: E402
from engine_case import EngineCase  # noqa: E402
from queue_client import url_for  # noqa: E402

SOURCE = ROOT / 'deploy/kubernetes'
MOST = int(re.search(r'maxReplicaCount: (\d+)', (SOURCE / 'operators/keda.yaml').read_text())[1])
BACKLOG, TASKS = 200, 40  # seconds
SCOPES = ('jobs:read', 'jobs:write', 'reports:read')


class OnACluster(EngineCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.remove)
        cls.kubectl = cls.cluster.kubectl
        for crd in PROGRAMS.glob('*.yaml'):
            cls.kubectl('apply', '--server-side', '-f', crd)
        cls.kubectl('wait', '--for=condition=established', 'crd', '--all')
        cls.cluster.secret = {'database-url': url_for('plimsoll_app'), 'worker-url': url_for('plimsoll_worker'),
                              'metrics-url': url_for('plimsoll_metrics'), 'migrate-url': url_for('postgres')}

    def namespace(self):
        self.kubectl('create', 'namespace', NAMESPACE)
        self.kubectl('label', 'namespace', NAMESPACE, 'pod-security.kubernetes.io/enforce=restricted')
        self.kubectl('create', 'secret', 'generic', 'plimsoll', '-n', NAMESPACE,
                     *(f'--from-literal={key}={value}' for key, value in self.cluster.secret.items()))

    def test_everything_is_stored_without_a_warning_and_pods_are_restricted(self):
        applied = self.kubectl('apply', '--validate=strict', '-k', SOURCE / 'operators')
        self.addCleanup(self.kubectl, 'delete', '--ignore-not-found', '--force', '--grace-period=0', '-k', SOURCE / 'operators')
        self.assertEqual(applied.stderr, '')
        self.assertEqual(applied.stdout.count(' created\n'), 16, applied.stdout)
        # The pods that the controllers made were admitted: two servers, an engine and the migration.
        until(lambda: len(self.cluster.get('pods')['items']) == 4, lambda: str(self.cluster.get('events')['items']))
        pod = self.cluster.get('pods')['items'][0]
        pod = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': 'open', 'namespace': NAMESPACE}, 'spec': pod['spec']}
        pod['spec']['containers'][0]['securityContext']['capabilities'] = {}
        refused = self.kubectl('create', '-f', '-', input=json.dumps(pod), check=False)
        self.assertIn('violates PodSecurity "restricted', refused.stderr)

    def test_a_misspelt_field_is_refused(self):
        rendered = self.kubectl('kustomize', SOURCE / 'operators').stdout
        for right, wrong in (('cooldownPeriod', 'coolDownPeriod'), ('terminationGracePeriodSeconds', 'gracePeriod')):
            refused = self.kubectl('apply', '--dry-run=server', '--validate=strict', '-f', '-', check=False, input=rendered.replace(right, wrong))
            self.assertIn(wrong, refused.stderr)

    def test_kubeconform_accepts_what_helm_renders(self):
        rendered = self.cluster.run('helm', 'template', 'plimsoll', SOURCE).stdout
        definitions = json.loads((TOOLS / 'kubernetes.json').read_text().replace('/api/_definitions.json#', '#'))['$defs']
        schemas = self.cluster.folder / 'schemas'
        schemas.mkdir()
        for name, schema in definitions.items():
            for one in schema.get('x-kubernetes-group-version-kind', ()):
                version = '-'.join(filter(None, (one['group'].partition('.')[0], one['version'])))
                (schemas / f"{one['kind'].lower()}-{version}.json").write_text(json.dumps({'$ref': f'#/$defs/{name}', '$defs': definitions}))
        checked = subprocess.run([PROGRAMS / 'kubeconform', '-strict', '-summary', '-schema-location', f'{schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json', '-'],
                                 input=rendered, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertRegex(checked.stdout, 'Valid: 12, Invalid: 0, Errors: 0, Skipped: 0')

    def helm(self, *arguments):
        return self.cluster.run('helm', *arguments, '-n', NAMESPACE, '--wait', '--timeout', '9m')

    def test_helm_installs_and_upgrades_it_and_engines_follow_the_backlog(self):
        self.namespace()
        node = Node(self.cluster, lambda args: [os.environ['PLIMSOLL_TEST_ENGINE'], 'supervise'] if args == ['engine'] else [BIN / 'plimsoll', *args])
        self.addCleanup(node.close)
        self.helm('install', 'plimsoll', SOURCE, '--set', 'pods.serve.settings.PLIMSOLL_HTTP_TRUSTED_PROXIES=127.0.0.1', '--set', 'gpu=false',
                  '--set-json', 'objects={"Deployment/engine":{"spec":{"replicas":0}}}')
        self.assertEqual([pod.state for pod in node.pods.values() if pod.component == 'migrate'], [('Succeeded', False)])
        self.assertEqual(len(node.of('serve')), 2)
        self.upgrades(node)
        self.follows(node)

    def upgrades(self, node):
        """As a Service does, calls go to pods that are ready and not about to end."""
        token = subprocess.check_output([BIN / 'plimsoll', 'admin', '--database.url', url_for('plimsoll_app'), 'add-token', 'test', '--user', 'admin',
                                         '--team', 'main', *(part for scope in SCOPES for part in ('--scope', scope))], text=True).split()[-1]
        failed, calls, over = [], [], threading.Event()

        def call():
            while not over.is_set():
                ready = [pod for pod in node.of('serve') if pod.state == ('Running', True)]
                try:
                    reply = Api(f'http://127.0.0.1:{ready[len(calls) % len(ready)].port}', token, checked=False).get('/v1/jobs')
                    if reply.status != 200:
                        failed.append((reply.status, reply.body[:300]))
                except (OSError, IndexError, ZeroDivisionError) as error:
                    failed.append(repr(error))
                calls.append(1)
                time.sleep(0.01)

        clients = [threading.Thread(target=call) for _ in range(2)]
        for client in clients:
            client.start()
        before = {pod.name for pod in node.of('serve')}
        try:
            self.helm('upgrade', 'plimsoll', SOURCE, '--reuse-values', '--set', 'pods.serve.settings.PLIMSOLL_LOG_LEVEL=debug')
            until(lambda: len(node.of('serve')) == 2 and not before & {pod.name for pod in node.pods.values()}, 'the old pods are still there')
        finally:
            over.set()
            for client in clients:
                client.join()
        print(f'{len(calls)} calls during the upgrade, {len(failed)} failed', flush=True)
        self.assertEqual(failed, [])
        for pod in node.ended:
            self.assertEqual(pod.process.returncode, 0, f'{pod.name} did not end within its grace period')

    def follows(self, node):
        """KEDA's own operator starts the first replica, the autoscaler the others, by the metric that the operator answers."""
        keda.start(self.cluster)
        self.kubectl('apply', '--validate=strict', '-n', NAMESPACE, '-f', SOURCE / 'operators/keda.yaml')
        self.addCleanup(self.kubectl, 'delete', '-n', NAMESPACE, '-f', SOURCE / 'operators/keda.yaml')
        self.kubectl('wait', '-n', NAMESPACE, '--for=condition=Ready', 'scaledobject/engine', '--timeout=9m')
        self.assertEqual(self.replicas(), 0)
        began = time.monotonic()
        id = self.submit_backlog(BACKLOG, TASKS)
        until(self.replicas, 'no replica was started')
        print(f'scaled {time.monotonic() - began:.1f} s after the backlog appeared', flush=True)
        self.until_every_replica_works(time.monotonic(), MOST)
        self.assertEqual(self.replicas(), MOST)
        self.go()
        self.until(lambda: self.queue.state(id) == 'succeeded', 'a backlog is left')
        until(lambda: self.replicas() == 0, 'replicas are wanted without work')
        self.until(lambda: not node.of('engine') and len(self.cluster.get('pods')['items']) == 2, 'replicas are left')
        self.assert_each_once(id, [f'hold {self.folder}'] * TASKS)

    def replicas(self):
        return json.loads(self.cluster.ask('GET', f'/apis/apps/v1/namespaces/{NAMESPACE}/deployments/engine'))['spec']['replicas']


if __name__ == '__main__':
    unittest.main()
