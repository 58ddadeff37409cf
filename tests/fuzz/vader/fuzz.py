#!/usr/bin/env python3
"""Random texts, scored by Plimsoll and by the Python package: every score must be equal.

The package (the wheel that the build fetched) has the reference's rules except for two idioms, which are corrected
below. Usage: fuzz.py SCORE_LINES [--texts N] [--seed S]
"""
import argparse
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata
import zipfile

WHEEL = "vaderSentiment-3.3.2-py2.py3-none-any.whl"
# Lower case since Unicode 15 only, which an older Python does not know.
NEWLY_CASED = {0x10FC, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69}
ODD_CHARACTERS = ["\u00a0", "\u2003", "\u3000", "\u0085", "\u2028", "\x1c", "\x0b", "\u200b", "\u200d",
                  "\ufe0f", "\u2019", "\u201c", "\u2026", "\u212a", "\u0130", "\u00df", "\u2167", "\u24b6",
                  "\u00aa", "\u01c5", "\u0345", "\u00ae", "\u00a9", "\x00", "\t", "\n", "\U0001f3fd"]


def load_package(folder):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    zipfile.ZipFile(cache / "plimsoll" / "vader" / WHEEL).extractall(folder)
    source = pathlib.Path(folder) / "vaderSentiment" / "vaderSentiment.py"
    spec = importlib.util.spec_from_file_location("vaderSentiment", source)
    package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    package.SPECIAL_CASES.update({"beating heart": 3.1, "broken heart": -2.9})
    return package


# Rules that need several words in their places.
PATTERNS = ["no {} or {}", "no {} nor {}", "{} or {}", "never so {}", "never {} so {}", "never this {}",
            "without doubt {}", "without {} doubt {}", "without a doubt {}", "at least {}", "very least {}",
            "the least {}", "least {}", "kind of {}", "just enough {} {}", "{} to die for", "{} kiss of death",
            "yeah right {}", "never {} {} {}", "not {} {} {}", "very {} {} {}", "o\u212a.", "{} \u2167",
            "{} \u24b6\u00aa"]


class Texts:
    """Words are drawn so that rules meet often: tell-tale words, few lexicon words, much dressing."""

    def __init__(self, package, analyzer, seed):
        self.random = random.Random(seed)
        self.lexicon = list(analyzer.lexicon)
        self.emoji = [e for e in analyzer.emojis if len(e) == 1]
        # Idioms often, and often one after the other.
        self.phrases = list(package.SPECIAL_CASES) + list(package.BOOSTER_DICT) + package.NEGATE
        self.rule_words = sorted({w for p in self.phrases for w in p.split()} | set(
            "no or nor never so this without doubt least at very but kind of".split()))
        self.favourites = ["good", "bad", "great", "no", "but", "shit", "bomb", "heart", "die", "kind"]
        self.plain = "the a it is paper 12 x I'm uh-uh n't Don't e.g. half-good".split()

    def word(self):
        r = self.random
        pool = r.choices([self.lexicon, self.favourites, self.rule_words, self.phrases, self.plain,
                          self.emoji, ODD_CHARACTERS, None], [4, 5, 6, 3, 3, 2, 1, 1])[0]
        word = r.choice(pool) if pool else self.any_character()
        style = r.random()
        if style < 0.15:
            word = word.upper()
        elif style < 0.25:
            word = word.capitalize()
        elif style < 0.28:
            word = "".join(r.choice([c.upper(), c]) for c in word)
        if r.random() < 0.2:
            word = r.choice("\"'(*-.:<#!?,") + word
        if r.random() < 0.25:
            word += r.choice(["!", "?", "!!", "??", ".", ",", "'", "\")", "...", ":)", "n't", "\ufe0f"])
        if r.random() < 0.03:
            at = r.randrange(len(word) + 1)
            word = word[:at] + r.choice(ODD_CHARACTERS + self.emoji) + word[at:]
        return word

    def pattern(self):
        parts = self.random.choice(PATTERNS).split("{}")
        return parts[0] + "".join(self.word() + part for part in parts[1:])

    def any_character(self):
        while True:
            code = self.random.randrange(0x11000 if self.random.random() < 0.8 else 0x20000)
            if code not in NEWLY_CASED and not 0x1E030 <= code <= 0x1E06D \
                    and unicodedata.category(chr(code)) not in ("Cn", "Cs"):
                return chr(code)

    def text(self):
        r = self.random
        # Now and then more lexicon words than the direct search for equal values takes.
        words = r.randrange(1500) if r.random() < 0.003 else r.choice([0, 1, 2, 3, 4, 5, 8, 13, 40])
        drawn = []
        for _ in range(words):
            again = drawn and r.random() < 0.05
            fresh = self.pattern if r.random() < 0.15 else self.word
            drawn.append(r.choice(drawn) if again else fresh())
        separators = [" "] * 30 + ["  ", "\n", "\t", "", "\u00a0", "\u3000", "\x1f"]
        text = "".join(w + r.choice(separators) for w in drawn)
        # All capitals are no emphasis: here a single odd letter's case decides.
        if r.random() < 0.1:
            text = text.upper()
        if r.random() < 0.1:
            text = text.replace("k", "\u212a")
        return text


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("score_lines")
    arguments.add_argument("--texts", type=int,
                           default=200_000 if os.environ.get("PLIMSOLL_LONG_TESTS") else 4_000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        package = load_package(folder)
        analyzer = package.SentimentIntensityAnalyzer()
    source = Texts(package, analyzer, options.seed)
    texts = [source.text() for _ in range(options.texts)]
    scored = subprocess.run([options.score_lines], input="\n".join(map(json.dumps, texts)),
                            capture_output=True, text=True, check=True).stdout.splitlines()
    if len(scored) != len(texts):
        sys.exit(f"{len(texts)} texts went in, {len(scored)} scores came out")
    wrong = 0
    for text, line in zip(texts, scored):
        expected = analyzer.polarity_scores(text)
        found = dict(zip(("neg", "neu", "pos", "compound"), map(float, line.split())))
        if found != expected:
            wrong += 1
            if wrong <= 10:
                print(f"{text!r}\n  expected {expected}\n  found    {found}")
    positive = sum(1 for line in scored if float(line.split()[3]) != 0)
    print(f"seed {options.seed}: {len(texts)} texts ({positive} with a sentiment), {wrong} differ")
    sys.exit(1 if wrong or positive < len(texts) / 2 else 0)


if __name__ == "__main__":
    main()
