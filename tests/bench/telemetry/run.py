#!/usr/bin/env python3
"""The cost of monitoring devices for a worker: reading the sensors every second and, with GPU_PROFILING_ENABLED=1,
writing a log line every ten seconds.

    tests/bench/telemetry/run.py [--rounds N] [--record]

Times are CPU time, which hardly depends on other load. GPU sensors are not measured.
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import results  # noqa: E402

COMMAND = 'tests/bench/telemetry/run.py --record'


def main():
    options = results.arguments(rounds=31).parse_args()
    program = results.release('telemetry_look_loop') / 'telemetry_look_loop'
    told = json.loads(subprocess.run([program, str(options.rounds)], check=True, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, text=True).stdout)
    line = (told['with'] - told['without']) / 10
    entries = [
        results.entry('telemetry: processor time of watching the host, one look a second', 'telemetry',
                      round(told['look'] * 1e6, 1), 'us/s', rounds=options.rounds, command=COMMAND),
        results.entry('telemetry: added by GPU_PROFILING_ENABLED=1, a line every ten seconds', 'telemetry',
                      round(line * 1e6, 3), 'us/s', rounds=options.rounds, command=COMMAND)]
    results.publish(entries, options)


if __name__ == '__main__':
    main()
