#!/usr/bin/env bash
# Submits a job, waits for it and reads its report and results, using only curl.
set -euo pipefail

# Submit. The response's Location is the job's URL. Repeating the key creates no second job.
job=$(curl -sS --fail-with-body -o job.json -w '%header{location}' "$PLIMSOLL_SERVER/v1/jobs" \
    -H "Authorization: Bearer $PLIMSOLL_TOKEN" -H 'Content-Type: application/json' \
    -H 'Idempotency-Key: my-first-job' \
    -d '{"kind": "sentiment", "args": {"texts": ["Shares soar after a brilliant quarter!"]}}')

# Wait. Each call returns when the job has finished, or after a minute.
while curl -sS --fail-with-body "$PLIMSOLL_SERVER$job?wait=60" -H "Authorization: Bearer $PLIMSOLL_TOKEN" |
    grep -Eq '"state": ?"(queued|running|cancelling)"'; do :; done

# Read the report, and the results as CSV (results: JSON; results.jsonl: one line per row).
curl -sS --fail-with-body "$PLIMSOLL_SERVER$job/report" -H "Authorization: Bearer $PLIMSOLL_TOKEN"
echo
curl -sS --fail-with-body "$PLIMSOLL_SERVER$job/results.csv" -H "Authorization: Bearer $PLIMSOLL_TOKEN"
