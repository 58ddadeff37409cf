"""The environment of a program whose clock is wrong and can be made to jump; only its monotonic clock is correct."""

import glob
import pathlib


class WrongClock:
    def __init__(self, file, offset):
        self.file = pathlib.Path(file)
        self.jump(offset)

    def jump(self, offset):
        """From now on the program's clock is so far off, like '+1d'."""
        aside = self.file.with_suffix('.new')
        aside.write_text(offset + '\n')
        aside.rename(self.file)  # never read half-written

    @property
    def environment(self):
        [library] = glob.glob('/usr/lib/*/faketime/libfaketimeMT.so.1')
        return {'LD_PRELOAD': library, 'FAKETIME_TIMESTAMP_FILE': str(self.file), 'FAKETIME_NO_CACHE': '1',
                'FAKETIME_DONT_FAKE_MONOTONIC': '1', 'FAKETIME_DONT_RESET': '1'}
