#!/usr/bin/env bash
# Measures VADER on the server's host, pins the report as the team's baseline, and compares a second one with it.
set -euo pipefail

plimsoll profile --mode sentiment --largest-batch 64 --output-dir out/profiling --pin
plimsoll profile --mode sentiment --largest-batch 64 --output-dir out/profiling
