"""Asks a Plimsoll server which batch fits, using only Python's standard library: estimate.py PRESET GPU [GPU ...]

Needs PLIMSOLL_SERVER and PLIMSOLL_TOKEN.
"""

import json
import os
import sys
import urllib.error
import urllib.request


def estimate(args):
    """The summary of a training-config job with these arguments, without a job."""
    request = urllib.request.Request(
        os.environ["PLIMSOLL_SERVER"].rstrip("/") + "/v1/estimates",
        json.dumps({"kind": "training-config", "args": args}).encode(),
        {"Authorization": "Bearer " + os.environ["PLIMSOLL_TOKEN"], "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["summary"]
    except urllib.error.HTTPError as refused:
        problem = json.load(refused)
        for error in problem.get("errors", []):
            print(error.get("pointer"), error.get("detail"), file=sys.stderr)
        sys.exit(f"{problem['status']} {problem['title']}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    preset, cards = sys.argv[1], sys.argv[2:]
    summary = estimate({"model": {"preset": preset}, "gpus": cards, "what_ifs": False})
    for card in summary["gpus"]:
        used = card["memory"]["device_used_bytes"] / 2**30
        print(f"{card['gpu']['id']}: fits {card['fits']}, batch {card['batch']} of at most {card['max_batch']}, "
              f"{used:.1f} GiB. {card['batch_why']}")
    for comparison in summary["comparisons"]:
        print(f"From {comparison['from']} to {comparison['to']}:")
        for change in comparison["changes"]:
            print(f"  {change['setting']}: {change['from']:g} -> {change['to']:g}")


if __name__ == "__main__":
    main()
