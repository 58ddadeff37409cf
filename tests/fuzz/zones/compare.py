"""Every place of the time zone database against Python's zoneinfo: the offsets at many instants, and the instants of
many local times, from the first known changes to 2150; most are past 2037, where the files list no changes."""

import argparse
import bisect
import datetime
import os
import random
import subprocess
import sys
import zoneinfo

UTC = datetime.timezone.utc
seconds = lambda *date: int(datetime.datetime(*date, tzinfo=UTC).timestamp())
EPOCH = datetime.datetime(1970, 1, 1)
BEGIN, FOOTER, END = seconds(1850, 1, 1), seconds(2038, 1, 1), seconds(2150, 1, 1)
SPAN = 10 * 366 * 86400  # of so many years every place's changes are looked at, each place's of others
STEP = 20 * 86400  # past 2037 no place changes its clocks and changes them back within so few days


def offset(place, at):
    return int((datetime.datetime(1970, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=at)).astimezone(place).utcoffset().total_seconds())


def local(seconds_shown, place, fold):
    return (EPOCH + datetime.timedelta(seconds=seconds_shown)).replace(tzinfo=place, fold=fold)


def changes(place, begin, end):
    """The seconds at which the offset changes."""
    found, before = [], offset(place, begin)
    for high in range(begin + STEP, end, STEP):
        after = offset(place, high)
        if after != before:
            span = range(high - STEP, high + 1)
            found.append(span[bisect.bisect_left(span, True, key=lambda at: offset(place, at) != before)])
        before = after
    return found


def shown(place, at_local, jumps):
    """As zone_times prints it. Python takes fold 0 for the offset before a change and fold 1 for the one after."""
    instants = [at_local - int(local(at_local, place, fold).utcoffset().total_seconds()) for fold in (0, 1)]
    real = sorted({at for at in instants if at + offset(place, at) == at_local})
    if len(real) == 2:
        return f"twice {real[0]} {real[1]}"
    if real:
        return f"once {real[0]}"
    low, high = min(instants), max(instants)
    (jump,) = [at for at in jumps if low < at <= high]
    return f"skipped {jump}"


def questions(rng, name, count):
    place = zoneinfo.ZoneInfo(name)
    first = rng.randrange(FOOTER, END - SPAN)
    late = changes(place, first, first + SPAN)
    asked = [("offset", at) for at in (rng.randrange(BEGIN, END) for _ in range(count))]
    asked += [("offset", at) for at in (rng.randrange(FOOTER, END) for _ in range(count))]
    times = [rng.randrange(first + 86400, first + SPAN - STEP) for _ in range(count)]
    for change in rng.sample(late, min(count, len(late))):
        asked += [("offset", change + delta) for delta in (-1, 0, rng.randint(-9000, 9000))]
        edges = [change + offset(place, change - 1), change + offset(place, change)]
        times += [edge + delta for edge in edges for delta in (-1, 0)] + [rng.randint(min(edges) - 4000, max(edges) + 4000)]
    for what, at in asked:
        yield f"{what} {at} {name}", str(offset(place, at))
    for at in times:
        yield f"shown {at} {name}", shown(place, at, late)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", help="zone_times")
    parser.add_argument("--count", type=int, default=200 if os.environ.get("PLIMSOLL_LONG_TESTS") else 30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    zoneinfo.reset_tzpath(to=["/usr/share/zoneinfo"])  # the same files, wherever Python looks by default
    names = sorted(name for name in zoneinfo.available_timezones() if name[0].isupper())
    if len(names) < 400:
        sys.exit(f"only {len(names)} places are installed")
    asked = [pair for name in names for pair in questions(rng, name, given.count)]
    done = subprocess.run([given.program], input="\n".join(line for line, _ in asked), capture_output=True, text=True, check=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(asked):
        sys.exit(f"{len(answers)} answers to {len(asked)} questions")
    wrong = [(line, wanted, have) for (line, wanted), have in zip(asked, answers) if wanted != have]
    for line, wanted, have in wrong[:10]:
        print(f"{line}: zoneinfo says {wanted}, plimsoll {have}")
    if wrong:
        sys.exit(f"{len(wrong)} of {len(asked)} differ (seed {given.seed})")
    print(f"{len(asked)} answers for {len(names)} places are those of zoneinfo (seed {given.seed})")


main()
