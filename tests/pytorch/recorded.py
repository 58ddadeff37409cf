"""The data of tests that need no PyTorch."""

import json
import pathlib
import re

CONFIGS = pathlib.Path(__file__).resolve().parent / 'configs.txtar'


def unpack_configs(folder, target):
    """Writes the files of a folder in configs.txtar, each of which follows a line `-- PATH --`, below target."""
    _, *parts = re.split(r'^-- (.+) --\n', CONFIGS.read_text(), flags=re.MULTILINE)
    for path, text in zip(parts[::2], parts[1::2]):
        if path.startswith(f'{folder}/'):
            file = target / path.removeprefix(f'{folder}/')
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def record(file, rows, names, defaults=None):
    """Replaces the rows that were measured again, told apart by these names; others stay. Older rows lack new names."""
    before = json.loads(file.read_text()) if file.exists() else []
    kept = {json.dumps([row.get(name, (defaults or {}).get(name)) for name in names]): row for row in before + rows}
    file.write_text('[\n' + ',\n'.join(json.dumps(row) for row in kept.values()) + '\n]\n')
