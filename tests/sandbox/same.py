"""Compares values with their types."""


def same(a: object, b: object) -> bool:
    """Equal and of the same types all the way down."""
    return repr_of(a) == repr_of(b)


def repr_of(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [repr_of(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted((repr_of(item) for item in value), key=repr)
    if isinstance(value, dict):
        return "dict", sorted(((repr_of(key), repr_of(item)) for key, item in value.items()), key=repr)
    return type(value).__name__, repr(value)
