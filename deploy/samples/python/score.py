"""Scores a few headlines with the generated client and prints the best news first."""

import os
import sys

import httpx
from plimsoll_client import AuthenticatedClient
from plimsoll_client.api.jobs import create_job, get_job, get_job_results
from plimsoll_client.models import Problem, SentimentArgs, SentimentItem, SentimentJobSpec

HEADLINES = {
    "h-1": "Shares soar after a brilliant quarter!",
    "h-2": "The harbour strike is a disaster for exporters.",
    "h-3": "The ferry leaves at nine.",
}
ENDED = ("succeeded", "failed", "cancelled")


def must(answer):
    """Returns the response, or raises if it is a problem (RFC 9457)."""
    if isinstance(answer, Problem):
        for error in answer.errors or []:
            print(error.pointer or error.parameter, error.detail, file=sys.stderr)
        sys.exit(f"{answer.status} {answer.title}: {answer.detail} ({answer.request_id})")
    return answer


def main():
    client = AuthenticatedClient(
        os.environ["PLIMSOLL_SERVER"],
        os.environ["PLIMSOLL_TOKEN"],
        timeout=httpx.Timeout(90),  # longer than the longest wait below
    )
    items = [SentimentItem(text, custom_id) for custom_id, text in HEADLINES.items()]
    spec = SentimentJobSpec(kind="sentiment", args=SentimentArgs(items=items))
    job = must(create_job.sync(client=client, body=spec))
    while job.state not in ENDED:
        job = must(get_job.sync(job.id, client=client, wait=60))
    if job.state != "succeeded":
        sys.exit(f"{job.id} {job.state}: {job.error}")
    rows = must(get_job_results.sync(job.id, client=client)).items
    for row in sorted((row for row in rows if row.error is None), key=lambda row: -row.compound):
        print(f"{row.compound:+.4f}  {row.custom_id}  {HEADLINES[row.custom_id]}")


if __name__ == "__main__":
    main()
