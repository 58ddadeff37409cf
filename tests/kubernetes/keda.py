"""KEDA's operator and its metrics adapter, as processes of this machine: what scales the engines of deploy/kubernetes."""
import json
import os
import pathlib
import subprocess

from cluster import HERE, free_port, until

PROGRAMS = pathlib.Path(subprocess.check_output([HERE / 'programs', 'keda'], text=True).strip())
NAMESPACE = 'keda'
METRICS = 'v1beta1.external.metrics.k8s.io'


def start(cluster):
    """The API server passes questions for external metrics on to the adapter, which asks the operator."""
    grpc, secure = free_port(), free_port()
    certificates = cluster.folder / 'keda'
    certificates.mkdir()
    for name, source in (('ca.crt', 'authority.crt'), ('tls.crt', 'machine.crt'), ('tls.key', 'machine.key')):
        (certificates / name).write_bytes((cluster.folder / source).read_bytes())
    cluster.kubectl('apply', '--server-side', *(part for crd in PROGRAMS.glob('*.yaml') for part in ('-f', crd)))
    cluster.kubectl('wait', '--for=condition=established', 'crd', '--all')
    cluster.kubectl('create', 'namespace', NAMESPACE)
    for one in ({'apiVersion': 'v1', 'kind': 'Service', 'metadata': {'name': 'adapter', 'namespace': NAMESPACE},
                 'spec': {'type': 'ExternalName', 'externalName': 'localhost', 'ports': [{'port': secure}]}},
                {'apiVersion': 'apiregistration.k8s.io/v1', 'kind': 'APIService', 'metadata': {'name': METRICS},
                 'spec': {'group': 'external.metrics.k8s.io', 'version': 'v1beta1', 'groupPriorityMinimum': 100, 'versionPriority': 100,
                          'insecureSkipTLSVerify': True, 'service': {'name': 'adapter', 'namespace': NAMESPACE, 'port': secure}}}):
        cluster.kubectl('create', '-f', '-', input=json.dumps(one))
    given = {**os.environ, 'KUBECONFIG': str(cluster.config), 'WATCH_NAMESPACE': '', 'POD_NAMESPACE': NAMESPACE, 'KEDA_CLUSTER_OBJECT_NAMESPACE': NAMESPACE}
    cluster.start('operator', f'--cert-dir={certificates}', f'--ca-dir={certificates}', f'--metrics-service-bind-address=127.0.0.1:{grpc}',
                  '--metrics-bind-address=0', f'--health-probe-bind-address=127.0.0.1:{free_port()}', folder=PROGRAMS, env=given)
    cluster.start('adapter', f'--cert-dir={certificates}', f'--client-ca-file={certificates}/ca.crt', f'--tls-cert-file={certificates}/tls.crt',
                  f'--tls-private-key-file={certificates}/tls.key', '--bind-address=127.0.0.1', f'--secure-port={secure}', f'--port={free_port()}',
                  f'--metrics-service-address=localhost:{grpc}',
                  *(f'--{kind}-kubeconfig={cluster.config}' for kind in ('authentication', 'authorization', 'lister')), folder=PROGRAMS, env=given)

    def available():
        told = json.loads(cluster.kubectl('get', 'apiservice', METRICS, '-o', 'json').stdout)
        return any(one['type'] == 'Available' and one['status'] == 'True' for one in told.get('status', {}).get('conditions', ()))

    until(available, lambda: ''.join((cluster.folder / f'{name}.log').read_text()[-2000:] for name in ('operator', 'adapter')))
