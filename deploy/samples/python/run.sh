#!/usr/bin/env bash
# Makes plimsoll_client, a typed Python client (3.11 or newer), from a running server, and uses it.
set -euo pipefail

python3 -m venv .venv && . .venv/bin/activate
pip install openapi-python-client==0.29.1
openapi-python-client generate --url "$PLIMSOLL_SERVER/openapi-3.1.json" \
    --meta none --output-path plimsoll_client --overwrite
python score.py
