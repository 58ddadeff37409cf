"""deploy/kubernetes without a cluster: Helm and kustomize make the same objects of it, each fits its schema, and what they name
exists."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = pathlib.Path(subprocess.check_output([ROOT / 'tests/kubernetes/tools'], text=True).strip())
sys.path[:0] = [str(TOOLS), subprocess.check_output([ROOT / 'tests/support/python', 'fastjsonschema'], text=True).strip()]
import fastjsonschema  # noqa: E402
import yaml  # noqa: E402

SOURCE = ROOT / 'deploy/kubernetes'
OF_OPERATORS = {'ScaledObject', 'TriggerAuthentication', 'ServiceMonitor'}  # not among the schemas
DEFINITIONS = json.loads((TOOLS / 'kubernetes.json').read_text().replace('/api/_definitions.json#', '#'))['$defs']


def schemas():
    """apiVersion, kind -> name."""
    return {('/'.join(filter(None, (one['group'], one['version']))), one['kind']): name for name, schema in DEFINITIONS.items()
            for one in schema.get('x-kubernetes-group-version-kind', ())}


def kustomized(folder):
    return list(yaml.safe_load_all(subprocess.check_output([TOOLS / 'kubectl', 'kustomize', SOURCE / folder], text=True)))


def helm(*arguments):
    return subprocess.run([TOOLS / 'helm', *arguments], capture_output=True, text=True)


def charted(**values):
    """The chart's objects by kind and name."""
    done = helm('template', 'plimsoll', SOURCE, '--namespace', 'plimsoll',
                *(part for name, value in values.items() for part in ('--set-json', f"{name.replace('__', '.')}={json.dumps(value)}")))
    assert done.returncode == 0, done.stderr
    return by_name(yaml.safe_load_all(done.stdout))


def by_name(things):
    return {f"{thing['kind']}/{thing['metadata']['name']}": thing for thing in things if thing['kind'] != 'Namespace'}


def container(thing):
    [only] = thing['spec']['template']['spec']['containers']
    return only


def misfit(thing):
    """What an API server would refuse, or None."""
    check = fastjsonschema.compile({'$ref': f'#/$defs/{schemas()[thing["apiVersion"], thing["kind"]]}', '$defs': DEFINITIONS},
                                   use_formats=False)
    try:
        check(thing)
    except fastjsonschema.JsonSchemaException as error:
        return str(error)


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.objects = kustomized('operators')
        cls.templates = {(thing['kind'], thing['metadata']['name']): thing['spec']['template']['spec']
                         for thing in cls.objects if 'template' in thing.get('spec', {})}

    def test_each_fits_its_schema(self):
        known = [thing for thing in self.objects if thing['kind'] not in OF_OPERATORS]
        self.assertGreater(len(known), 10)
        for thing in known:
            self.assertIsNone(misfit(thing), thing['metadata']['name'])
        known[0]['spec'] = {'finalisers': []}
        self.assertIn('finalisers', misfit(known[0]))

    def test_every_file_is_used(self):
        for folder in ('base', 'operators'):
            used = yaml.safe_load((SOURCE / folder / 'kustomization.yaml').read_text())['resources']
            self.assertEqual({path.name for path in (SOURCE / folder).iterdir()} - {'kustomization.yaml'},
                             {name for name in used if name.endswith('.yaml')})

    def test_the_chart_makes_the_same_objects(self):
        linted = helm('lint', '--strict', SOURCE)
        self.assertEqual(linted.returncode, 0, linted.stdout)
        self.assertEqual(charted(), by_name(kustomized('base')))
        self.assertEqual(charted(keda=True, monitor=True), by_name(self.objects))

    def test_the_chart_follows_its_values(self):
        found = charted(image={'repository': 'registry.example/plimsoll', 'tag': '1.2.3'}, secret='own', host='jobs.example', gpu=False, keda=True,
                        pods__serve={'settings': {'PLIMSOLL_HTTP_DRAIN_DELAY': 8, 'PLIMSOLL_LOG_LEVEL': 'debug'},
                                     'resources': {'limits': {'memory': '1Gi'}}},
                        objects={'Deployment/serve': {'spec': {'replicas': 3}}, 'PriorityClass/plimsoll-engine': None})
        self.assertEqual(set(charted(keda=True)) - set(found), {'DaemonSet/engine-gpu', 'PriorityClass/plimsoll-engine'})
        self.assertEqual({container(thing)['image'] for thing in found.values() if 'template' in thing.get('spec', {})},
                         {'registry.example/plimsoll:1.2.3'})
        self.assertEqual(set(re.findall(r"'name': '([\w-]+)', 'key'|'key': '[\w-]+', 'name': '([\w-]+)'", str(found))), {('', 'own')})
        self.assertEqual(found['Deployment/serve']['spec']['replicas'], 3)
        serve = container(found['Deployment/serve'])
        settings = {one['name']: one.get('value') for one in serve['env']}
        self.assertEqual(len(settings), len(serve['env']))
        self.assertEqual((settings['PLIMSOLL_HTTP_DRAIN_DELAY'], settings['PLIMSOLL_LOG_LEVEL']), ('8', 'debug'))
        self.assertEqual(serve['resources'], {'requests': {'cpu': '250m', 'memory': '128Mi'}, 'limits': {'memory': '1Gi'}})
        ingress = found['Ingress/serve']['spec']
        self.assertEqual([ingress['rules'][0]['host'], *ingress['tls'][0]['hosts']], ['jobs.example'] * 2)
        self.assertIsNone(misfit(found['Deployment/serve']))

    def test_the_chart_refuses_what_it_does_not_know(self):
        for values, reason in (('hosts=a.example', "'hosts' not allowed"), ('pods.serve.settings.level=debug', "'level' not allowed"),
                               ('objects.Deployment/server.spec.replicas=3', 'objects: there is no Deployment/server')):
            refused = helm('template', 'plimsoll', SOURCE, '--set', values)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(reason, refused.stderr)

    def test_pods_are_restricted_and_have_time_to_drain(self):
        self.assertEqual(len(self.templates), 4)
        for name, pod in self.templates.items():
            with self.subTest(name):
                self.assertTrue(pod['securityContext']['runAsNonRoot'])
                self.assertFalse(pod['automountServiceAccountToken'])
                [one] = pod['containers']
                self.assertTrue(one['securityContext']['readOnlyRootFilesystem'])
                self.assertIn('memory', one['resources']['limits'])
                # Of the supervisor and of the server, in seconds.
                least = {'engine': 40 + 5, 'serve': 5 + 10 + 5}.get(one['args'][0], 0)
                self.assertGreaterEqual(pod.get('terminationGracePeriodSeconds', 30), least)

    def test_secrets_are_named_where_they_are_explained(self):
        used = set(re.findall(r'key: ([\w-]+-url)', ''.join(path.read_text() for path in SOURCE.rglob('*.yaml'))))
        explained = set(re.findall(r'--from-literal ([\w-]+-url)=', (ROOT / 'deploy/SCALING.md').read_text()))
        self.assertEqual(used, explained)

    def test_image_and_chart_have_this_version(self):
        [image] = yaml.safe_load((SOURCE / 'base/kustomization.yaml').read_text())['images']
        version = re.search(r'^project\(.*VERSION ([\d.]+)', (ROOT / 'CMakeLists.txt').read_text(), re.M)[1]
        self.assertEqual(image, {'name': 'plimsoll', 'newTag': version})
        chart = yaml.safe_load((SOURCE / 'Chart.yaml').read_text())
        self.assertEqual((chart['version'], chart['appVersion']), (version, version))


if __name__ == '__main__':
    unittest.main()
