#!/usr/bin/env python3
"""Waves: times of searching random walks on two cores, against their limits.

    tests/bench/waves/run.py [--rounds N] [--quick] [--record]
    tests/bench/waves/run.py --job [--bin FOLDER] [--rounds N] [--record]
    tests/bench/waves/run.py --devices [--rounds N] [--record]

Builds a release. Rates are symbols per second of CPU time, times two: the rate of two otherwise idle cores. Wall times
are printed next to them. Surrogates are measured with 20 and extrapolated to 1,000, because the time is proportional.
--quick omits the longest rows. "CSV to JSON lines" reads a file, searches, ranks and writes all reports.

--job measures the same work as a job on an uploaded dataset, from POST /v1/jobs to succeeded, in wall time: the server,
its worker and PostgreSQL share the machine, which must be quiet. --bin names the folder of built programs; without
it, a release is built.

--devices instead compares OpenCL with C++, in turns: the CPU flavour on PoCL in time of two cores, as above, and, if
there is a GPU, the GPU flavour in wall time against two cores. Surrogates are measured on 20 symbols and extrapolated
to 500.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / 'tests/bench'), str(ROOT / 'tests/integration'), str(ROOT / 'tests/bench/waves')]
import job  # noqa: E402
import results  # noqa: E402

WINDOWS = {'windows': 'weeks', 'starts': 'points', 'window_overlap_ratio': 0.5, 'max_start_points': 8,
           'bars_per_week': 7}
# name, symbols, bars, settings, seconds that it must take at most, that it should, how many times the work
ROWS = [
    ('500 x 500 bars, windows, 8 starts, compatible', 500, 500, {'mode': 'compatible', **WINDOWS}, 1.2, 0.3),
    ('500 x 500 bars, windows, 8 starts, standard', 500, 500, {'mode': 'standard', **WINDOWS}, None, None),
    ('500 x 500 bars, every bar, compatible', 500, 500, {'mode': 'compatible'}, 0.3, 0.2),
    ('500 x 500 bars, every bar, standard', 500, 500, {'mode': 'standard'}, None, None),
    ('500 x 5,000 bars, every bar, compatible', 500, 5000, {'mode': 'compatible'}, 20, 12),
]
SURROGATES = 20


DEVICE_ROWS = [  # name, symbols, settings, times the work
    ('500 x 500 bars, windows, 8 starts, compatible', 500, {'mode': 'compatible', **WINDOWS}, 1),
    ('500 x 500 bars, every bar, compatible', 500, {'mode': 'compatible'}, 1),
    ('500 x 500 bars, every bar, standard', 500, {'mode': 'standard'}, 1),
    ('1,000 surrogates of 500 x 500 bars, compatible', 20, {'mode': 'compatible', 'surrogates': 1000}, 25),
    ('1,000 surrogates of 500 x 500 bars, standard', 20, {'mode': 'standard', 'surrogates': 1000}, 25),
]


def search(program, source, size, settings, *device):
    """`source` and `size`: a number of symbols and of bars, or a file to read and one to write."""
    told = subprocess.run([program, str(source), str(size), '2', json.dumps(settings), *device], check=True,
                          capture_output=True, text=True)
    return json.loads(told.stdout)


def write_prices(path, symbols, bars):
    """Random walks; the same every time."""
    state = 1
    with open(path, 'w', encoding='ascii') as file:
        file.write('symbol,open,high,low,close\n')
        for symbol in range(symbols):
            price = 100.0
            for _ in range(bars):
                around = []
                for _ in range(4):
                    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
                    around.append(price * (1 + ((state >> 40) / 2**24 - 0.5) * 0.04))
                file.write(f'S{symbol},{around[0]:.4f},{max(around):.4f},{min(around):.4f},{around[3]:.4f}\n')
                price = around[3]


def entry(name, work, seconds, must, stretch, rounds):
    """Symbols per second against those of a run that takes exactly as long as it may."""
    return results.entry(f'waves: {name}', 'waves', round(work / seconds, 1), 'symbols/s on 2 cores',
                         peer=f'{must} s' if must else None, peer_value=work / must if must else None,
                         must=1 if must else None, stretch=must / stretch if must else None, rounds=rounds,
                         command='tests/bench/waves/run.py --record')


def measure_job(options):
    with tempfile.TemporaryDirectory() as folder:
        prices = pathlib.Path(folder) / 'prices.csv'
        write_prices(prices, 500, 500)
        taken = job.run(prices, {'mode': 'compatible', **WINDOWS}, options.rounds, options.bin)
    for seconds, processor in taken:
        print(f'job on a dataset: {seconds:.2f} s by the clock, {processor:.2f} s of the processor', flush=True)
    median = statistics.median(seconds for seconds, _ in taken)
    told = results.entry('waves: 500 x 500 bars, windows, 8 starts, compatible: a job on an uploaded dataset', 'waves',
                         round(500 / median, 1), 'symbols/s', peer='3 s', peer_value=500 / 3, must=1, stretch=3,
                         rounds=options.rounds, command='tests/bench/waves/run.py --job --record')
    results.publish([told], options)


def gpu_of(folder):
    """The address of the first GPU that passed its tests."""
    told = subprocess.run([folder / 'plimsoll-engine', 'probe', '--json'], check=True, capture_output=True, text=True)
    return next((it['device'] for it in json.loads(told.stdout)['devices']
                 if it['state'] == 'ready' and it['type'] == 'gpu'), None)


def compare_devices(options):
    folder = results.release('waves_search_loop', 'plimsoll-engine')
    loop = folder / 'waves_search_loop'
    gpu = gpu_of(folder)
    rows = [('OpenCL on the CPU', ('opencl:pocl:0', 'cpu'), None), ('OpenCL on a GPU', gpu and (gpu, 'gpu'), 10)]
    seconds = {}
    entries = []
    for name, symbols, settings, times in DEVICE_ROWS:
        for _ in range(options.rounds):
            for flavour, device, _ in [('C++', (), None), *rows]:
                if device is None:
                    continue
                told = search(loop, symbols, 500, settings, *device)
                took = times * (told['wall'] if flavour.endswith('GPU') else told['processor'] / 2)
                seconds.setdefault((name, flavour), []).append(took)
                print(f"{name}, {flavour}: {took:.2f} s, {told['valid']:,} counts, {told['nodes']:,} nodes", flush=True)
        for flavour, device, must in rows:
            must = must if 'surrogates' in name else None
            command = 'tests/bench/waves/run.py --devices --record'
            of = lambda key: statistics.median(seconds[name, key])
            if device:
                entries.append(results.entry(
                    f'waves, {flavour}: {name}', 'waves', round(500 / of(flavour), 1), 'symbols/s', peer='C++ on 2 cores',
                    peer_value=round(500 / of('C++'), 1), must=must, stretch=must and 30, rounds=options.rounds,
                    command=command))
            else:
                entries.append({'name': f'waves, {flavour}: {name}', 'area': 'waves', 'ours': None, 'unit': 'symbols/s',
                                'peer': 'C++ on 2 cores', 'peer_value': round(500 / of('C++'), 1), 'ratio': None,
                                'must': must, 'stretch': must and 30, 'met': None, 'rounds': 0,
                                'machine': 'not measured: no device', 'commit': '', 'command': command})
    results.publish(entries, options)


def main():
    arguments = results.arguments(rounds=5, programs=True)
    arguments.add_argument('--quick', action='store_true')
    arguments.add_argument('--job', action='store_true', help='through a server and its worker')
    arguments.add_argument('--devices', action='store_true', help='OpenCL against C++')
    options = arguments.parse_args()
    if options.devices:
        return compare_devices(options)
    if options.job:
        return measure_job(options)
    loop = results.release('waves_search_loop') / 'waves_search_loop'
    seconds = {}
    peak = 0
    with tempfile.TemporaryDirectory() as folder:
        prices = pathlib.Path(folder) / 'prices.csv'
        write_prices(prices, 500, 500)
        rows = [row for row in ROWS if row[2] <= 500 or not options.quick]
        for number in range(options.rounds):
            for name, symbols, bars, settings, *_ in rows:
                if bars > 500 and number > 0:
                    continue  # once is enough of what takes half a minute
                told = search(loop, symbols, bars, settings)
                seconds.setdefault(name, []).append(told['processor'] / 2)
                peak = max(peak, told['peak_mb'])
                print(f"{name}: {told['processor'] / 2:.3f} s of two cores, {told['wall']:.3f} s by the clock, "
                      f"{told['valid']:,} counts, {told['nodes'] / told['processor'] / 1e6:.0f} M nodes/s", flush=True)
            told = search(loop, prices, pathlib.Path(folder) / 'counts.jsonl', ROWS[0][3])
            seconds.setdefault('end to end', []).append(told['processor'] / 2)
            print(f"CSV to JSON lines: {seconds['end to end'][-1]:.3f} s of two cores, {told['wall']:.3f} s by the clock",
                  flush=True)
        for mode in ('compatible', 'standard'):
            without = search(loop, 100, 500, {'mode': mode})['processor']
            told = search(loop, 100, 500, {'mode': mode, 'surrogates': SURROGATES})['processor'] - without
            seconds[f'surrogates {mode}'] = [told / 2 * 5 * 1000 / SURROGATES]
            print(f"1,000 surrogates of 500 x 500, {mode}: {seconds[f'surrogates {mode}'][0]:.0f} s of two cores")
    median = {name: statistics.median(values) for name, values in seconds.items()}
    entries = [entry(name, symbols, median[name], must, stretch, options.rounds if bars <= 500 else 1)
               for name, symbols, bars, _, must, stretch in rows]
    # The standard patterns may take four times as long.
    compatible, standard = (next(it for it in entries if it['name'] == f'waves: 500 x 500 bars, windows, 8 starts, {mode}')
                            for mode in ('compatible', 'standard'))
    ratio = round(4 * standard['ours'] / compatible['ours'], 2)
    standard |= {'peer': 'compatible / 4', 'peer_value': round(compatible['ours'] / 4, 1), 'ratio': ratio, 'must': 1,
                 'met': results.met(ratio, 1, None)}
    entries.append(entry('500 x 500 bars, windows, CSV to JSON lines, compatible', 500, median['end to end'], 3, 1,
                         options.rounds))
    entries += [entry(f'1,000 surrogates of 500 x 500 bars, {mode}', 500_000, median[f'surrogates {mode}'], 240, 120, 1)
                for mode in ('compatible', 'standard')]
    entries.append({'name': 'waves: peak memory of a search', 'area': 'waves', 'ours': round(peak, 1), 'unit': 'MB',
                    'peer': 'limit', 'peer_value': 200, 'ratio': round(200 / peak, 2), 'must': 1, 'stretch': None,
                    'met': results.met(200 / peak, 1, None), 'rounds': 1, 'machine': results.machine(),
                    'commit': results.commit(), 'command': 'tests/bench/waves/run.py --record'})
    results.publish(entries, options)


if __name__ == '__main__':
    main()
