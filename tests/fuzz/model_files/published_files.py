"""Small models in every format that is read, and files that were made to harm whoever reads them."""
import importlib.util
import json
import pathlib
import pickle
import struct

ROOT = pathlib.Path(__file__).parents[3]
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["profit", "rose", "fell", "##s", "##ing", "by", "percent", "!", "4", "##0"]


def tiny():
    path = ROOT / "deploy/samples/models/make_tiny_model.py"
    spec = importlib.util.spec_from_file_location("make_tiny_model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value):
    return b"J" + struct.pack("<i", value)


def pickled(tensors, legacy):
    """OrderedDict of tensors as torch.save writes it, and the bytes of their storages."""
    empty = b"ccollections\nOrderedDict\n)R"
    body, storages = b"\x80\x02" + empty + b"(", []
    for place, (name, tensor) in enumerate(tensors.items()):
        shape = tensor["shape"]
        steps = [1] if len(shape) == 1 else [shape[1], 1]
        body += text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + b"ctorch\nFloatStorage\n"
        body += text(str(place)) + text("cpu") + number(len(tensor["numbers"])) + (b"N" if legacy else b"") + b"tQ" + number(0)
        body += b"(" + b"".join(map(number, shape)) + b"t(" + b"".join(map(number, steps)) + b"t\x89" + empty + b"tR"
        storages.append(struct.pack(f"<{len(tensor['numbers'])}f", *tensor["numbers"]))
    return body + b"u.", storages


def zipped(entries):
    file = directory = b""
    for name, content in entries:
        common = struct.pack("<HHIIIIH", 0, 0, 0, 0, len(content), len(content), len(name))
        directory += b"PK\x01\x02" + struct.pack("<I", 0) + common + struct.pack("<HHHHII", 0, 0, 0, 0, 0, len(file)) + name.encode()
        file += b"PK\x03\x04" + struct.pack("<H", 0) + common + struct.pack("<H", 0) + name.encode() + content
    end = struct.pack("<IHHIIH", 0, len(entries), len(entries), len(directory), len(file), 0)
    return file + directory + b"PK\x05\x06" + end


def archive(tensors):
    body, storages = pickled(tensors, legacy=False)
    return zipped([("model/data.pkl", body), ("model/byteorder", b"little")] +
                  [(f"model/data/{place}", numbers) for place, numbers in enumerate(storages)])


def before_archives(tensors):
    body, storages = pickled(tensors, legacy=True)
    keys = pickle.dumps([str(place) for place in range(len(storages))], 2)
    magic = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
    head = magic + b"\x80\x02M\xe9\x03." + b"\x80\x02}."
    return head + body + keys + b"".join(struct.pack("<q", len(one) // 4) + one for one in storages)


def word_pieces():
    """tokenizer.json of a BERT."""
    vocabulary = {word: place for place, word in enumerate(MARKS + WORDS)}
    added = [{"id": place, "content": mark, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for place, mark in enumerate(MARKS)]
    special = {mark: {"id": mark, "ids": [vocabulary[mark]], "tokens": [mark]} for mark in ("[CLS]", "[SEP]")}
    one = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
           {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                           "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {"type": "TemplateProcessing", "single": one, "pair": one, "special_tokens": special},
            "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": vocabulary}}


def byte_pairs():
    """vocab.json and merges.txt of a RoBERTa."""
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    characters = [chr(code) for code in printed] + [chr(256 + place) for place in range(256 - len(printed))]
    merges = ["r o", "ro s", "ros e", "\u0120 b", "\u0120b y", "p r"]
    tokens = ["<s>", "<pad>", "</s>", "<unk>", *characters, *(merge.replace(" ", "") for merge in merges), "<mask>"]
    return json.dumps({token: place for place, token in enumerate(tokens)}), "#version: 0.2\n" + "\n".join(merges) + "\n"


def write_seeds(folder):
    """One folder for each format; their names."""
    module = tiny()
    vocabulary = MARKS + WORDS
    tensors = module.make(vocabulary)
    for name in ("safetensors", "archive", "legacy", "pairs", "parts"):
        module.write(folder / name, vocabulary, tensors)
    for name, bytes_of in (("archive", archive), ("legacy", before_archives)):
        (folder / name / "model.safetensors").unlink()
        (folder / name / "pytorch_model.bin").write_bytes(bytes_of(tensors))
    (folder / "archive/tokenizer.json").write_text(json.dumps(word_pieces()))
    words, merges = byte_pairs()
    (folder / "pairs/vocab.txt").unlink()
    (folder / "pairs/vocab.json").write_text(words)
    (folder / "pairs/merges.txt").write_text(merges)
    part = "model-00001-of-00001.safetensors"
    (folder / "parts/model.safetensors").rename(folder / "parts" / part)
    (folder / "parts/model.safetensors.index.json").write_text(json.dumps({"weight_map": dict.fromkeys(tensors, part)}))
    (folder / "parts/added_tokens.json").write_text(json.dumps({"rose": 6, "new": len(vocabulary)}))
    return ["safetensors", "archive", "legacy", "pairs", "parts"]


def header(length, content=b""):
    return struct.pack("<Q", length) + content


def tensor_header(entries):
    content = json.dumps(entries).encode() if isinstance(entries, dict) else entries
    return header(len(content), content) + bytes(64)


def harmful():
    """(seed, file, content): limits and tricks that are known of these formats."""
    entry = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
    big = 1 << 63
    for content in (b"", header(big), header(0), header(1 << 40, b"{}"), header(2, b"{}"), tensor_header(b"[" * 100_000),
                    tensor_header(b'{"a":' * 100_000), tensor_header(b'{"a":{},"a":{}}'),
                    tensor_header({"a": entry, "b": {**entry, "data_offsets": [8, 24]}}),
                    tensor_header({"a": {**entry, "shape": [big - 1, 4]}}), tensor_header({"a": {**entry, "shape": [0] * 1000}}),
                    tensor_header({"a": {**entry, "data_offsets": [16, 0]}}), tensor_header({"a": {**entry, "data_offsets": [-1, 15]}}),
                    tensor_header({"a": {**entry, "dtype": "\ud800"}}), tensor_header({"__metadata__": entry})):
        yield "safetensors", "model.safetensors", content
    start = b"\x80\x02"
    for body in (start + b"cos\nsystem\nX\x02\x00\x00\x00id\x85R.", start + b"(" * 1_000_000, start + b"]" + b"]a" * 200_000 + b".",
                 start + b"}" + b"\x85" * 1_000_000 + b".", start + b"}" + b"".join(b"r" + struct.pack("<I", place) for place in range(100_000)) + b".",
                 start + b"r\xff\xff\xff\xff.", start + b"h\x09.", start + b"X\xff\xff\xff\xff.", start + b"\x8b\xff\xff\xff\x7f.",
                 start + b"}(" + b"2" * 1_000_000 + b"t.", start + b"0" * 10 + b".", start + b"}q\x00h\x00h\x00s.", b"\x80\x02\x8a\xff."):
        yield "archive", "pytorch_model.bin", zipped([("model/data.pkl", body)])
        yield "legacy", "pytorch_model.bin", body
    body = start + b"}."
    for content in (b"PK\x05\x06" + bytes(18), b"PK\x05\x06" + b"\xff" * 18, zipped([("/etc/passwd", body)]), zipped([("../data.pkl", body)]),
                    zipped([("m/data.pkl", body)] * 3), zipped([(f"m/{place}", b"") for place in range(65_535)]),
                    zipped([("m/data.pkl", body)])[:-6] + b"\xff\xff\xff\x7f\x00\x00", zipped([("m" * 65_535, body)])):
        yield "archive", "pytorch_model.bin", content
    for content in (b"", b"[" * 200_000, b'{"model":' * 100_000, b'{"model":{"type":"WordPiece","vocab":{"a":1e400}}}', b'{"model": null}',
                    b'{"model":{"type":"WordPiece","vocab":{"a":4294967295,"b":-1}}}', b'"\\ud800"', bytes(1000)):
        yield "archive", "tokenizer.json", content
        yield "pairs", "vocab.json", content
        yield "safetensors", "config.json", content
    for content in (b"", b"a b c\n", b"a\n" * 100_000, b"a " * 1_000_000, b"r o\nr o\n", bytes(1000), b"\xff\xfe\n", b"#version\n\n\n \n"):
        yield "pairs", "merges.txt", content
    for content in (b"", b"[CLS]\n[CLS]\n[SEP]\n", b"\n" * 100_000, b"a" * 10_000_000, bytes(1000), b"[UNK]\r\n[CLS]\r\n[SEP]\r\n", b"\xff\n[UNK]\n"):
        yield "safetensors", "vocab.txt", content
