#!/usr/bin/env bash
# Generates the API's types from a running server and uses them with openapi-fetch (Node 22.18 or newer).
set -euo pipefail

npm install openapi-fetch@0.17 openapi-typescript@7 typescript@5 @types/node@22
npx openapi-typescript "$PLIMSOLL_SERVER/openapi.json" --default-non-nullable false --output plimsoll.d.ts
npx tsc --noEmit --strict --module nodenext score.mts
node score.mts
