"""The manifests of deploy/kubernetes without a cluster: each object fits its schema, and what they name exists."""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FETCHED = pathlib.Path(subprocess.check_output([ROOT / 'tests/kubernetes/schemas'], text=True).strip())
sys.path[:0] = [str(FETCHED), subprocess.check_output([ROOT / 'tests/support/python', 'fastjsonschema'], text=True).strip()]
import fastjsonschema  # noqa: E402
import yaml  # noqa: E402

SOURCE = ROOT / 'deploy/kubernetes'
OF_OPERATORS = {'ScaledObject', 'TriggerAuthentication', 'ServiceMonitor'}  # not among the schemas
DEFINITIONS = json.loads((FETCHED / 'kubernetes.json').read_text().replace('/api/_definitions.json#', '#'))['$defs']


def schemas():
    """apiVersion, kind -> name."""
    return {('/'.join(filter(None, (one['group'], one['version']))), one['kind']): name for name, schema in DEFINITIONS.items()
            for one in schema.get('x-kubernetes-group-version-kind', ())}


def objects(folder):
    for name in yaml.safe_load((SOURCE / folder / 'kustomization.yaml').read_text())['resources']:
        if name.endswith('.yaml'):
            yield from yaml.safe_load_all((SOURCE / folder / name).read_text())


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
        cls.objects = [*objects('base'), *objects('operators')]
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

    def test_pods_are_restricted_and_have_time_to_drain(self):
        self.assertEqual(len(self.templates), 4)
        for name, pod in self.templates.items():
            with self.subTest(name):
                self.assertTrue(pod['securityContext']['runAsNonRoot'])
                self.assertFalse(pod['automountServiceAccountToken'])
                [container] = pod['containers']
                self.assertTrue(container['securityContext']['readOnlyRootFilesystem'])
                self.assertIn('memory', container['resources']['limits'])
                # Of the supervisor and of the server, in seconds.
                least = {'engine': 40 + 5, 'serve': 5 + 10 + 5}.get(container['args'][0], 0)
                self.assertGreaterEqual(pod.get('terminationGracePeriodSeconds', 30), least)

    def test_secrets_are_named_where_they_are_explained(self):
        used = set(re.findall(r'key: ([\w-]+-url)', ''.join(path.read_text() for path in SOURCE.rglob('*.yaml'))))
        explained = set(re.findall(r'--from-literal ([\w-]+-url)=', (ROOT / 'deploy/SCALING.md').read_text()))
        self.assertEqual(used, explained)

    def test_the_image_has_this_version(self):
        [image] = yaml.safe_load((SOURCE / 'base/kustomization.yaml').read_text())['images']
        version = re.search(r'^project\(.*VERSION ([\d.]+)', (ROOT / 'CMakeLists.txt').read_text(), re.M)[1]
        self.assertEqual(image, {'name': 'plimsoll', 'newTag': version})


if __name__ == '__main__':
    unittest.main()
