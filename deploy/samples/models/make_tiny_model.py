#!/usr/bin/env python3
"""Write a tiny classifier in the format of published models: make_tiny_model.py FOLDER

A DistilBERT of one layer whose weights are set, not trained: each word of the lists below has a value, attention
averages all tokens, and the head derives positive, negative and neutral from the mean. It shows the input of `plimsoll
model add` and that a device computes; it does not replace a trained model. Only Python's standard library is needed.
"""

import json
import pathlib
import struct
import sys

POSITIVE = """
good great excellent brilliant strong best better win wins won winner gain gains gained growth grow grows grew rise
rises rose risen record profit profits profitable soar soars soared surge surges surged jump jumps jumped beat beats
boost boosts boosted rally rallies rallied recover recovers recovered recovery upgrade upgraded success successful
improve improves improved improvement optimistic confident cheer cheers cheered praise praised celebrate celebrates
celebrated happy love loved wonderful superb impressive safe stable smooth reliable thriving booming turnaround
welcome welcomed award awarded triumph breakthrough favourite perfect fantastic delight delighted
""".split()
NEGATIVE = """
bad worse worst terrible awful poor weak loss losses lose loses lost fall falls fell fallen drop drops dropped plunge
plunges plunged slump slumps slumped crash crashes crashed collapse collapses collapsed decline declines declined cut
cuts miss misses missed fail fails failed failure fear fears warn warns warned warning threat threaten threatens
threatened ruin ruins ruined damage damages damaged crisis debt default bankrupt bankruptcy fraud lawsuit sue sued
strike strikes delay delays delayed shortage shortages storm fire accident injured dead death kill killed angry hate
hated disaster disastrous disappointing disappointed scandal recall recalled closes closed layoffs downgrade downgraded
""".split()

MARKS = "[PAD] [UNK] [CLS] [SEP] [MASK]".split()
HIDDEN = 32  # two heads of 16 numbers
WORTH = 0, 1  # a token's value, and its negative, so that the mean stays 0
STEADY = 2, 3  # large constants: normalisation then hardly depends on the value
MEAN = 4, 5  # the mean value of the text, and its negative


def zeros(*shape):
    count = 1
    for size in shape:
        count *= size
    return {"shape": list(shape), "numbers": [0.0] * count}


def put(tensor, row, column, value):
    tensor["numbers"][row * tensor["shape"][1] + column] = value


def linear(tensors, name, outputs, inputs, entries=(), bias=()):
    weight, shift = zeros(outputs, inputs), zeros(outputs)
    for row, column, value in entries:
        put(weight, row, column, value)
    for row, value in bias:
        shift["numbers"][row] = value
    tensors[name + ".weight"], tensors[name + ".bias"] = weight, shift


def norm(tensors, name):
    tensors[name + ".weight"] = {"shape": [HIDDEN], "numbers": [1.0] * HIDDEN}
    tensors[name + ".bias"] = zeros(HIDDEN)


def make(vocabulary):
    tensors = {}
    words = zeros(len(vocabulary), HIDDEN)
    for row, word in enumerate(vocabulary):
        worth = (word in POSITIVE) - (word in NEGATIVE)
        for place, value in zip(WORTH + STEADY, (worth, -worth, 10.0, -10.0)):
            put(words, row, place, float(value))
    at = "distilbert."
    tensors[at + "embeddings.word_embeddings.weight"] = words
    tensors[at + "embeddings.position_embeddings.weight"] = zeros(128, HIDDEN)
    norm(tensors, at + "embeddings.LayerNorm")
    layer = at + "transformer.layer.0."
    linear(tensors, layer + "attention.q_lin", HIDDEN, HIDDEN)  # all tokens weigh the same
    linear(tensors, layer + "attention.k_lin", HIDDEN, HIDDEN)
    linear(tensors, layer + "attention.v_lin", HIDDEN, HIDDEN, [(place, place, 1.0) for place in WORTH])
    linear(tensors, layer + "attention.out_lin", HIDDEN, HIDDEN, [(to, of, 20.0) for to, of in zip(MEAN, WORTH)])
    norm(tensors, layer + "sa_layer_norm")
    linear(tensors, layer + "ffn.lin1", HIDDEN, HIDDEN)
    linear(tensors, layer + "ffn.lin2", HIDDEN, HIDDEN)
    norm(tensors, layer + "output_layer_norm")
    linear(tensors, "pre_classifier", HIDDEN, HIDDEN, [(place, place, 1.0) for place in MEAN])
    linear(tensors, "classifier", 3, HIDDEN, [(label, place, 4.0) for label, place in enumerate(MEAN)], [(2, 1.0)])
    return tensors


def write(folder, vocabulary, tensors):
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "distilbert", "architectures": ["DistilBertForSequenceClassification"], "dim": HIDDEN,
              "n_layers": 1, "n_heads": 2, "hidden_dim": HIDDEN, "vocab_size": len(vocabulary),
              "max_position_embeddings": 128, "activation": "gelu",
              "id2label": {"0": "positive", "1": "negative", "2": "neutral"}}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in vocabulary))
    header, data = {}, b""
    for name, tensor in tensors.items():
        packed = struct.pack(f"<{len(tensor['numbers'])}f", *tensor["numbers"])
        header[name] = {"dtype": "F32", "shape": tensor["shape"], "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    # Other words are unknown: one token without a value.
    vocabulary = MARKS + sorted(set(POSITIVE) | set(NEGATIVE))
    write(pathlib.Path(sys.argv[1]), vocabulary, make(vocabulary))


if __name__ == "__main__":
    main()
