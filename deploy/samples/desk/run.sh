#!/usr/bin/env bash
# A policy from its file to its use, and a comparison of models on labelled texts.
set -euo pipefail

# Which model each text gets, now and on the next days, without a job.
plimsoll policy set desk policy.json
plimsoll policy preview desk --source reuters --at 2026-03-02T15:30:00Z --days 1

# Texts with a time and a source, and a few without a job.
plimsoll submit sentiment news.csv --set policy=desk --column time=time --column source=source --watch
plimsoll score "Orrery plunges after a terrible warning on profit" --policy desk --source businesswire

# All models that workers have, on the same texts; what they disagree on is written for labelling.
plimsoll compare-models news.csv --disagreements to-label.jsonl

# What the policy used in 24 hours, beside one fixed model.
plimsoll policy report
