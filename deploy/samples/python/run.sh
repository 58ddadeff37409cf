#!/usr/bin/env bash
# Generates plimsoll_client, a typed Python client (3.11 or newer), from a running server and uses it.
set -euo pipefail

python3 -m venv .venv && . .venv/bin/activate
pip install openapi-python-client==0.29.1
# Enums as plain strings, and file downloads, which the generator would omit.
echo '{"literal_enums": true, "content_type_overrides": {"application/x-ndjson": "application/octet-stream", "text/csv": "application/octet-stream",
    "image/svg+xml": "application/octet-stream", "image/png": "application/octet-stream",
    "application/yaml": "application/octet-stream"}}' >generator.json
openapi-python-client generate --url "$PLIMSOLL_SERVER/openapi-3.1.json" --config generator.json \
    --meta none --output-path plimsoll_client --overwrite
python score.py
