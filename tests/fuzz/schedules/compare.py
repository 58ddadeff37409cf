"""`plimsoll schedules next` against cronsim: random expressions, zones and years."""

import argparse
import datetime
import itertools
import os
import random
import sys
import zoneinfo

from cronsim import CronSim
from schedules_next import found

UTC = datetime.timezone.utc
# Clocks that change by an hour, half an hour, two hours, or never, and between one and three in the morning. Where they
# change at midnight (Beirut, Havana, São Paulo) or at a fraction of an hour (St John's) the two differ, mostly because cronsim
# steps by days and whole hours; there debian.py compares.
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Asia/Kathmandu", "UTC"]


def expression(rng):
    fixed = lambda low, high: rng.choice([str(rng.randint(low, high)), f"{rng.randint(low, low + 2)}-{rng.randint(low + 3, high)}",
                                          f"{rng.randint(low, high)},{rng.randint(low, high)}", f"{low}-{high}/{rng.randint(2, 9)}",
                                          f"{rng.randint(low, high)}/{rng.randint(2, 9)}"])
    any_or = lambda low, high, stars: rng.choice(stars + [fixed(low, high)])
    return " ".join([any_or(0, 59, ["0", "30", "*", "*/7", "*/15"]), any_or(0, 23, ["*", "0", "1", "2", "2", "3", "*/2", "23"]),
                     any_or(1, 28, ["*", "*", "*", "L", "*/5", "1"]), any_or(1, 12, ["*", "*", "*", "3,4,10,11", "mar", "OCT-dec"]),
                     any_or(0, 7, ["*", "*", "*", "mon-fri", "0", "7", "sun", "sat#1", "5L", "*/3"])])


def expected(cron, zone, after, count):
    """In UTC, without the repeats that cronsim has when several times were skipped at once."""
    times = (time.astimezone(UTC) for time in CronSim(cron, after.astimezone(zoneinfo.ZoneInfo(zone))))
    return list(itertools.islice((time for time, _ in itertools.groupby(times)), count))


def in_whole_hours(zone, times):
    """cronsim steps by hours of UTC, and loses its way where the offset changes by less."""
    place = zoneinfo.ZoneInfo(zone)
    span = range(int((times[-1] - times[0]).total_seconds() // 86400) + 3)
    offsets = {(times[0] + datetime.timedelta(days=day - 1)).astimezone(place).utcoffset() for day in span}
    return len({offset % datetime.timedelta(hours=1) for offset in offsets}) == 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=4000 if os.environ.get("PLIMSOLL_LONG_TESTS") else 400)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9) if os.environ.get("PLIMSOLL_LONG_TESTS") else 1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    compared = 0
    for case in range(arguments.cases):
        cron, zone = expression(rng), rng.choice(ZONES)
        # At noon UTC no zone of these changes its clocks: there is no doubt about the beginning.
        after = datetime.datetime(rng.randint(1999, 2120), rng.randint(1, 12), rng.randint(1, 28), 12, tzinfo=UTC)
        count = rng.choice([1, 10, 300])
        try:
            wanted = expected(cron, zone, after, count)
        except Exception as error:  # cronsim refuses days that never come
            wanted = error
        if isinstance(wanted, Exception) or not wanted:
            continue
        if not in_whole_hours(zone, [after, *wanted]):
            continue
        # Both give up after about 50 years.
        near = lambda times: [time for time in times if time - after < datetime.timedelta(days=49 * 365)]
        wanted, have = near(wanted), near(found(cron, zone, after, count))
        compared += len(wanted)
        if have != wanted:
            first = next((pair for pair in itertools.zip_longest(wanted, have) if pair[0] != pair[1]))
            sys.exit(f"seed {arguments.seed}, case {case}: {cron!r} in {zone} after {after}: cronsim says {first[0]}, plimsoll {first[1]}")
    print(f"{compared} due times are equal (seed {arguments.seed})")
    if compared < 10 * arguments.cases:
        sys.exit("too few were compared")


main()
