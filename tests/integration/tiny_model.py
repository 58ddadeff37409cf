"""The sample's tiny model, made and installed beside a running server."""

import importlib.util
import json
import struct
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


def install(server, api, *names, there=()):
    """The same weights under each of the names, beside models that are there."""
    published = make(server)
    for name in names:
        server.run("model", "add", published, "--name", name)
    until_offered(api, *names, *there)
    return published


def parts():
    """The program that makes it, its vocabulary and its tensors."""
    spec = importlib.util.spec_from_file_location("make_tiny_model", MAKE)
    sample = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sample)
    vocabulary = [*sample.MARKS, *sorted({*sample.POSITIVE, *sample.NEGATIVE})]
    return sample, vocabulary, sample.make(vocabulary)


def write_without_head(folder):
    """Its encoder alone, which makes embeddings."""
    sample, vocabulary, tensors = parts()
    sample.write(folder, vocabulary, {name: one for name, one in tensors.items() if "classifier" not in name})


def write_large(folder, words):
    """The same with a table of so many words, most of them zeros that take no space on the disk."""
    sample, vocabulary, tensors = parts()
    table = tensors.pop("distilbert.embeddings.word_embeddings.weight")
    tensors["distilbert.embeddings.word_embeddings.weight"] = table  # the last in the file
    sample.write(folder, vocabulary, tensors)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": words}))
    weights = (folder / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", weights[:8])
    header = json.loads(weights[8:8 + size])
    entry = header["distilbert.embeddings.word_embeddings.weight"]
    entry["shape"][0] = words
    entry["data_offsets"][1] = entry["data_offsets"][0] + words * sample.HIDDEN * 4
    text = json.dumps(header).encode()
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + weights[8 + size:])
        file.truncate(8 + len(text) + entry["data_offsets"][1])


def write_two_classes(folder):
    """The same without its third label: a model that knows positive and negative alone, as SST-2's do."""
    sample, vocabulary, tensors = parts()
    for name, width in (("classifier.weight", sample.HIDDEN), ("classifier.bias", 1)):
        tensors[name]["shape"][0] = 2
        del tensors[name]["numbers"][2 * width:]
    sample.write(folder, vocabulary, tensors)
    config = json.loads((folder / "config.json").read_text())
    del config["id2label"]["2"]
    (folder / "config.json").write_text(json.dumps(config))
