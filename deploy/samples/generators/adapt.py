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


def objects_in(node):
    if isinstance(node, dict):
        yield node
        node = node.values()
    elif not isinstance(node, list):
        return
    for value in node:
        yield from objects_in(value)


def for_rust(document):
    """Without discriminators, and with entries of any type where they may be null."""
    for one in objects_in(document):
        one.pop("discriminator", None)
        if one.get("type") == "array" and one["items"].get("nullable"):
            one["items"] = {}


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
