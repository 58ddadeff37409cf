"""`plimsoll schedules next` against the main loop of Debian's cron (cron.c of 3.0pl1-162), minute by minute around changes of
clocks: at midnight, by half hours, by two hours, and at odd minutes, where cronsim fails. What that loop does when the
clock, a minute later, does not show the next minute:
  3 hours or less, but more than 5 minutes ahead: jobs with wildcards run for the time shown; jobs with fixed times for every
    time that was skipped.
  5 minutes ahead or less: everything runs for every time that was skipped.
  less than 3 hours back: jobs with wildcards run by what clocks show; jobs with fixed times only when clocks are ahead again.
  further: the clock was set, and nothing is made up for.
A wildcard is a minute or an hour that begins with an asterisk (MIN_STAR, HR_STAR in entry.c), */15 as well.
"""

import argparse
import datetime
import random
import sys
import zoneinfo

from cronsim import CronSim
from schedules_next import found

UTC = datetime.timezone.utc
ZONES = ["America/Havana", "Asia/Beirut", "America/St_Johns", "America/Sao_Paulo", "Asia/Tehran", "Australia/Lord_Howe", "Antarctica/Troll",
         "Europe/Berlin", "America/Asuncion", "Africa/Cairo", "Africa/Casablanca", "Asia/Gaza", "Asia/Pyongyang", "America/Caracas",
         "Pacific/Chatham"]
HOURS = 3


def offset(place, at):
    return int(datetime.datetime.fromtimestamp(at, place).utcoffset().total_seconds())


def changes(zone):
    """The minutes from 1999 to 2060 at which clocks change there."""
    place, found_at = zoneinfo.ZoneInfo(zone), []
    day = int(datetime.datetime(1999, 1, 1, tzinfo=UTC).timestamp())
    end = int(datetime.datetime(2060, 1, 1, tzinfo=UTC).timestamp())
    while day < end:
        low, high = day, day + 86400
        if offset(place, low) != offset(place, high):
            while high - low > 60:
                middle = (low + high) // 120 * 60
                low, high = (middle, high) if offset(place, middle) == offset(place, low) else (low, middle)
            found_at.append(high)
        day += 86400
    return found_at


def debian(cron, zone, begin, end):
    """Times in (begin, end) at which the job runs."""
    place, parsed = zoneinfo.ZoneInfo(zone), CronSim(cron, datetime.datetime(2000, 1, 1))
    wild = any(field.startswith("*") for field in cron.split()[:2])
    shown = lambda at: (at + offset(place, at)) // 60
    due = lambda minute: minute % 60 in parsed.minutes and minute // 60 % 24 in parsed.hours
    virtual, times = shown(begin), []
    for at in range(begin + 60, end, 60):
        running = shown(at)
        ahead = running - virtual
        if ahead > 60 * HOURS or ahead <= -60 * HOURS:
            minutes, virtual = [running], running
        elif ahead > 5:
            minutes, virtual = [running] if wild else range(virtual + 1, running + 1), running
        elif ahead > 0:
            minutes, virtual = range(virtual + 1, running + 1), running
        else:
            minutes = [running] if wild else []
        if any(due(minute) for minute in minutes):
            times.append(at)
    return [datetime.datetime.fromtimestamp(at, UTC) for at in times]


def expression(rng):
    minute = rng.choice(["0", "1", "30", "59", "*", "*/7", "*/30", "0-30/10", "15,45", str(rng.randint(0, 59))])
    hour = rng.choice(["*", "*/2", "0", "0", "1", "2", "3", "23", "0-3", "22-23", str(rng.randint(0, 23))])
    return f"{minute} {hour} * * *"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    at = {zone: changes(zone) for zone in ZONES}
    compared = 0
    for case in range(given.cases):
        zone, cron = rng.choice(ZONES), expression(rng)
        change = rng.choice(at[zone])
        begin = change - rng.randint(3, 26) * 3600
        wanted = debian(cron, zone, begin, change + 26 * 3600)
        if not wanted:
            continue
        have = found(cron, zone, datetime.datetime.fromtimestamp(begin, UTC), min(300, len(wanted)))
        compared += len(have)
        if have != wanted[:300]:
            first = next(pair for pair in zip(wanted, have) if pair[0] != pair[1])
            sys.exit(f"seed {given.seed}, case {case}: {cron!r} in {zone} from {begin}: Debian's cron has {first[0]}, plimsoll {first[1]}")
    print(f"{compared} due times around changes of clocks are those of Debian's cron (seed {given.seed})")
    if compared < 5 * given.cases:
        sys.exit("too few were compared")


main()
