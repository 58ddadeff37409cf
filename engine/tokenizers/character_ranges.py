#!/usr/bin/env python3
"""Write character_ranges.inc: how the published tokenizers class characters.

The library `tokenizers` joins tables of several versions of Unicode: what BERT drops and splits at
is that of Unicode 8, lower case and what RoBERTa splits at is that of Unicode 16. No library has
them all, so they are read from it, character by character.

    pip install tokenizers==0.23.3
    engine/tokenizers/character_ranges.py > engine/tokenizers/character_ranges.inc
"""

import unicodedata

from tokenizers import __version__, normalizers, pre_tokenizers


def bert(**options):
    off = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**{**off, **options}).normalize_str


CLEAN = bert(clean_text=True)
CHINESE = bert(handle_chinese_chars=True)
STRIP = bert(strip_accents=True)
LOWER = bert(lowercase=True)
SPLIT = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
ALL = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def joins(first, character):
    return len(BYTES(first + character)) == 1


def is_space(character):
    return len(SPLIT("a" + character + "b")) == 2


CLASSES = {
    "dropped": lambda c: CLEAN("a" + c + "b") == "ab",
    "space": is_space,
    "punctuation": lambda c: len(SPLIT("a" + c + "b")) == 3,
    "chinese": lambda c: CHINESE(c) == " " + c + " ",
    "mark": lambda c: STRIP(c) == "",
    "letter": lambda c: not is_space(c) and joins("a", c),
    "number": lambda c: not is_space(c) and joins("1", c),
    # Newer than its table of decompositions.
    "whole": lambda c: unicodedata.normalize("NFD", c) != c and STRIP(c) == c,
    "combining": lambda c: normalizers.StripAccents().normalize_str(c) == "",
}


def ranges(codes):
    found = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def lower_runs():
    """(first, last, step, distance): neighbours and every other character with the same distance."""
    runs = []
    for code in ALL:
        low = LOWER(chr(code))
        if low == chr(code) or len(low) != 1:
            continue
        distance = ord(low) - code
        last = runs[-1] if runs else None
        if last and last[3] == distance and code - last[1] in (1, 2):
            step = code - last[1]
            if last[0] == last[1] or last[2] == step:
                last[1], last[2] = code, step
                continue
        runs.append([code, code, 1, distance])
    return runs


def show(name, kind, entries):
    print(f"constexpr {kind} {name}[] = {{")
    line = "   "
    for entry in entries:
        text = " {" + ", ".join(entry) + "},"
        if len(line) + len(text) > 119:
            print(line)
            line = "   "
        line += text
    print(line + "\n};")


def main():
    print(f"// Written by character_ranges.py from tokenizers {__version__}. clang-format off")
    for name, belongs in CLASSES.items():
        codes = [code for code in ALL if belongs(chr(code))]
        show(f"k{name.capitalize()}", "Range", [[f"{a:#x}", f"{b:#x}"] for a, b in ranges(codes)])
    show("kLower", "LowerRange", [[f"{a:#x}", f"{b:#x}", str(s), str(d)] for a, b, s, d in lower_runs()])


if __name__ == "__main__":
    main()
