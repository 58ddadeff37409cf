"""Prints the contract in the form that OpenAPI Generator needs for a language.

rust: unions have no discriminator. With one, the generator writes `kind` twice and cannot read it; without, each
variant's `kind` still tells it apart. Entries of lists that may be null are any JSON, because the generator ignores that
they may.
cpp-restsdk: unions that are read are plain objects, since the code that reads a union does not compile; and file
downloads have no error responses, because the generator would use their type instead of the file's (errors are thrown
anyway).
"""

import json
import sys


def without_discriminators(node):
    if isinstance(node, dict):
        node.pop("discriminator", None)
        for value in node.values():
            without_discriminators(value)
    elif isinstance(node, list):
        for value in node:
            without_discriminators(value)


def with_any_entries(node):
    if isinstance(node, dict):
        if node.get("type") == "array" and node["items"].get("nullable"):
            node["items"] = {}
        for value in node.values():
            with_any_entries(value)
    elif isinstance(node, list):
        for value in node:
            with_any_entries(value)


def for_rust(document):
    without_discriminators(document)
    with_any_entries(document)


def read_as_objects(document):
    """Unions remain in request bodies, which are only written."""
    schemas = document["components"]["schemas"]
    unions = {f"#/components/schemas/{name}" for name, schema in schemas.items() if "oneOf" in schema}

    def replace(node):
        if isinstance(node, dict):
            if node.get("$ref") in unions:
                node.clear()
                node["type"] = "object"
            for key, value in node.items():
                if key not in ("requestBody", "oneOf"):
                    replace(value)
        elif isinstance(node, list):
            for value in node:
                replace(value)

    replace(document)


def files_only(document):
    for operation in (part for path in document["paths"].values() for part in path.values() if isinstance(part, dict)):
        responses = operation["responses"]
        media = responses.get("200", {}).get("content", {})
        if any(content["schema"].get("format") == "binary" for content in media.values()):
            operation["responses"] = {"200": responses["200"]}


def for_cpp(document):
    read_as_objects(document)
    files_only(document)


contract = json.load(sys.stdin)
adapt = {"rust": for_rust, "cpp-restsdk": for_cpp}.get(sys.argv[1])
if adapt:
    adapt(contract)
json.dump(contract, sys.stdout)
