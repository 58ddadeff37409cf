#!/usr/bin/env python3
"""Mixed texts, tokenised by Plimsoll and by the library `tokenizers` with the same files: every ID must be equal. That
library trains the vocabularies here, on the texts of VADER's tests and this repository's documentation. Each is read in
both published formats. Usage: fuzz.py ENCODE_LINES [--texts N] [--seed S]
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[3]
SETUP = ROOT / "deploy" / "setup" / "peers"
sys.path.insert(0, subprocess.run([SETUP], check=True, capture_output=True, text=True).stdout.strip())

import tokenizers  # noqa: E402
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
MOST = 512


def corpus():
    crafted = (ROOT / "tests/data/vader/crafted.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in crafted]
    for path in sorted(path for room in ("engine", "server") for path in (ROOT / room).glob("**/README.md")):
        texts += [line for line in path.read_text().splitlines() if line]
    if len(texts) < 1000:
        sys.exit("the corpus is missing")
    return texts


# Found in normalized text, and special ones in the text as it is.
ADDED = ["Plimsoll", "new-york", "\u00e9t\u00e9", "\u00d6l \u0130"]
SPECIAL = ["<URL>", "@User"]


def word_piece(texts, normalizer):
    one = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    one.normalizer = normalizer
    one.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    one.train_from_iterator(texts, trainers.WordPieceTrainer(vocab_size=5000, special_tokens=BERT, show_progress=False))
    one.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    one.add_special_tokens(SPECIAL)
    one.add_tokens(ADDED)
    return one


def sequence(texts, _, __):
    return word_piece(texts, normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]))


def bert(texts, lower, folder):
    one = word_piece(texts, normalizers.BertNormalizer(lowercase=lower))
    by_id = sorted(one.get_vocab(with_added_tokens=False).items(), key=lambda item: item[1])
    (folder / "vocab.txt").write_text("".join(token + "\n" for token, _ in by_id))
    (folder / "added_tokens.json").write_text(json.dumps({token: one.token_to_id(token) for token in ADDED + SPECIAL}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": SPECIAL}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": lower}))
    return one


def roberta(texts, space_before, folder):
    one = tokenizers.Tokenizer(models.BPE())
    one.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space_before)
    one.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=5000, special_tokens=ROBERTA[:4], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    one.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True, special=True)])
    one.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=space_before)
    one.model.save(str(folder))
    (folder / "vocab.json").write_text(json.dumps(one.get_vocab()))
    one.add_tokens([tokenizers.AddedToken("Plimsoll", single_word=True), tokenizers.AddedToken("<URL>", rstrip=True, normalized=False)])
    described = {number: {"content": token.content, "lstrip": token.lstrip, "rstrip": token.rstrip, "normalized": token.normalized,
                          "single_word": token.single_word} for number, token in one.get_added_tokens_decoder().items()}
    (folder / "tokenizer_config.json").write_text(json.dumps({"add_prefix_space": space_before, "added_tokens_decoder": described}))
    return one


ODD = ["\u0000", "\t", "\n", "\r", "\u000b", "\u00a0", "\u0085", "\u2003", "\u3000", "\u2028", "\u200b", "\u200d", "\ufe0f",
       "\ufeff", "\ufffd", "\u0130", "\u00df", "\u1e9e", "\ufb01", "\u0345", "\u0300", "\u0327", "\u302e", "\u0958", "\uac00",
       "\u4e2d", "\u65e5", "\u3042", "\U00020000", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
       "\U0001f1e9\U0001f1ea", "'", "'s", "'S", "'ll", "''re", "\u2019s", "$", "_", "`", "\u00b7", "\u00bd", "\u2167", "\u0661",
       "[SEP]", "[CLS]", "[MASK]", "[UNK]", "[PAD]", "[sep]", "<s>", "</s>", "<mask>", " <mask> ", "<unk>", "##a", "[CLS",
       "Plimsoll", "plimsolls", "NEW-YORK", "\u00c9T\u00c9", "e\u0301te\u0301", "\u00f6l i\u0307", "<URL>", "<url>", "@User"]


class Texts:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.texts = corpus()
        self.words = sorted({word for text in self.texts for word in text.split()})

    def character(self):
        while True:
            code = self.random.randrange(self.random.choice([0x80, 0x500, 0x3000, 0x11000, 0x20000, 0x110000]))
            if not 0xD800 <= code < 0xE000:
                return chr(code)

    def text(self):
        r = self.random
        if r.random() < 0.3:
            text = r.choice(self.texts)
        else:
            pieces = []
            for _ in range(r.choice([0, 1, 2, 5, 12, 30, 200 if r.random() < 0.02 else 8])):
                pieces.append(r.choice([lambda: r.choice(self.words), lambda: r.choice(ODD), self.character,
                                        lambda: r.choice(self.words) * r.choice([1, 1, 2, 20]),
                                        lambda: str(r.randrange(10 ** r.randrange(1, 12)))])())
                pieces.append(r.choice([" ", " ", " ", "", "  ", "\n", "   \t", "-", "..."]))
            text = "".join(pieces)
        if r.random() < 0.1:
            text = text.upper()
        if r.random() < 0.1 and text:
            at = r.randrange(len(text))
            text = text[:at] + r.choice(ODD) + text[at:]
        return text


def encode(program, folder, texts):
    began = time.monotonic()
    lines = subprocess.run([program, folder, str(MOST)], input="\n".join(map(json.dumps, texts)), capture_output=True,
                           text=True, check=True).stdout.splitlines()
    if len(lines) != len(texts):
        sys.exit(f"{len(texts)} texts went in, {len(lines)} came out")
    return [[int(number) for number in line.split()] for line in lines], time.monotonic() - began


def compare(name, reference, program, folder, texts):
    found, seconds = encode(program, folder, texts)
    reference.no_truncation()
    whole = [len(one.ids) for one in reference.encode_batch(texts)]
    reference.enable_truncation(MOST)
    wrong = 0
    for text, length, one, numbers in zip(texts, whole, reference.encode_batch(texts), found):
        if numbers != [length] + one.ids:
            wrong += 1
            if wrong <= 5:
                print(f"{name}: {text[:300]!r}\n  expected {length} {one.ids[:40]}\n  found    {numbers[:41]}")
    print(f"{name}: {len(texts)} texts, {sum(whole)} tokens, {wrong} differ ({seconds:.1f} s with the start)")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--texts", type=int, default=60_000 if os.environ.get("PLIMSOLL_LONG_TESTS") else 4_000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    source = Texts(options.seed)
    texts = [source.text() for _ in range(options.texts)]
    # Every character, and texts whose cost would show anything that is not linear.
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    texts += ["a" + one + "B" for one in every[::1 if os.environ.get("PLIMSOLL_LONG_TESTS") else 31]]
    texts += ["a" * 1_000_000, "ab " * 100_000, "\u00e9" * 100_000, " " * 300_000, "[" * 100_000, "'" * 100_000]
    wrong = 0
    for name, make, option in (("BERT, lower case", bert, True), ("BERT, cased", bert, False),
                               ("BERT, sequence", sequence, None),
                               ("RoBERTa", roberta, False), ("RoBERTa, space before", roberta, True)):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            reference = make(source.texts, option, folder)
            if option is not None:
                wrong += compare(name, reference, options.program, folder, texts)
            reference.no_truncation()
            reference.save(str(folder / "tokenizer.json"))
            wrong += compare(name + ", tokenizer.json", reference, options.program, folder, texts if option is None else texts[:1000])
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
