#!/usr/bin/env python3
"""Damaged model files: each is read or refused, within a second of the processor and a gibibyte of memory, and never
crashes the reader. Begins with files made to harm and with those in corpus/, if a file ever failed; then the files of
small models in every format are damaged at random. What fails is written to --keep, to be put into corpus/.
Usage: fuzz.py READ_MODELS [--files N] [--seed S] [--keep FOLDER]
"""
import argparse
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import published_files

HERE = pathlib.Path(__file__).parent
MOST_MEMORY = 1 << 30
MOST_MILLISECONDS = 1000
WORDS = [b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"-1", b"1e999", b"18446744073709551616", b'"\\ud800"', b"\x00",
         b'"dtype"', b'"shape"', b'"data_offsets"', b'"model"', b'"vocab"', b'"type"', b'"id2label"', b"F32", b"BF16", b"PK\x03\x04",
         b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x06", b"\x80\x02", b"\x80\x04", b"cos\nsystem\n", b"ctorch\nFloatStorage\n", b"(", b"t", b"R",
         b"Q", b"u", b".", b"2", b"0", b"q\x00", b"h\x00", b"r\xff\xff\xff\xff", b"\x85", b"]", b"X\xff\xff\xff\xff", b"\x8a\x08", b"##", b"\n",
         b"\r\n", b" ", "\u0120".encode(), b"\xff", b"[CLS]", b"<s>"]
NUMBERS = [0, 1, 3, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 1 << 53, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


class Damage:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def place(self, data):
        """Often near the ends, where lengths and directories are."""
        r = self.random
        near = r.choice([len(data), min(len(data), 64), min(len(data), 2000)])
        at = r.randrange(near + 1)
        return len(data) - at if r.random() < 0.3 else at

    def once(self, data, other):
        r, at = self.random, self.place(data)
        length = r.choice([1, 1, 2, 4, 8, 30, 300])
        kind = r.randrange(8)
        if kind == 0 and data:
            at = min(at, len(data) - 1)
            return data[:at] + bytes([data[at] ^ 1 << r.randrange(8)]) + data[at + 1:]
        if kind == 1:
            size = r.choice("BHIQ")
            packed = struct.pack("<" + size, r.choice(NUMBERS) & (256 ** struct.calcsize(size) - 1))
            return data[:at] + packed + data[at + len(packed):]
        if kind == 2:
            return data[:at] + data[at + length:]
        if kind == 3:
            return data[:at] + data[at:at + length] * r.choice([2, 3, 1000]) + data[at + length:]
        if kind == 4:
            word = r.choice(WORDS) * r.choice([1, 1, 1, 2, 5000])
            return data[:at] + word + data[at + r.choice([0, len(word)]):]
        if kind == 5:
            return data[:at]
        if kind == 6:
            return data[:at] + r.randbytes(length) + data[at + length:]
        return data[:at] + other[self.place(other):]

    def of(self, data, other):
        for _ in range(self.random.choice([1, 1, 2, 4])):
            data = self.once(data, other)[:1 << 24]
        return data


class Reader:
    """The program; started again after a crash."""

    def __init__(self, program):
        self.program = program
        self.process = None
        # Sanitizers reserve far more memory than they use.
        content = pathlib.Path(program).read_bytes()
        self.limited = not any(name in content for name in (b"__asan_init", b"__tsan_init"))

    def read(self, folder):
        """What it said, or how it ended."""
        if self.process is None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            if self.limited:
                resource.prlimit(self.process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        self.process.stdin.write(f"{folder}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if line:
            return line
        status, self.process = self.process.wait(), None
        return f"ended with {status}"

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--files", type=int, default=200_000 if os.environ.get("PLIMSOLL_LONG_TESTS") else 5_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--keep", type=pathlib.Path)
    options = arguments.parse_args()
    reader, damage, began = Reader(options.program), Damage(options.seed), time.monotonic()
    failed, counts = 0, {}
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        seeds = published_files.write_seeds(place / "seeds")
        for seed in seeds:
            said = reader.read(place / "seeds" / seed)
            if not said.endswith("++\n"):
                sys.exit(f"the undamaged model in {seed} was not read: {said}")

        def check(seed, name, content):
            nonlocal failed
            folder = place / "damaged" / seed
            if not folder.exists():
                shutil.copytree(place / "seeds" / seed, folder)
            before = (place / "seeds" / seed / name).read_bytes()
            (folder / name).write_bytes(content)
            said = reader.read(folder)
            (folder / name).write_bytes(before)
            taken, _, found = said.strip().rpartition(" ")
            counts[found] = counts.get(found, 0) + 1
            if set(found) <= set("+-") and float(taken) <= MOST_MILLISECONDS:
                return
            failed += 1
            print(f"{seed}/{name}, {len(content)} bytes: {said.strip()}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.{failed}.{name}").write_bytes(content)

        for seed, name, content in published_files.harmful():
            check(seed, name, content)
        for path in sorted((HERE / "corpus").glob("*")):
            seed, _, name = path.name.split(".", 2)
            check(seed, name, path.read_bytes())
        files = [(seed, path.name, path.read_bytes()) for seed in seeds for path in sorted((place / "seeds" / seed).iterdir())]
        for _ in range(options.files):
            seed, name, content = damage.random.choice(files)
            check(seed, name, damage.of(content, damage.random.choice(files)[2]))
        reader.close()
    told = ", ".join(f"{count} {found}" for found, count in sorted(counts.items()))
    print(f"{sum(counts.values())} files in {time.monotonic() - began:.0f} s (model, tokenizer: + read, - refused): {told}")
    if failed:
        sys.exit(f"{failed} failed")


if __name__ == "__main__":
    main()
