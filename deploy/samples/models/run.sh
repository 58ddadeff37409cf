#!/usr/bin/env bash
# A model from its files to scores, without a network. Start it in this folder on the machine where
# workers run; PLIMSOLL names the program if it is not in PATH.
set -euo pipefail
plimsoll=${PLIMSOLL:-plimsoll}

./make_tiny_model.py /tmp/tiny-model
"$plimsoll" model add /tmp/tiny-model --name tiny --source deploy/samples/models
"$plimsoll" model list --pool                 # within 10 s its workers offer it
"$plimsoll" submit sentiment ../headlines.jsonl --set model=tiny --watch
"$plimsoll" model verify tiny
