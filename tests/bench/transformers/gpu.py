#!/usr/bin/env python3
"""A FinBERT-shaped model with random weights on an NVIDIA GPU: texts per second against PyTorch with the same weights, in
one run, in bf16.

    tests/bench/transformers/gpu.py [--device opencl:nv:0] [--rounds N] [--bin build/bench/bin] [--record]

Needs PyTorch and Transformers, with CUDA. PyTorch's model (attention by SDPA, weights and activations in bf16) gets the
tokens, sorted by length, in batches of at least 16,384 with their padding; our engine gets the same tokens in the texts'
own order, in batches of as many. A plain pipeline() of Transformers gets texts, at its default batch of one and at 32;
so do we, and tokenise them. Rounds are interleaved; medians of wall time, with the copies to and from the GPU.
"""
import collections
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/transformers')]
import numpy  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import published  # noqa: E402
import results  # noqa: E402

COMMAND = 'tests/bench/transformers/gpu.py --record'
TEXTS = 16384
PIPELINE_TEXTS = {1: 256, 32: 2048}  # by batch: it is slow
TOKENS = 16384  # of a batch
SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']


def headlines():
    """Texts of 7 to 26 words, and a vocabulary of whole words and of letters for the others."""
    lines = (ROOT / 'tests/data/vader/crafted.jsonl').read_text(encoding='utf-8').splitlines()
    told = [json.loads(line)['text'] for line in lines]
    told += [path.read_text(encoding='utf-8') for path in sorted(ROOT.glob('engine/**/README.md'))]
    words = collections.Counter(word for text in told for word in re.findall('[a-z]{2,9}', text.lower()))
    known = [word for word, _ in words.most_common(2000)]
    letters = [chr(code) for code in range(ord('a'), ord('z') + 1)]
    draw = random.Random(5)
    texts = [' '.join(draw.choice(known) for _ in range(draw.choice([7, 10, 12, 14, 16, 18, 20, 22, 26])))
             for _ in range(TEXTS)]
    return texts, SPECIAL + letters + ['##' + letter for letter in letters] + known


class Peer:
    def __init__(self, folder):
        self.tokenizer = transformers.BertTokenizerFast.from_pretrained(folder)
        load = transformers.BertForSequenceClassification.from_pretrained
        self.exact = load(folder, dtype=torch.float32).eval().cuda()
        self.model = load(folder, dtype=torch.bfloat16, attn_implementation='sdpa').eval().cuda()

    @staticmethod
    def batches(ids):
        by_length = sorted(range(len(ids)), key=lambda text: len(ids[text]))
        chosen = []
        for text in by_length:
            chosen.append(text)
            if len(chosen) * len(ids[text]) >= TOKENS:
                yield chosen
                chosen = []
        if chosen:
            yield chosen

    @torch.inference_mode()
    def run(self, ids, model):
        logits = [None] * len(ids)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for chosen in self.batches(ids):
            longest = max(len(ids[text]) for text in chosen)
            padded = numpy.zeros((len(chosen), longest), numpy.int64)
            mask = numpy.zeros((len(chosen), longest), numpy.int64)
            for row, text in enumerate(chosen):
                padded[row, :len(ids[text])] = ids[text]
                mask[row, :len(ids[text])] = 1
            found = model(input_ids=torch.from_numpy(padded).cuda(), attention_mask=torch.from_numpy(mask).cuda()).logits
            for row, text in zip(found.float().cpu().numpy(), chosen):
                logits[text] = row
        return time.perf_counter() - start, numpy.array(logits)

    def pipeline(self, texts, batch):
        pipe = transformers.pipeline('text-classification', model=self.model, tokenizer=self.tokenizer, device=0)
        chosen = texts[:PIPELINE_TEXTS[batch]]
        pipe(chosen[:64], batch_size=batch)
        start = time.perf_counter()
        pipe(chosen, batch_size=batch)
        return len(chosen) / (time.perf_counter() - start)


def ours(program, folder, texts, what, device, rounds=4):
    told = subprocess.run([program, folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True, check=False,
                          env={**os.environ, 'ROUNDS': str(rounds), 'CACHE': f'{folder}/kernels', 'FORM': 'bf16', 'DEVICE': device, 'WHAT': what})
    if told.returncode:
        sys.exit(told.stderr)
    return json.loads(told.stdout)


def main():
    parser = results.arguments(rounds=3, programs=True)
    parser.add_argument('--device', default='opencl:nv:0')
    options = parser.parse_args()
    program = results.programs_of(options, 'transformers_model_loop') / 'transformers_model_loop'
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        texts, vocabulary = headlines()
        (folder / 'vocab.txt').write_text('\n'.join(vocabulary) + '\n')
        (folder / 'tokenizer_config.json').write_text(json.dumps({'do_lower_case': True}))
        config = published.config_of('bert', 768, 12, 12, 3072, 30522, 512)
        published.write(folder, config, published.random_tensors('bert', config, 1))
        peer = Peer(folder)
        ids = peer.tokenizer(texts)['input_ids']
        tokens = sum(map(len, ids))
        peer.run(ids, peer.model)
        _, exact = peer.run(ids, peer.exact)
        took = collections.defaultdict(list)
        rates = collections.defaultdict(list)
        for number in range(options.rounds):
            for _ in range(3):
                seconds, rounded = peer.run(ids, peer.model)
                took['peer'].append(seconds)
            forward = ours(program, place, texts, 'forward', options.device)
            assert forward['tokens'] == tokens, 'the tokens differ'
            took['ours'] += forward['seconds'][1:]
            whole = ours(program, place, texts, 'texts', options.device)
            took['texts'] += whole['seconds'][1:]
            for batch in PIPELINE_TEXTS:
                rates[batch].append(peer.pipeline(texts, batch))
            print(f'round {number + 1}: ' + ', '.join(f'{name} {statistics.median(seconds) * 1e3:.1f} ms' for name, seconds in took.items()) +
                  ', ' + ', '.join(f'pipeline of {batch} {found[-1]:.0f} texts/s' for batch, found in rates.items()))
        found = numpy.array(forward['logits'], numpy.float32)
        print(f'largest difference of a logit from fp32: ours {abs(found - exact).max():.4f}, PyTorch {abs(rounded - exact).max():.4f}; '
              f'mean {abs(found - exact).mean():.5f}, {abs(rounded - exact).mean():.5f}; method {forward["method"]}')
        card = torch.cuda.get_device_name()
        rate = {name: round(TEXTS / statistics.median(seconds)) for name, seconds in took.items()}
        shape = f'FinBERT shape, bf16, headlines, {card}'
        entries = [results.entry(f'{shape}: against sorted batches of {TOKENS:,} tokens with SDPA', 'transformers', rate['ours'], 'texts/s',
                                 peer=f'PyTorch {torch.__version__}', peer_value=rate['peer'], must=0.4, stretch=0.75,
                                 rounds=options.rounds, command=COMMAND)]
        for batch, limits in ((1, (4, 8)), (32, (None, None))):
            entries.append(results.entry(f'{shape}: texts against a plain pipeline() of {batch}', 'transformers', rate['texts'], 'texts/s',
                                         peer=f'Transformers {transformers.__version__}', peer_value=round(statistics.median(rates[batch])),
                                         must=limits[0], stretch=limits[1], rounds=options.rounds, command=COMMAND))
        results.publish(entries, options)
        if 'OUT' in os.environ:
            pathlib.Path(os.environ['OUT'], 'gpu-entries.json').write_text(json.dumps(entries))


if __name__ == '__main__':
    main()
