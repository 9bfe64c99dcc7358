"""Compares an answer's JSON with what a case expects.

An expected string may be a placeholder: "<any>", "<string>", "<number>", "<contains A|B>" (a string with all those parts).
A member "..." of an object allows others beside those named; "..." at the end of a list, further elements.
"""

import json


def parse(text):
    """Strict but for NaN and the infinities: a repeated key is an error."""
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs):
    members = dict(pairs)
    assert len(members) == len(pairs), f"repeated keys: {[key for key, _ in pairs]}"
    return members


def difference(expected, actual, where="$"):
    """What is wrong with `actual`, in words; None if nothing is."""
    if isinstance(expected, str) and expected.startswith("<") and expected.endswith(">"):
        return _placeholder_difference(expected[1:-1], actual, where)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return _object_difference(expected, actual, where)
    if isinstance(expected, list) and isinstance(actual, list):
        return _list_difference(expected, actual, where)
    same_kind = isinstance(expected, bool) == isinstance(actual, bool)
    both_nan = expected != expected and actual != actual
    if same_kind and (expected == actual or both_nan):
        return None
    return f"{where}: expected {expected!r}, got {actual!r}"


def _placeholder_difference(placeholder, actual, where):
    kind, _, argument = placeholder.partition(" ")
    is_number = isinstance(actual, (int, float)) and not isinstance(actual, bool)
    good = {
        "any": lambda: True,
        "string": lambda: isinstance(actual, str),
        "number": lambda: is_number,
        "contains": lambda: isinstance(actual, str) and all(part in actual for part in argument.split("|")),
    }[kind]()
    return None if good else f"{where}: expected <{placeholder}>, got {actual!r}"


def _object_difference(expected, actual, where):
    open_ended = "..." in expected
    names = [name for name in expected if name != "..."]
    missing = [name for name in names if name not in actual]
    extra = [name for name in actual if name not in expected]
    if missing:
        return f"{where}: missing {missing}, got {actual!r}"
    if extra and not open_ended:
        return f"{where}: unexpected {extra}, got {actual!r}"
    return next(filter(None, (difference(expected[name], actual[name], f"{where}.{name}") for name in names)), None)


def _list_difference(expected, actual, where):
    open_ended = expected[-1:] == ["..."]
    wanted = expected[:-1] if open_ended else expected
    if len(actual) < len(wanted) or (len(actual) > len(wanted) and not open_ended):
        return f"{where}: expected {len(wanted)} elements, got {len(actual)}: {actual!r}"
    found = (difference(want, have, f"{where}[{i}]") for i, (want, have) in enumerate(zip(wanted, actual)))
    return next(filter(None, found), None)
