"""The BERT of tests/transformers/published.py as an ONNX graph, built by hand: no PyTorch is needed."""
import math

import numpy
import onnx
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


def build(path, config, tensors):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    graph = Graph()

    def weight(name):
        return graph.constant(tensors[name])

    def linear(x, name):
        product = graph.add("MatMul", x, graph.constant(tensors[name + ".weight"].T))
        return graph.add("Add", product, weight(name + ".bias"))

    def norm(x, name):
        return graph.add("LayerNormalization", x, weight(name + ".weight"), weight(name + ".bias"), axis=-1,
                         epsilon=config["layer_norm_eps"])

    def split(x, order):
        shape = graph.constant(numpy.array([0, 0, heads, hidden // heads], numpy.int64))
        return graph.add("Transpose", graph.add("Reshape", x, shape), perm=order)

    at = "bert.embeddings."
    x = graph.add("Add", graph.add("Gather", weight(at + "word_embeddings.weight"), "ids"),
                  graph.add("Gather", weight(at + "position_embeddings.weight"), "positions"))
    x = norm(graph.add("Add", x, graph.constant(tensors[at + "token_type_embeddings.weight"][0])), at + "LayerNorm")
    scale = graph.constant(numpy.float32(1 / math.sqrt(hidden // heads)))
    joined = graph.constant(numpy.array([0, 0, hidden], numpy.int64))
    for layer in range(config["num_hidden_layers"]):
        at = f"bert.encoder.layer.{layer}."
        query = split(linear(x, at + "attention.self.query"), [0, 2, 1, 3])
        key = split(linear(x, at + "attention.self.key"), [0, 2, 3, 1])
        value = split(linear(x, at + "attention.self.value"), [0, 2, 1, 3])
        scores = graph.add("Add", graph.add("Mul", graph.add("MatMul", query, key), scale), "mask")
        mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
        mixed = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
        x = norm(graph.add("Add", linear(mixed, at + "attention.output.dense"), x), at + "attention.output.LayerNorm")
        inner = graph.add("Gelu", linear(x, at + "intermediate.dense"))
        x = norm(graph.add("Add", linear(inner, at + "output.dense"), x), at + "output.LayerNorm")
    first = graph.add("Gather", x, graph.constant(numpy.array(0, numpy.int64)), axis=1)
    logits = linear(graph.add("Tanh", linear(first, "bert.pooler.dense")), "classifier")
    whole = helper.make_graph(
        graph.nodes, "bert",
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in
         (("ids", TensorProto.INT64, ["b", "s"]), ("positions", TensorProto.INT64, ["b", "s"]),
          ("mask", TensorProto.FLOAT, ["b", 1, 1, "s"]))],
        [helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["b", len(config["id2label"])])], graph.constants)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    onnx.save(model, path)
