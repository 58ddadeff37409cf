#!/usr/bin/env bash
# Counts waves in daily closes of four indices, and compares every score with chance.
set -euo pipefail

# The same without a server: plimsoll waves ../european_closes.csv --set days=500 --set surrogates=100
plimsoll submit waves ../european_closes.csv --set days=500 --set surrogates=100 --watch
