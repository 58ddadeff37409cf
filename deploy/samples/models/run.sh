#!/usr/bin/env bash
# A model from its files to scores, without a network. Start it in this folder on the machine where
# workers run; PLIMSOLL names the program if it is not in PATH.
set -euo pipefail
plimsoll=${PLIMSOLL:-plimsoll}

./make_tiny_model.py /tmp/tiny-model
"$plimsoll" model add /tmp/tiny-model --name tiny --source deploy/samples/models
until "$plimsoll" --json model list --pool | grep -q '"tiny"'; do sleep 1; done   # workers look every 5 s
"$plimsoll" submit sentiment ../headlines.jsonl --set model=tiny --watch
"$plimsoll" model verify tiny
