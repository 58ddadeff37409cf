"""The results of all benchmarks: results.json, and RESULTS.md rendered from it.

    results.publish([{...}], options)   prints them; with --record, replaces the entries of the same names
    python3 results.py                  renders RESULTS.md again

An entry says what was measured (name, area), ours and the peer's value in one unit, their ratio (above
1: ours is better), the ratio that it must reach and the one that it should reach (null: only reported), and
where it was measured.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
JSON = HERE / 'results.json'
FIELDS = ['name', 'area', 'ours', 'unit', 'peer', 'peer_value', 'ratio', 'must', 'stretch', 'met', 'rounds',
          'machine', 'commit', 'command']


def machine():
    with open('/proc/cpuinfo', encoding='ascii') as file:
        model = next((line.split(':', 1)[1].strip() for line in file if line.startswith('model name')),
                     platform.machine())
    return f'{model}, {os.cpu_count()} cores, Linux {platform.release()}'


def commit():
    told = subprocess.run(['git', '-C', HERE, '-c', 'safe.directory=*', 'rev-parse', '--short=12', 'HEAD'],
                          capture_output=True, text=True, check=False)
    return told.stdout.strip() or 'unknown'


def met(ratio, must, stretch):
    if must is None or ratio is None:
        return 'reported'
    if stretch is not None and ratio >= stretch:
        return 'stretch'
    return 'must' if ratio >= must else 'no'


def entry(name, area, ours, unit, *, peer=None, peer_value=None, must=None, stretch=None, rounds, command):
    """One result where more is better."""
    ratio = round(ours / peer_value, 2) if peer_value else None
    return {'name': name, 'area': area, 'ours': ours, 'unit': unit, 'peer': peer, 'peer_value': peer_value,
            'ratio': ratio, 'must': must, 'stretch': stretch, 'met': met(ratio, must, stretch),
            'rounds': rounds, 'machine': machine(), 'commit': commit(), 'command': command}


def entry_of_least(name, area, ours, unit, *, most, must, stretch, rounds, command):
    """One result where less is better, against the most that is asked for."""
    told = entry(name, area, ours, unit, peer='at most', peer_value=most, rounds=rounds, command=command)
    told |= {'ratio': round(most / ours, 2), 'must': must, 'stretch': round(stretch, 2)}
    told['met'] = met(told['ratio'], must, stretch)
    return told


def entry_of_none(name, area, ours, unit, *, rounds, command):
    """One result that must be 0."""
    return entry(name, area, ours, unit, rounds=rounds, command=command) | {'must': 0, 'met': 'no' if ours else 'must'}


def entry_not_measured(name, area, unit, why, *, must=None, stretch=None, command):
    return {'name': name, 'area': area, 'ours': None, 'unit': unit, 'peer': None, 'peer_value': None, 'ratio': None, 'must': must,
            'stretch': stretch, 'met': None, 'rounds': 0, 'machine': f'not measured: {why}', 'commit': '', 'command': command}


def arguments(rounds, programs=False):
    """A parser with the options of every benchmark. With `programs`, --bin names the folder of those it runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=rounds)
    parser.add_argument('--record', action='store_true', help='write tests/bench/results.json')
    if programs:
        parser.add_argument('--bin', type=pathlib.Path, help='the folder of built programs; without it, a release is built')
    return parser


def programs_of(options, *targets):
    """The folder of built programs, and tests/integration/harness.py told to use it."""
    folder = (options.bin or release(*targets)).resolve()
    os.environ['PLIMSOLL_BIN'] = str(folder)
    return folder


def publish(entries, options):
    show(entries)
    if options.record:
        record(entries)


def show(entries):
    for e in entries:
        if e['ours'] is None:
            print(f"{e['name']}: {e['machine']}")  # which says why there is no value
            continue
        print(f"{e['name']}: {e['ours']:,} {e['unit']}" + (f", ratio {e['ratio']} ({e['met']})" if e['ratio'] else ''))


def release(*targets):
    """The folder of a release's programs, built."""
    folder = HERE.parents[1] / 'build/bench'
    for command in (['cmake', '--preset', 'release', '-B', folder, '-DPLIMSOLL_TESTS=ON'], ['cmake', '--build', folder, '--target', *targets]):
        subprocess.run(command, cwd=HERE.parents[1], check=True, stdout=subprocess.DEVNULL)
    return folder / 'bin'


def load():
    return json.loads(JSON.read_text(encoding='utf-8')) if JSON.exists() else []


def record(entries):
    # What another machine measured is kept where this one cannot.
    measured = {old['name'] for old in load() if old['ours'] is not None}
    entries = [new for new in entries if new['ours'] is not None or new['name'] not in measured]
    names = {new['name'] for new in entries}
    kept = [old for old in load() if old['name'] not in names]
    everything = sorted(kept + entries, key=lambda e: (e['area'], e['name']))
    rows = ',\n'.join('  ' + json.dumps({field: e.get(field) for field in FIELDS}) for e in everything)
    JSON.write_text(f'[\n{rows}\n]\n', encoding='utf-8')
    render()


def cell(value):
    if value is None:
        return ''
    return f'{value:,.10g}' if isinstance(value, (int, float)) else str(value).replace('|', '\\|')


def render():
    columns = ['name', 'ours', 'unit', 'peer', 'peer_value', 'ratio', 'must', 'stretch', 'met', 'rounds', 'commit']
    lines = ['# Measured', '', 'Rendered from `results.json` by `results.py`. Medians of interleaved rounds.']
    area = None
    for e in load():
        if e['area'] != area:
            area = e['area']
            lines += ['', f'## {area}', '', '| ' + ' | '.join(c.replace('_', ' ') for c in columns) + ' |',
                      '|' + '---|' * len(columns)]
        shown = e if e['ours'] is not None else e | {'ours': e['machine']}  # which says why there is no value
        lines.append('| ' + ' | '.join(cell(shown[c]) for c in columns) + ' |')
    machines = sorted({e['machine'] for e in load() if e['ours'] is not None})
    commands = sorted({e['command'] for e in load()})
    lines += ['', '## Where and how', ''] + [f'- machine: {m}' for m in machines] + [f'- `{c}`' for c in commands]
    (HERE / 'RESULTS.md').write_text('\n'.join(lines) + '\n', encoding='utf-8')


if __name__ == '__main__':
    render()
