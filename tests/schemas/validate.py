#!/usr/bin/env python3
"""Checks JSON documents against a schema of docs/schemas.

    tests/schemas/validate.py SCHEMA.json FILE...

Knows what these schemas use of JSON Schema (draft 2020-12): type, enum, properties, required,
additionalProperties, patternProperties, items, minItems, maxItems, anyOf, $ref into $defs. Any other
word in a schema is an error, so that none is thought to be checked and is not.
Exit status: 1 with `FILE: place: what is wrong` for each document that does not fit.
"""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}
REMARKS = {"$schema", "$id", "$defs", "title", "description"}
KNOWN = REMARKS | {"type", "enum", "properties", "required", "additionalProperties", "patternProperties",
                   "items", "minItems", "maxItems", "anyOf", "$ref"}


def is_a(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def object_errors(value, schema, root, place):
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{place}: no {key!r}"
    for key, member in value.items():
        rules = [schema["properties"][key]] if key in schema.get("properties", {}) else []
        rules += [rule for pattern, rule in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
        if not rules and schema.get("additionalProperties", True) is False:
            yield f"{place}: {key!r} is not in the schema"
        for rule in rules:
            yield from errors(member, rule, root, f"{place}.{key}")


def array_errors(value, schema, root, place):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place}: {len(value)} items"
    for number, item in enumerate(value):
        yield from errors(item, schema.get("items", {}), root, f"{place}[{number}]")


def errors(value, schema, root, place="$"):
    """What of a value does not fit."""
    if unknown := set(schema) - KNOWN:
        raise SystemExit(f"the validator does not know {sorted(unknown)}")
    if "$ref" in schema:
        yield from errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, place)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_a(value, name) for name in types):
        yield f"{place}: {json.dumps(value)[:60]} is no {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "anyOf" in schema and not any(not list(errors(value, rule, root, place)) for rule in schema["anyOf"]):
        yield f"{place}: fits none of the alternatives"
    if isinstance(value, dict):
        yield from object_errors(value, schema, root, place)
    elif isinstance(value, list):
        yield from array_errors(value, schema, root, place)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    status = 0
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            found = list(errors(json.load(file), schema, schema))
        for text in found[:10]:
            print(f"{name}: {text}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
