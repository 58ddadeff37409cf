"""Models in their published form, with random weights, and their output for a text, in float64.

An independent implementation: NumPy and the definitions of the papers (BERT, DistilBERT, RoBERTa).
"""
import json
import math
import pathlib
import struct

import numpy

LABELS = {"bert": ["positive", "negative", "neutral"], "distilbert": ["NEGATIVE", "POSITIVE"],
          "roberta": ["negative", "neutral", "positive"]}
HEADS = {"bert": ("bert.pooler.dense", "classifier"), "distilbert": ("pre_classifier", "classifier"),
         "roberta": ("classifier.dense", "classifier.out_proj")}


def names(family, layer):
    """Of a layer's parts: query, key, value, output, its norm, up, down, its norm."""
    if family == "distilbert":
        at = f"distilbert.transformer.layer.{layer}."
        return [at + part for part in ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin",
                                       "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")]
    at = f"{family}.encoder.layer.{layer}."
    return [at + part for part in ("attention.self.query", "attention.self.key", "attention.self.value",
                                   "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense",
                                   "output.dense", "output.LayerNorm")]


def config_of(family, hidden, layers, heads, inner, vocabulary, positions):
    if family == "distilbert":
        shape = {"dim": hidden, "n_layers": layers, "n_heads": heads, "hidden_dim": inner, "activation": "gelu"}
    else:
        shape = {"hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads,
                 "intermediate_size": inner, "hidden_act": "gelu", "type_vocab_size": 1 if family == "roberta" else 2,
                 "layer_norm_eps": 1e-5 if family == "roberta" else 1e-12}
    if family == "roberta":
        shape["pad_token_id"] = 1
    return {"model_type": family, "vocab_size": vocabulary, "max_position_embeddings": positions, **shape,
            "id2label": {str(i): label for i, label in enumerate(LABELS[family])}}


def random_tensors(family, config, seed=0, spread=1.0):
    """Numbers of the size that trained models have; `spread` widens what the head says."""
    draw = numpy.random.default_rng(seed)
    hidden = config.get("hidden_size") or config["dim"]
    inner = config.get("intermediate_size") or config["hidden_dim"]
    layers = config.get("num_hidden_layers") or config["n_layers"]
    tensors = {}

    def linear(name, outputs, inputs, size=None):
        size = size or 1 / math.sqrt(inputs)
        tensors[name + ".weight"] = (draw.standard_normal((outputs, inputs)) * size).astype(numpy.float32)
        tensors[name + ".bias"] = (draw.standard_normal(outputs) * 0.05).astype(numpy.float32)

    def norm(name):
        tensors[name + ".weight"] = (1 + 0.1 * draw.standard_normal(hidden)).astype(numpy.float32)
        tensors[name + ".bias"] = (0.1 * draw.standard_normal(hidden)).astype(numpy.float32)

    def table(name, rows):
        tensors[name + ".weight"] = (draw.standard_normal((rows, hidden)) * 0.05).astype(numpy.float32)

    at = family + ".embeddings."
    table(at + "word_embeddings", config["vocab_size"])
    table(at + "position_embeddings", config["max_position_embeddings"])
    if family != "distilbert":
        table(at + "token_type_embeddings", config["type_vocab_size"])
    norm(at + "LayerNorm")
    for layer in range(layers):
        query, key, value, output, first, up, down, second = names(family, layer)
        for part in (query, key, value, output):
            linear(part, hidden, hidden)
        norm(first)
        linear(up, inner, hidden)
        linear(down, hidden, inner)
        norm(second)
    head, labels = HEADS[family]
    linear(head, hidden, hidden)
    linear(labels, len(config["id2label"]), hidden, spread / math.sqrt(hidden))
    return tensors


def write_safetensors(path, tensors):
    """The format's definition is short: a length, a header, the numbers."""
    kinds = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64"}
    header, at = {}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": kinds[tensor.dtype.name], "shape": list(tensor.shape),
                        "data_offsets": [at, at + tensor.nbytes]}
        at += tensor.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(numpy.ascontiguousarray(tensor).tobytes())


def write(folder, config, tensors):
    folder = pathlib.Path(folder)
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", tensors)


def hidden_of(family, config, tensors, ids):
    """What the last layer says of every token of one sequence."""
    get = {name: tensor.astype(numpy.float64) for name, tensor in tensors.items()}
    hidden = config.get("hidden_size") or config["dim"]
    heads = config.get("num_attention_heads") or config["n_heads"]
    layers = config.get("num_hidden_layers") or config["n_layers"]
    epsilon = config.get("layer_norm_eps", 1e-12)
    erf = numpy.vectorize(math.erf)

    def linear(name, x):
        return x @ get[name + ".weight"].T + get[name + ".bias"]

    def norm(name, x):
        x = x - x.mean(-1, keepdims=True)
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * get[name + ".weight"] + get[name + ".bias"]

    def split(x):
        return x.reshape(len(ids), heads, hidden // heads).transpose(1, 0, 2)

    at = family + ".embeddings."
    first = config["pad_token_id"] + 1 if family == "roberta" else 0
    x = get[at + "word_embeddings.weight"][ids] + get[at + "position_embeddings.weight"][first:first + len(ids)]
    if family != "distilbert":
        x = x + get[at + "token_type_embeddings.weight"][0]
    x = norm(at + "LayerNorm", x)
    for layer in range(layers):
        query, key, value, output, norm_1, up, down, norm_2 = names(family, layer)
        scores = split(linear(query, x)) @ split(linear(key, x)).transpose(0, 2, 1) / math.sqrt(hidden // heads)
        weights = numpy.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = (weights @ split(linear(value, x))).transpose(1, 0, 2).reshape(len(ids), hidden)
        x = norm(norm_1, x + linear(output, mixed))
        inner = linear(up, x)
        x = norm(norm_2, x + linear(down, 0.5 * inner * (1 + erf(inner / math.sqrt(2)))))
    return x


def embedding(family, config, tensors, ids):
    """The mean over all tokens, of length 1."""
    mean = hidden_of(family, config, tensors, ids).mean(0)
    return mean / numpy.linalg.norm(mean)


def logits(family, config, tensors, ids):
    """Of one sequence."""
    get = {name: tensor.astype(numpy.float64) for name, tensor in tensors.items()}

    def linear(name, x):
        return x @ get[name + ".weight"].T + get[name + ".bias"]

    head, labels = HEADS[family]
    pooled = linear(head, hidden_of(family, config, tensors, ids)[0])
    return linear(labels, numpy.maximum(pooled, 0) if family == "distilbert" else numpy.tanh(pooled))
