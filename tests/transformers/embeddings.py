#!/usr/bin/env python3
"""Random encoders without a head: embeddings by `plimsoll-engine embed` against float64.

Usage: embeddings.py PLIMSOLL PLIMSOLL_ENGINE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz" / "tokenizers"))
import fuzz  # noqa: E402  it also finds the packages
import numpy  # noqa: E402
import published  # noqa: E402

MOST = 1e-6


def without_head(family, tensors, prefix):
    """As encoders are published: the names of some begin with the family, of others they do not."""
    heads = published.HEADS[family]
    return {name if prefix else name.removeprefix(family + "."): tensor for name, tensor in tensors.items()
            if not name.startswith(tuple(heads))}


def main():
    plimsoll, engine = sys.argv[1:]
    source = fuzz.Texts(11)
    texts = [source.text() for _ in range(40)] + ["", "good", "word " * 600, "good"]
    wrong = []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        environment = {**os.environ, "XDG_CACHE_HOME": str(place)}
        lines = place / "texts.jsonl"
        lines.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")

        def run(*command):
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            return done.stdout.splitlines() if done.returncode == 0 else wrong.append(done.stderr)

        for family, prefix in (("bert", False), ("distilbert", True), ("roberta", True)):
            folder = place / family
            folder.mkdir()
            tokenizer = fuzz.roberta(source.texts, False, folder) if family == "roberta" else fuzz.bert(source.texts, True, folder)
            config = published.config_of(family, 96, 3, 2, 200, tokenizer.get_vocab_size(), 130 + (2 if family == "roberta" else 0))
            tensors = published.random_tensors(family, config, seed=3)
            published.write(folder, config, without_head(family, tensors, prefix))
            tokenizer.enable_truncation(130)
            run(plimsoll, "model", "--models", place / "models", "add", folder, "--name", family)
            told = run(engine, "embed", family, lines, "--models", place / "models") or []
            worst = 0
            for text, line in zip(texts, told):
                expected = published.embedding(family, config, tensors, numpy.array(tokenizer.encode(text).ids))
                worst = max(worst, numpy.abs(numpy.array(json.loads(line)["embedding"]) - expected).max())
            cut = [json.loads(line)["truncated"] for line in told]
            print(f"{family}: {len(told)} embeddings, error {worst:.1e} of {MOST:.0e}, {sum(cut)} texts truncated")
            if len(told) != len(texts) or worst > MOST or not cut[-2] or cut[-1] or told[-1] != told[-3]:
                wrong.append(f"{family} is wrong")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
