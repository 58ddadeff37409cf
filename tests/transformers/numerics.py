#!/usr/bin/env python3
"""Random models of all published families: logits against float64, and the same bits in every batch, in every form that
the processor supports.

Usage: numerics.py CLASSIFY_LINES. $PLIMSOLL_LONG_TESTS: shapes as large as published ones, 200 batchings.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "fuzz" / "tokenizers"))
import fuzz  # noqa: E402  it also finds the packages
import numpy  # noqa: E402
import published  # noqa: E402

LONG = bool(os.environ.get("PLIMSOLL_LONG_TESTS"))
# By form: how far a logit may be from float64.
MOST = {"fp32": 1e-5, "bf16": 5e-2, "int8": 0.5}
# hidden, layers, heads, inner, positions
SHAPES = [(96, 3, 2, 200, 130)] + ([(64, 2, 4, 128, 48), (384, 6, 12, 1536, 512), (768, 12, 12, 3072, 512)] if LONG else [])


def forms():
    flags = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").split())
    return ["fp32"] + ["bf16"] * bool(flags & {"avx512_bf16", "amx_bf16"}) + ["int8"] * ("avx2" in flags)


def classify(program, folder, texts, cache, form, threads, batchings):
    """Of each batching, the line of each text; the first is all texts at once."""
    lines = subprocess.run([program, folder, *batchings], input="\n".join(map(json.dumps, texts)), capture_output=True, text=True, check=True,
                           env={**os.environ, "CACHE": cache, "FORM": form, "POCL_MAX_PTHREAD_COUNT": str(threads)}).stdout.splitlines()
    if len(lines) != len(texts) * (1 + len(batchings)):
        sys.exit(f"{len(texts)} texts went in {1 + len(batchings)} times, {len(lines)} came out")
    return [lines[at:at + len(texts)] for at in range(0, len(lines), len(texts))]


def worst_error(family, config, tensors, tokenizer, texts, lines):
    labels = len(config["id2label"])
    worst = 0
    for text, line in zip(texts, lines):
        found = numpy.array([int(number, 16) for number in line.split()[1:1 + labels]], dtype=numpy.uint32)
        expected = published.logits(family, config, tensors, numpy.array(tokenizer.encode(text).ids))
        worst = max(worst, numpy.abs(found.view(numpy.float32) - expected).max())
    return worst


def main():
    program = sys.argv[1]
    source = fuzz.Texts(11)
    texts = [source.text() for _ in range(60)] + ["", " ", "good", "\u00e9" * 700, "word " * 600, "good"]
    wrong = False
    with tempfile.TemporaryDirectory() as cache:
        for family in ("bert", "distilbert", "roberta"):
            for hidden, layers, heads, inner, positions in SHAPES:
                with tempfile.TemporaryDirectory() as place:
                    folder = pathlib.Path(place)
                    tokenizer = fuzz.roberta(source.texts, False, folder) if family == "roberta" \
                        else fuzz.bert(source.texts, True, folder)
                    config = published.config_of(family, hidden, layers, heads, inner, tokenizer.get_vocab_size(),
                                                 positions + (2 if family == "roberta" else 0))
                    tensors = published.random_tensors(family, config, seed=hidden)
                    published.write(folder, config, tensors)
                    tokenizer.enable_truncation(positions)
                    for form in forms():
                        draw = random.Random(hidden)
                        # One thread, and two.
                        batchings = [[], []]
                        for seed in range(1, (200 if LONG and hidden < 768 else 5) + 1):
                            draw.choice(batchings).append(f"{seed}:{draw.choice([1, 2, 3, 7, 20, 1000])}")
                        lines, *others = (found for threads in (1, 2)
                                          for found in classify(program, folder, texts, cache, form, threads, batchings[threads - 1]))
                        differing = sum(other != lines for other in others)
                        checked = texts if hidden < 384 else texts[:12]
                        worst = worst_error(family, config, tensors, tokenizer, checked, lines)
                        print(f"{family} {hidden}x{layers} {form}: error {worst:.1e} of {MOST[form]:.0e}, "
                              f"{differing} batchings differ")
                        wrong |= not worst <= MOST[form] or differing > 0
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
