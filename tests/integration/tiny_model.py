"""The sample's tiny model, made and installed beside a running server."""

import importlib.util
import json
import subprocess
import sys
import time

from harness import PATIENCE, ROOT

MAKE = ROOT / "deploy/samples/models/make_tiny_model.py"


def until(look, what):
    """What `look` finds, as soon as it finds something: workers tell with heartbeats, and nobody announces it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, what
        time.sleep(0.1)
    return found


def make(server):
    """Its files as a publisher has them, in the server's folder."""
    published = server.folder / "published"
    subprocess.run([sys.executable, "-B", MAKE, published], check=True)
    return published


def until_offered(api, *names):
    """Until workers offer exactly these, and vader."""
    wanted = {"vader", *names}
    until(lambda: {model["name"] for model in api.get("/v1/models").json["items"]} == wanted,
          f"workers do not offer {', '.join(sorted(wanted))}")


def install(server, api, *names):
    """The same weights under each of the names."""
    published = make(server)
    for name in names:
        server.run("model", "add", published, "--name", name)
    until_offered(api, *names)
    return published


def write_two_classes(folder):
    """The same without its third label: a model that knows positive and negative alone, as SST-2's do."""
    spec = importlib.util.spec_from_file_location("make_tiny_model", MAKE)
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    vocabulary = [*sample.MARKS, *sorted({*sample.POSITIVE, *sample.NEGATIVE})]
    tensors = sample.make(vocabulary)
    for name, width in (("classifier.weight", sample.HIDDEN), ("classifier.bias", 1)):
        tensors[name]["shape"][0] = 2
        del tensors[name]["numbers"][2 * width:]
    sample.write(folder, vocabulary, tensors)
    config = json.loads((folder / "config.json").read_text())
    del config["id2label"]["2"]
    (folder / "config.json").write_text(json.dumps(config))
