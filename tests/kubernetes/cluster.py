"""A real control plane (etcd, kube-apiserver, kube-controller-manager), and a node whose pods are processes of this machine."""
import _thread
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS, TOOLS = (pathlib.Path(subprocess.check_output([HERE / name], text=True).strip()) for name in ('programs', 'tools'))
PATIENCE = 600  # seconds
NAMESPACE = 'plimsoll'


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as listener:
        return listener.getsockname()[1]


def until(look, what, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not (found := look()):
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.1)
    return found


class Cluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='plm-kubernetes-'))
        self.processes = []
        store, peers = (f'http://127.0.0.1:{free_port()}' for _ in range(2))
        self.url = f'https://127.0.0.1:{free_port()}'
        self.start('etcd', f'--data-dir={self.folder}/etcd', f'--listen-client-urls={store}', f'--advertise-client-urls={store}',
                   f'--listen-peer-urls={peers}', f'--initial-advertise-peer-urls={peers}', f'--initial-cluster=default={peers}', '--unsafe-no-fsync')
        key = self.folder / 'accounts.key'
        subprocess.run(['openssl', 'genrsa', '-out', key, '2048'], check=True, capture_output=True)
        self.certify()
        (self.folder / 'tokens.csv').write_text('secret,admin,admin,system:masters\n')
        self.start('kube-apiserver', f'--etcd-servers={store}', f'--secure-port={self.url.rpartition(":")[2]}', '--bind-address=127.0.0.1',
                   f'--cert-dir={self.folder}/certificates', f'--token-auth-file={self.folder}/tokens.csv', '--authorization-mode=RBAC',
                   '--service-cluster-ip-range=10.96.0.0/16', f'--service-account-key-file={key}', f'--service-account-signing-key-file={key}',
                   '--service-account-issuer=https://kubernetes.default.svc', f'--requestheader-client-ca-file={self.folder}/authority.crt',
                   f'--proxy-client-cert-file={self.folder}/machine.crt', f'--proxy-client-key-file={self.folder}/machine.key',
                   '--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group',
                   '--requestheader-extra-headers-prefix=X-Remote-Extra-')
        self.config = self.folder / 'config'
        self.config.write_text(json.dumps({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'test',
            'clusters': [{'name': 'test', 'cluster': {'server': self.url, 'insecure-skip-tls-verify': True}}],
            'users': [{'name': 'admin', 'user': {'token': 'secret'}}],
            'contexts': [{'name': 'test', 'context': {'cluster': 'test', 'user': 'admin'}}]}))
        self.trust = ssl._create_unverified_context()
        until(self.is_ready, lambda: (self.folder / 'kube-apiserver.log').read_text()[-3000:])
        # Nobody reports for the node here that it is alive.
        self.start('kube-controller-manager', f'--kubeconfig={self.config}', f'--service-account-private-key-file={key}', '--leader-elect=false',
                   f'--secure-port={free_port()}', f'--cert-dir={self.folder}/manager', '--controllers=*,-node-lifecycle-controller')

    def is_ready(self):
        assert all(process.poll() is None for process in self.processes), (self.folder / 'kube-apiserver.log').read_text()[-3000:]
        with contextlib.suppress(OSError):
            return self.ask('GET', '/readyz')

    def certify(self):
        """authority.crt; machine.crt and .key for servers of this machine and for their calls of each other."""
        def openssl(*arguments):
            subprocess.run(['openssl', *arguments], cwd=self.folder, check=True, capture_output=True)

        new = ('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2')
        openssl(*new, '-subj', '/CN=authority', '-keyout', 'authority.key', '-out', 'authority.crt')
        openssl(*new, '-subj', '/CN=machine', '-keyout', 'machine.key', '-out', 'machine.crt', '-CA', 'authority.crt', '-CAkey', 'authority.key',
                '-addext', 'basicConstraints=CA:FALSE', '-addext', 'subjectAltName=DNS:localhost', '-addext', 'extendedKeyUsage=serverAuth,clientAuth')

    def start(self, program, *arguments, folder=PROGRAMS, env=None):
        with open(self.folder / f'{program}.log', 'w') as log:
            self.processes.append(subprocess.Popen([pathlib.Path(folder) / program, *arguments], stdout=log, stderr=log, env=env))

    def ask(self, method, path, body=None, kind='application/json'):
        """The API server's answer as text."""
        request = urllib.request.Request(self.url + path, body and json.dumps(body).encode(), {'Authorization': 'Bearer secret', 'Content-Type': kind}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE, context=self.trust) as answer:
            return answer.read().decode()

    def run(self, program, *arguments, check=True, **more):
        where = ['--cache-dir', self.folder / 'cache'] if program == 'kubectl' else []
        done = subprocess.run([TOOLS / program, f'--kubeconfig={self.config}', *where, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, 'HOME': str(self.folder)}, **more)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def kubectl(self, *arguments, **more):
        return self.run('kubectl', *arguments, **more)

    def get(self, kind, name=None):
        return json.loads(self.kubectl('get', '-n', NAMESPACE, kind, *([name] if name else []), '-o', 'json').stdout)

    def remove(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(PATIENCE)
        shutil.rmtree(self.folder)


class Pod:
    """A process in place of a pod's container: its arguments, its environment with the secret's values, and what the node adds."""

    def __init__(self, node, pod):
        [container] = pod['spec']['containers']
        self.name, self.component = pod['metadata']['name'], pod['metadata']['labels']['app.kubernetes.io/component']
        self.container, self.grace, self.told = container, pod['spec']['terminationGracePeriodSeconds'], None
        self.port, self.state, self.again = free_port(), None, pod['spec']['restartPolicy'] == 'Always'
        self.log = open(node.cluster.folder / f'{self.name}.log', 'a')
        given = {one['name']: one.get('value') or node.value(one['valueFrom'], pod) for one in container['env']}
        given = {name: value for name, value in given.items() if value is not None}
        self.command = node.command(container['args'])
        # All pods have this machine's address.
        self.environment = {**os.environ, **given, 'XDG_STATE_HOME': str(node.cluster.folder), 'PLIMSOLL_NODE': self.name,
                            'PLIMSOLL_HTTP_PORT': str(self.port), 'PLIMSOLL_METRICS_LISTEN': '', 'OCL_ICD_VENDORS': '/nonexistent'}
        self.began = 0
        self.start()

    def start(self):
        self.began = time.monotonic()
        self.process = subprocess.Popen(self.command, env=self.environment, stdout=self.log, stderr=self.log)

    def look(self):
        """(phase, whether it is ready)"""
        status = self.process.poll()
        if status is not None and self.again and self.told is None:
            if time.monotonic() - self.began > 1:
                self.start()
            return 'Running', False
        if status is not None:
            return 'Failed' if status else 'Succeeded', False
        probe = self.container.get('readinessProbe')
        if not probe:
            return 'Running', True
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{probe['httpGet']['path']}", timeout=5):
                return 'Running', True
        except OSError:
            return 'Running', False

    def tell(self):
        """To end; answers whether it has."""
        if self.told is None:
            self.told = time.monotonic()
            self.process.send_signal(signal.SIGTERM)
        if self.process.poll() is None and time.monotonic() - self.told > self.grace:
            self.process.kill()
        if self.process.poll() is None:
            return False
        self.log.close()
        return True


class Node:
    """In place of scheduler and kubelet. `command(args)` is what runs as a container with these arguments."""

    def __init__(self, cluster, command):
        self.cluster, self.command, self.pods, self.ended, self.over = cluster, command, {}, [], threading.Event()
        cluster.kubectl('create', '-f', '-', input=json.dumps({'apiVersion': 'v1', 'kind': 'Node', 'metadata': {'name': 'here', 'labels': {'kubernetes.io/hostname': 'here'}}}))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def value(self, source, pod):
        if 'fieldRef' in source:
            return pod['spec']['nodeName']
        reference = source['secretKeyRef']
        return self.cluster.secret.get(reference['key']) if reference.get('optional') else self.cluster.secret[reference['key']]

    def of(self, component):
        return [pod for pod in list(self.pods.values()) if pod.component == component and pod.told is None]

    def run(self):
        try:
            while not self.over.is_set():
                self.look()
                time.sleep(0.2)
        except BaseException:  # whoever waits would wait in vain
            traceback.print_exc()
            _thread.interrupt_main()

    def look(self):
        base = f'/api/v1/namespaces/{NAMESPACE}/pods'
        for pod in json.loads(self.cluster.ask('GET', base))['items']:
            name, uid = pod['metadata']['name'], pod['metadata']['uid']
            with contextlib.suppress(urllib.error.HTTPError):  # deleted meanwhile
                if 'nodeName' not in pod['spec']:
                    self.cluster.ask('POST', f'{base}/{name}/binding', {
                        'apiVersion': 'v1', 'kind': 'Binding', 'metadata': {'name': name}, 'target': {'apiVersion': 'v1', 'kind': 'Node', 'name': 'here'}})
                elif 'deletionTimestamp' in pod['metadata']:
                    if uid not in self.pods or self.pods[uid].tell():
                        self.cluster.ask('DELETE', f'{base}/{name}', {'gracePeriodSeconds': 0})
                        if uid in self.pods:
                            self.ended.append(self.pods.pop(uid))
                else:
                    if uid not in self.pods:
                        self.pods[uid] = Pod(self, pod)
                    self.report(base, self.pods[uid])

    def report(self, base, pod):
        state = phase, ready = pod.look()
        if state != pod.state:
            image = pod.container['image']
            self.cluster.ask('PATCH', f'{base}/{pod.name}/status', {'status': {
                'phase': phase, 'conditions': [{'type': kind, 'status': str(ready), 'lastTransitionTime': time.strftime('%FT%TZ', time.gmtime())}
                                               for kind in ('Ready', 'ContainersReady')],
                'containerStatuses': [{'name': pod.container['name'], 'ready': ready, 'restartCount': 0, 'image': image, 'imageID': image}],
            }}, 'application/merge-patch+json')
            pod.state = state

    def close(self):
        self.over.set()
        self.thread.join(PATIENCE)
        for pod in self.pods.values():
            pod.process.kill()
            pod.process.wait()
            pod.log.close()
