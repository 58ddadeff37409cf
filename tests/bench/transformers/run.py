#!/usr/bin/env python3
"""A FinBERT-shaped model of random numbers: texts per second against ONNX Runtime with the same weights, in one run.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    build/peers/bin/python tests/bench/transformers/run.py [--rounds N] [--record]

ONNX Runtime gets the tokens, sorted by length in batches of 8 (its best) and unsorted in batches of 32; we get the texts, in
their own order, and tokenise them. Both have two threads. Round by round; medians of wall time, which other work on the
machine distorts for both.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/fuzz/tokenizers'), str(ROOT / 'tests/transformers')]
import numpy  # noqa: E402
import onnx_bert  # noqa: E402
import onnxruntime  # noqa: E402
import fuzz  # noqa: E402
import published  # noqa: E402
import results  # noqa: E402

COMMAND = 'tests/bench/transformers/run.py --record'
TEXTS = 128


def processor_class():
    flags = pathlib.Path('/proc/cpuinfo').read_text(encoding='ascii').split()
    for flag, name in (('amx_bf16', 'AMX'), ('avx512_bf16', 'AVX512-BF16'), ('avx512f', 'AVX-512')):
        if flag in flags:
            return name
    return 'AVX2'


def headlines(source):
    words = [word for word in source.words if word.isalpha() and len(word) < 9]
    return [' '.join(source.random.choice(words) for _ in range(source.random.choice([7, 10, 12, 14, 16, 18, 20, 22, 26])))
            for _ in range(TEXTS)]


def peer_seconds(session, ids, order, batch):
    logits = [None] * len(ids)
    start = time.perf_counter()
    for first in range(0, len(order), batch):
        chosen = order[first:first + batch]
        longest = max(len(ids[text]) for text in chosen)
        padded = numpy.zeros((len(chosen), longest), numpy.int64)
        mask = numpy.full((len(chosen), 1, 1, longest), -1e9, numpy.float32)
        for row, text in enumerate(chosen):
            padded[row, :len(ids[text])] = ids[text]
            mask[row, 0, 0, :len(ids[text])] = 0
        positions = numpy.broadcast_to(numpy.arange(longest), padded.shape)
        found = session.run(None, {'ids': padded, 'positions': positions, 'mask': mask})[0]
        for row, text in enumerate(chosen):
            logits[text] = found[row]
    return time.perf_counter() - start, numpy.array(logits)


def our_seconds(program, folder, texts, cache):
    told = subprocess.run([program, folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True,
                          check=True, env={'ROUNDS': '3', 'CACHE': cache})
    lines = [line.split() for line in told.stderr.splitlines()]
    load = next(float(line[1]) for line in lines if line[:1] == ['load'])
    seconds = [float(line[1]) for line in lines if line[:1] == ['round']]
    bits = numpy.array([[int(number, 16) for number in line.split()[1:4]] for line in told.stdout.splitlines()], numpy.uint32)
    return min(seconds[1:]), load, bits.view(numpy.float32)


def main():
    options = results.arguments(rounds=5).parse_args()
    program = results.release('classify_lines') / 'classify_lines'
    source = fuzz.Texts(5)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        tokenizer = fuzz.bert(source.texts, True, folder)
        config = published.config_of('bert', 768, 12, 12, 3072, 30522, 512)
        tensors = published.random_tensors('bert', config, 1)
        published.write(folder, config, tensors)
        onnx_bert.build(folder / 'model.onnx', config, tensors)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 2
        session = onnxruntime.InferenceSession(folder / 'model.onnx', settings, providers=['CPUExecutionProvider'])
        texts = headlines(source)
        ids = [one.ids for one in tokenizer.encode_batch(texts)]
        in_order = list(range(TEXTS))
        by_length = sorted(in_order, key=lambda text: len(ids[text]))
        ours, loads, by_8, by_32 = [], [], [], []
        error = 0
        our_seconds(program, place, texts, place + '/kernels')  # compiles
        for number in range(options.rounds):
            seconds, load, logits = our_seconds(program, place, texts, place + '/kernels')
            sorted_seconds, expected = peer_seconds(session, ids, by_length, 8)
            ours.append(seconds)
            loads.append(load)
            by_8.append(sorted_seconds)
            by_32.append(peer_seconds(session, ids, in_order, 32)[0])
            error = max(error, float(numpy.abs(logits - expected).max()))
            print(f'round {number + 1}: ours {TEXTS / seconds:.1f}, sorted {TEXTS / by_8[-1]:.1f}, unsorted '
                  f'{TEXTS / by_32[-1]:.1f} texts/s, load {load:.2f} s, error {error:.1e}')
    kind = processor_class()
    rate = {name: round(TEXTS / statistics.median(seconds), 1) for name, seconds in
            (('ours', ours), ('sorted', by_8), ('unsorted', by_32))}
    peer = f'ONNX Runtime {onnxruntime.__version__}'
    must = {'AVX2': (1.2, 1.45, 2.8, 3.5), 'AVX-512': (1.0, 1.2, None, None), 'AVX512-BF16': (1.0, 1.2, None, None)}.get(
        kind, (None, None, None, None))
    tokens = sum(map(len, ids))
    name = f'FinBERT shape, fp32, headlines of {tokens / TEXTS:.0f} tokens, {kind}'
    results.publish([
        results.entry(f'{name}: against sorted batches of 8', 'transformers', rate['ours'], 'texts/s', peer=peer,
                      peer_value=rate['sorted'], must=must[0], stretch=must[1], rounds=options.rounds, command=COMMAND),
        results.entry(f'{name}: against unsorted batches of 32', 'transformers', rate['ours'], 'texts/s', peer=peer,
                      peer_value=rate['unsorted'], must=must[2], stretch=must[3], rounds=options.rounds, command=COMMAND),
        results.entry_of_least('FinBERT shape: largest difference of a logit from ONNX Runtime', 'transformers', error, '',
                               most=1e-5, must=1, stretch=1e-5 / 3e-6, rounds=options.rounds, command=COMMAND),
        results.entry_of_least('Load of 438 MB with packing, in the page cache', 'transformers',
                               round(statistics.median(loads), 3), 's', most=1.5, must=1, stretch=1.5 / 0.7,
                               rounds=options.rounds, command=COMMAND),
    ], options)


if __name__ == '__main__':
    main()
