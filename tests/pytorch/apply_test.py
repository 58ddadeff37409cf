#!/usr/bin/env python3
"""Applies a report to realistic configurations: the library loads each, and the estimate stays the same.

    tests/pytorch/apply_test.py [--plimsoll build/release/bin/plimsoll] [--only WORD] [--record]

Every case of `corpus.py` is estimated, its report is applied to its files in configs.txtar, and the library that the
files are for loads them. The settings in its objects are estimated again at their batch, and must take the same bytes
and give the same effective batch. Before the report is applied, the files must differ from it, or the case shows
nothing. `plimsoll show-config` must read the report's values from them. Files of unknown structure must stay unchanged
until the proposed places are passed with --map. `--record` writes what the libraries accepted for accepted_test.py.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import corpus
import libraries
from recorded import record, unpack_configs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = HERE / 'accepted/applied.json'


def ran(program, *arguments):
    return subprocess.run([program, '--json', *arguments], capture_output=True, text=True, cwd=ROOT)


def estimate(program, args, report):
    report.with_suffix('.args.json').write_text(json.dumps(args))
    done = ran(program, 'estimate', report.with_suffix('.args.json'))
    if done.returncode:
        raise ValueError(f'{json.dumps(args)}: {done.stderr.strip()}')
    report.write_text(done.stdout)
    return json.loads(done.stdout)['gpus'][0]


def applied(program, report, files, *flags):
    done = ran(program, 'apply', report, *files, *flags)
    if not done.stdout:
        raise ValueError(done.stderr.strip())
    return done.returncode, json.loads(done.stdout)['files']


def maps_of(told):
    return [flag for file in told for one in file['proposals'] if one['before'] != one['after']
            for flag in ('--map', f"{one['name']}={one['place']}")]


def said(told):
    return '; '.join([*(f"{one['place']}: {one['why']}" for file in told for one in file['left']),
                      *(text for file in told for text in file['differs'])])


def again(program, case, read, folder):
    """Bytes and effective batch of what the library's objects say."""
    training = {**case.args['training'], **read.training}
    if read.batch:
        training['batch'] = read.batch
    args = {**case.args, 'training': training}
    if read.cluster:
        args['cluster'] = read.cluster
    card = estimate(program, args, folder / 'again.json')
    cards = args.get('cluster', {}).get('cards', 1)
    effective = read.batch * read.accumulation * cards if read.batch and read.accumulation else None
    return card['memory']['device_used_bytes'], effective


def differences(program, case, read, card, folder):
    """What the loaded files say otherwise than the report; nothing where they agree."""
    nearest = card['accumulation']['nearest']
    cards = case.args.get('cluster', {}).get('cards', 1)
    meant = {'batch': nearest['batch'], 'accumulation': nearest['steps'],
             'effective': nearest['batch'] * nearest['steps'] * cards}
    wrong = [f'{name} {getattr(read, name)}, not {meant[name]}' for name in ('batch', 'accumulation')
             if getattr(read, name) and getattr(read, name) != meant[name]]
    bytes_, effective = again(program, case, read, folder)
    if bytes_ != card['memory']['device_used_bytes']:
        wrong.append(f"{bytes_:,} bytes, not {card['memory']['device_used_bytes']:,}")
    if effective and effective != meant['effective']:
        wrong.append(f"effective batch {effective}, not {meant['effective']}")
    return wrong


FACTS = {'transformers': ('precision', 'optimizer', 'optimizer_kernel', 'checkpointing', 'clip', 'attention', 'lora_rank',
                          'lora_targets', 'lora_dora', 'packed', 'fused_loss', 'quantization'),
         'lightning': ('precision', 'clip'), 'hydra': ('precision', 'clip'), 'deepspeed': ('clip',)}
FACTS |= {'trl': FACTS['transformers'], 'llama_factory': FACTS['transformers'], 'hydra/groups': FACTS['hydra']}


def shown_differences(program, case, files, report):
    """What `show-config` reads in the files otherwise than the report says."""
    cards = case.args.get('cluster', {}).get('cards', 1)
    done = ran(program, 'show-config', *files, '--preset', case.args['model']['preset'], '--gpu', case.args['gpus'][0],
               *(('--cards', str(cards)) if cards > 1 else ()))
    if not done.stdout:
        return [f'show-config: {done.stderr.strip()}']
    shown, summary = json.loads(done.stdout), json.loads(report.read_text())
    nearest = summary['gpus'][0]['accumulation']['nearest']
    meant = {'batch': nearest['batch'], 'accumulation': nearest['steps'],
             'effective_batch': nearest['batch'] * nearest['steps'] * cards}
    return [f'show-config: {name} {read}, not {wanted}' for name, read, wanted in [
        *((name, shown[name], wanted) for name, wanted in meant.items()),
        *((name, shown['training'][name], summary['training'][name]) for name in FACTS[case.folder])] if read != wanted]


def check(program, case):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        unpack_configs(case.folder, folder / 'configs')
        files = [folder / 'configs' / file for file in case.files]
        card = estimate(program, {**case.args, 'what_ifs': False}, folder / 'report.json')
        try:
            same = not differences(program, case, case.load(folder / 'configs', files), card, folder)
        except (Exception, SystemExit):  # what does not load, or cannot be estimated, says something else
            same = False
        assert not same, 'the files said so before'
        flags = ()
        if case.proposed:
            before = [file.read_text() for file in files]
            code, told = applied(program, folder / 'report.json', files)
            assert code, 'an unknown structure was taken for done'
            assert before == [file.read_text() for file in files], 'an unknown structure was changed'
            flags = maps_of(told)
            assert flags, 'nothing was proposed'
        code, told = applied(program, folder / 'report.json', files, *flags)
        assert (code != 0) == case.unmodelled, f'not all is applied: {said(told)}'
        wrong = differences(program, case, case.load(folder / 'configs', files), card, folder)
        if case.folder in FACTS and not case.unmodelled:
            wrong += shown_differences(program, case, files, folder / 'report.json')
        assert not wrong, '; '.join(wrong)
        batch = card['accumulation']['nearest']['batch']
        return {'folder': case.folder, 'files': case.files, 'flags': list(flags),
                'args': {**case.args, 'training': {**case.args['training'], 'batch': batch}},
                'applied': [file.read_text() for file in files]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--plimsoll', default=ROOT / 'build/release/bin/plimsoll')
    parser.add_argument('--only', default='', help='cases whose files hold this')
    parser.add_argument('--record', action='store_true', help=f'write {DATA.relative_to(ROOT)}')
    options = parser.parse_args()
    rows = []
    print(libraries.versions())
    wrong = total = 0
    for case in corpus.CASES:
        name = f"{case.folder}: {', '.join(case.files)}"
        if options.only not in name:
            continue
        total += 1
        try:
            rows.append(check(options.plimsoll, case))
            print(f'ok      {name} ({case.load.__name__})', flush=True)
        except (Exception, SystemExit) as error:  # the library's refusal is the finding
            wrong += 1
            print(f'WRONG   {name} ({case.load.__name__}): {type(error).__name__}: {error}', flush=True)
    if options.record:
        record(DATA, rows, ('folder', 'files'))
    print(f'{total - wrong} of {total} applied, loaded, and their estimates the same')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
