#!/usr/bin/env python3
"""What other load does not change: bits, rows, bytes and allocations of models in their published shapes, with random
weights, and their logits against ONNX Runtime.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    build/peers/bin/python tests/bench/transformers/counts.py [--rounds N] [--record]

Bits: the same texts in --rounds random orders and batches, half of them on one thread and half on two. On a processor
with AVX-512, PoCL also compiles for one with AVX2 alone (tests/bench/engine/as_avx2.cpp), and every logit is compared.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/tokenizers'), str(ROOT / 'tests/transformers')]
import numpy  # noqa: E402
import onnx_bert  # noqa: E402
import onnxruntime  # noqa: E402
import fuzz  # noqa: E402
import published  # noqa: E402
import results  # noqa: E402
import run  # noqa: E402

COMMAND = 'tests/bench/transformers/counts.py --record'
# family, hidden, layers, heads, inner, positions
SHAPES = {'FinBERT': ('bert', 768, 12, 12, 3072, 512), 'DistilBERT': ('distilbert', 768, 6, 12, 3072, 512),
          'Twitter-RoBERTa': ('roberta', 768, 12, 12, 3072, 512), 'MiniLM': ('bert', 384, 6, 12, 1536, 512)}
COUNTED = ('FinBERT', 'MiniLM')  # the shapes whose bits are counted
COMPARED = 48  # texts


def loop(program, folder, texts, cache, **environment):
    told = subprocess.run([program, folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True, check=False,
                          env={**os.environ, 'CACHE': str(cache), **environment})
    if told.returncode != 0:
        sys.exit(told.stderr)
    return json.loads(told.stdout)


def write(shape, folder, source):
    family, hidden, layers, heads, inner, positions = shape
    folder.mkdir()
    tokenizer = fuzz.roberta(source.texts, False, folder) if family == 'roberta' else fuzz.bert(source.texts, True, folder)
    before = 2 if family == 'roberta' else 0
    config = published.config_of(family, hidden, layers, heads, inner, tokenizer.get_vocab_size(), positions + before)
    tensors = published.random_tensors(family, config, 1)
    published.write(folder, config, tensors)
    tokenizer.enable_truncation(positions)
    return tokenizer, config, tensors, before


def difference_of_logits(shape, folder, made, texts, programs, cache):
    """Ours alone and theirs alone: one text at a time, so that nothing is padded."""
    tokenizer, config, tensors, before = made
    onnx_bert.build(folder / 'model.onnx', config, tensors, shape[0])
    session = onnxruntime.InferenceSession(folder / 'model.onnx', providers=['CPUExecutionProvider'])
    lines = subprocess.run([programs / 'classify_lines', folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True,
                           check=True, env={**os.environ, 'CACHE': str(cache), 'FORM': 'fp32'}).stdout.splitlines()
    labels = len(config['id2label'])
    worst = 0
    for text, line in zip(texts, lines):
        ids = tokenizer.encode(text).ids
        row = (1, len(ids))
        expected = session.run(None, {'ids': numpy.array([ids], numpy.int64), 'mask': numpy.zeros((1, 1, *row), numpy.float32),
                                      'positions': (numpy.arange(len(ids), dtype=numpy.int64) + before).reshape(row)})[0][0]
        found = numpy.array([int(number, 16) for number in line.split()[1:1 + labels]], numpy.uint32).view(numpy.float32)
        worst = max(worst, float(numpy.abs(found - expected).max()))
    return worst


def count(name, folder, texts, program, cache, rounds):
    rows = []
    kind = run.processor_class()
    for form in run.our_forms():
        def look(what, **more):
            return loop(program, folder, texts, cache, WHAT=what, FORM=form, ROUNDS=str(rounds // 2), **more)
        one, two = (look('batchings', POCL_MAX_PTHREAD_COUNT=str(threads)) for threads in (1, 2))
        what = f'{name} shape, {form}'
        rows.append(results.entry_of_none(f'{what}: scores that differ over {rounds} orders, budgets and thread counts', 'transformers',
                                          one['differing'] + two['differing'] + (one['digest'] != two['digest']), 'scores', rounds=rounds,
                                          command=COMMAND))
        rows.append(results.entry_of_none(f'{what}: allocations of device memory while {one["batches"] + two["batches"]} batches are computed',
                                          'transformers', one['allocations'] + two['allocations'], 'allocations', rounds=rounds, command=COMMAND))
        computed = (one['rows'] + two['rows']) / (one['tokens'] + two['tokens'])
        rows.append(results.entry_of_least(f'{what}: rows computed for a token, any order', 'transformers', round(computed, 4), '', most=1.02,
                                           must=1, stretch=1.02, rounds=rounds, command=COMMAND))
        found = look('memory')
        off = 100 * abs(found['held'] / found['predicted'] - 1)
        print(f"{what}: {found['predicted']:,} bytes predicted, {found['held']:,} held")
        rows.append(results.entry_of_least(f'{what}: memory of the resident model against {found["predicted"] / 1e6:.0f} MB predicted',
                                           'transformers', max(round(off, 2), 0.01), '%', most=5, must=1, stretch=5, rounds=1, command=COMMAND))
        if form == 'bf16' or kind == 'AVX2':
            continue
        other = loop(program, folder, texts, f'{cache}-haswell', WHAT='batchings', FORM=form, ROUNDS='0', WITHOUT='avx512',
                     LD_PRELOAD=str(program.with_name('engine_as_avx2.so')))
        assert 'haswell' in other['device'], other['device']
        print(f"{what}: {two['method']} on {two['device']}, {other['method']} on {other['device']}")
        rows.append(results.entry_of_none(f'{what}: digests of {len(texts)} texts that differ, compiled for AVX2 and for this processor',
                                          'transformers', int(other['digest'] != two['digest']), '', rounds=1, command=COMMAND))
    return rows


def main():
    options = results.arguments(rounds=200, programs=True).parse_args()
    programs = results.programs_of(options, 'transformers_model_loop', 'engine_as_avx2', 'classify_lines')
    source = fuzz.Texts(11)
    headlines = run.headlines(source)[:64] + [source.text() for _ in range(16)]
    mixed = [source.text() for _ in range(COMPARED - 2)] + ['word ' * 600, '']
    rows = []
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        for name, shape in SHAPES.items():
            folder = place / name
            made = write(shape, folder, source)
            worst = difference_of_logits(shape, folder, made, mixed, programs, place / 'kernels')
            rows.append(results.entry_of_least(f'{name} shape, mixed texts: largest difference of a logit from ONNX Runtime', 'transformers', worst,
                                               '', most=1e-5, must=1, stretch=1e-5 / 3e-6, rounds=1, command=COMMAND))
            if name in COUNTED:
                rows += count(name, folder, headlines, programs / 'transformers_model_loop', place / 'kernels', options.rounds)
            results.show(rows[-13:])
    results.publish(rows, options)


if __name__ == '__main__':
    main()
