#!/usr/bin/env bash
# Creates a model, installs it and scores texts with it, without a network. Run it in this folder, on a machine with
# workers; set PLIMSOLL to the program if it is not in PATH.
set -euo pipefail
plimsoll=${PLIMSOLL:-plimsoll}

./make_tiny_model.py /tmp/tiny-model
"$plimsoll" model add /tmp/tiny-model --name tiny --source deploy/samples/models
until "$plimsoll" --json model list --pool | grep -q '"tiny"'; do sleep 1; done   # workers look every 5 s
"$plimsoll" submit sentiment ../headlines.jsonl --set model=tiny --watch
"$plimsoll" model verify tiny
