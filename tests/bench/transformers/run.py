#!/usr/bin/env python3
"""A FinBERT-shaped model with random weights: texts per second against ONNX Runtime with the same weights, in one run,
in every form that the processor supports.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    build/peers/bin/python tests/bench/transformers/run.py [--rounds N] [--record]

ONNX Runtime gets the tokens, sorted by length in batches of 8 (its best) and unsorted in batches of 32, and its own
dynamic quantisation to int8 with a scale per column; we get the texts, in their own order, and tokenise them. Our fp32
and bf16 are compared with its fp32, our int8 with its int8. Both use two threads. Publishes medians over interleaved
rounds of wall time, which other load distorts for both, and prints ratios of processor time, in which threads that spin
count for the peer.
"""
import json
import os
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
from onnxruntime.quantization import QuantType, quantize_dynamic  # noqa: E402
import fuzz  # noqa: E402
import published  # noqa: E402
import results  # noqa: E402

COMMAND = 'tests/bench/transformers/run.py --record'
TEXTS = 128
# By processor, our form and what it stands beside: what the ratio must and should be.
LIMITS = {
    ('AVX2', 'fp32', 'sorted'): (1.2, 1.45), ('AVX2', 'fp32', 'unsorted'): (2.8, 3.5),
    ('AVX2', 'int8', 'int8 sorted'): (1.35, 1.8),
    ('AVX-512', 'fp32', 'sorted'): (1.0, 1.2), ('AVX512-BF16', 'fp32', 'sorted'): (1.0, 1.2),
    ('AVX512-BF16', 'bf16', 'sorted'): (1.6, 2.1), ('AVX512-BF16', 'int8', 'int8 sorted'): (1.15, 1.5),
    ('AMX', 'bf16', 'sorted'): (4, 5.5), ('AMX', 'int8', 'int8 sorted'): (1.6, 2.2),
}


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
    start, used = time.perf_counter(), time.process_time()
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
    return time.perf_counter() - start, time.process_time() - used, numpy.array(logits)


def our_forms():
    flags = pathlib.Path('/proc/cpuinfo').read_text(encoding='ascii').split()
    return ['fp32'] + ['bf16'] * ('avx512_bf16' in flags or 'amx_bf16' in flags) + ['int8'] * ('avx2' in flags)


def our_seconds(program, folder, texts, cache, form):
    told = subprocess.run([program, folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True,
                          check=True, env={**os.environ, 'ROUNDS': '3', 'CACHE': cache, 'FORM': form})
    lines = [line.split() for line in told.stderr.splitlines()]
    load = next(float(line[1]) for line in lines if line[:1] == ['load'])
    seconds = [float(line[1]) for line in lines if line[:1] == ['round']]
    bits = numpy.array([[int(number, 16) for number in line.split()[1:4]] for line in told.stdout.splitlines()], numpy.uint32)
    processor = [float(line[2]) for line in lines if line[:1] == ['round']]
    return min(seconds[1:]), min(processor[1:]), load, bits.view(numpy.float32)


def main():
    options = results.arguments(rounds=5, programs=True).parse_args()
    program = results.programs_of(options, 'classify_lines') / 'classify_lines'
    source = fuzz.Texts(5)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        tokenizer = fuzz.bert(source.texts, True, folder)
        config = published.config_of('bert', 768, 12, 12, 3072, 30522, 512)
        tensors = published.random_tensors('bert', config, 1)
        published.write(folder, config, tensors)
        onnx_bert.build(folder / 'model.onnx', config, tensors)
        quantize_dynamic(folder / 'model.onnx', folder / 'int8.onnx', per_channel=True, weight_type=QuantType.QInt8)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 2
        exact, quantised = (onnxruntime.InferenceSession(folder / file, settings, providers=['CPUExecutionProvider'])
                            for file in ('model.onnx', 'int8.onnx'))
        texts = headlines(source)
        ids = [one.ids for one in tokenizer.encode_batch(texts)]
        in_order = list(range(TEXTS))
        by_length = sorted(in_order, key=lambda text: len(ids[text]))
        forms = our_forms()
        took, used = ({name: [] for name in [*forms, 'sorted', 'unsorted', 'int8 sorted']} for _ in range(2))
        loads = []
        error = 0
        for form in forms:
            our_seconds(program, place, texts, place + '/kernels', form)  # compiles
        for number in range(options.rounds):
            expected = None
            for name, session, order, batch in (('sorted', exact, by_length, 8), ('unsorted', exact, in_order, 32),
                                                ('int8 sorted', quantised, by_length, 8)):
                seconds, processor, found = peer_seconds(session, ids, order, batch)
                took[name].append(seconds)
                used[name].append(processor)
                expected = found if expected is None else expected
            for form in forms:
                seconds, processor, load, logits = our_seconds(program, place, texts, place + '/kernels', form)
                took[form].append(seconds)
                used[form].append(processor)
                if form == 'fp32':
                    loads.append(load)
                    error = max(error, float(numpy.abs(logits - expected).max()))
            print(f'round {number + 1}: ' + ', '.join(f'{name} {TEXTS / seconds[-1]:.1f}' for name, seconds in took.items()) +
                  f' texts/s, load {loads[-1]:.2f} s, error {error:.1e}')
    kind = processor_class()
    rate = {name: round(TEXTS / statistics.median(seconds), 1) for name, seconds in took.items()}
    peer = f'ONNX Runtime {onnxruntime.__version__}'
    print(f'{sum(map(len, ids)) / TEXTS:.1f} tokens a headline')

    def name_of(form, words, kind):
        return f'FinBERT shape, {form}, headlines, {kind}: against {words}'

    def against(form, other, words):
        must, stretch = LIMITS.get((kind, form, other), (None, None))
        return results.entry(name_of(form, words, kind), 'transformers', rate[form], 'texts/s', peer=peer, peer_value=rate[other], must=must,
                             stretch=stretch, rounds=options.rounds, command=COMMAND)

    words = {('fp32', 'sorted'): 'sorted batches of 8', ('fp32', 'unsorted'): 'unsorted batches of 32',
             ('bf16', 'sorted'): 'fp32 in sorted batches of 8', ('int8', 'int8 sorted'): 'int8 in sorted batches of 8'}
    for form, other in words:
        if form in forms:
            print(f'{form} against {other}: {statistics.median(used[other]) / statistics.median(used[form]):.2f} by processor time')
    entries = [against(form, other, told) for (form, other), told in words.items() if form in forms]
    entries += [results.entry_not_measured(name_of(form, words[form, other], limited), 'transformers', 'texts/s', 'no such processor', must=must,
                                           stretch=stretch, command=COMMAND)
                for (limited, form, other), (must, stretch) in LIMITS.items() if limited != kind]
    results.publish([
        *entries,
        results.entry_of_least('FinBERT shape: largest difference of a logit from ONNX Runtime', 'transformers', error, '',
                               most=1e-5, must=1, stretch=1e-5 / 3e-6, rounds=options.rounds, command=COMMAND),
        results.entry_of_least('Load of 438 MB with packing, in the page cache', 'transformers',
                               round(statistics.median(loads), 3), 's', most=1.5, must=1, stretch=1.5 / 0.7,
                               rounds=options.rounds, command=COMMAND),
    ], options)


if __name__ == '__main__':
    main()
