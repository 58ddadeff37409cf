#!/usr/bin/env bash
# Uploads and applies a policy, and compares models on labelled texts.
set -euo pipefail

# The model for each text, now and over the next days, without a job.
plimsoll policy set desk policy.json
plimsoll policy preview desk --source reuters --at 2026-03-02T15:30:00Z --days 1

# Texts with a time and a source, and a few without a job.
plimsoll submit sentiment news.csv --set policy=desk --column time=time --column source=source --watch
plimsoll score "Orrery plunges after a terrible warning on profit" --policy desk --source businesswire

# Compare all models of the workers on the same texts; texts on which they disagree are written to a file for labelling.
plimsoll compare-models news.csv --disagreements to-label.jsonl

# The policy's usage in 24 hours, compared with one fixed model.
plimsoll policy report
