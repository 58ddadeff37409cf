"""The models of tests/transformers/published.py as ONNX graphs, built by hand: no PyTorch is needed."""
import math

import numpy
import onnx
import published
from onnx import TensorProto, helper, numpy_helper


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.names = [], [], 0

    def constant(self, array):
        self.names += 1
        name = f"c{self.names}"
        self.constants.append(numpy_helper.from_array(numpy.array(array, order='C'), name))
        return name

    def add(self, kind, *inputs, **attributes):
        self.names += 1
        name = f"n{self.names}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def build(path, config, tensors, family="bert"):
    hidden = config.get("hidden_size") or config["dim"]
    heads = config.get("num_attention_heads") or config["n_heads"]
    layers = config.get("num_hidden_layers") or config["n_layers"]
    graph = Graph()

    def weight(name):
        return graph.constant(tensors[name])

    def linear(x, name):
        product = graph.add("MatMul", x, graph.constant(tensors[name + ".weight"].T))
        return graph.add("Add", product, weight(name + ".bias"))

    def norm(x, name):
        return graph.add("LayerNormalization", x, weight(name + ".weight"), weight(name + ".bias"), axis=-1,
                         epsilon=config.get("layer_norm_eps", 1e-12))

    def split(x, order):
        shape = graph.constant(numpy.array([0, 0, heads, hidden // heads], numpy.int64))
        return graph.add("Transpose", graph.add("Reshape", x, shape), perm=order)

    at = family + ".embeddings."
    x = graph.add("Add", graph.add("Gather", weight(at + "word_embeddings.weight"), "ids"),
                  graph.add("Gather", weight(at + "position_embeddings.weight"), "positions"))
    if family != "distilbert":
        x = graph.add("Add", x, graph.constant(tensors[at + "token_type_embeddings.weight"][0]))
    x = norm(x, at + "LayerNorm")
    scale = graph.constant(numpy.float32(1 / math.sqrt(hidden // heads)))
    joined = graph.constant(numpy.array([0, 0, hidden], numpy.int64))
    for layer in range(layers):
        query, key, value, output, norm_1, up, down, norm_2 = published.names(family, layer)
        query, value = split(linear(x, query), [0, 2, 1, 3]), split(linear(x, value), [0, 2, 1, 3])
        scores = graph.add("MatMul", query, split(linear(x, key), [0, 2, 3, 1]))
        scores = graph.add("Add", graph.add("Mul", scores, scale), "mask")
        mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
        mixed = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
        x = norm(graph.add("Add", linear(mixed, output), x), norm_1)
        x = norm(graph.add("Add", linear(graph.add("Gelu", linear(x, up)), down), x), norm_2)
    first = graph.add("Gather", x, graph.constant(numpy.array(0, numpy.int64)), axis=1)
    head, labels = published.HEADS[family]
    logits = linear(graph.add("Relu" if family == "distilbert" else "Tanh", linear(first, head)), labels)
    whole = helper.make_graph(
        graph.nodes, "bert",
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in
         (("ids", TensorProto.INT64, ["b", "s"]), ("positions", TensorProto.INT64, ["b", "s"]),
          ("mask", TensorProto.FLOAT, ["b", 1, 1, "s"]))],
        [helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["b", len(config["id2label"])])], graph.constants)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    onnx.save(model, path)
