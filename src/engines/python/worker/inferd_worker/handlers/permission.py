"""Files that run their author's code when they are read."""

ADVICE = ("start the server with --allow-pickle REPOSITORY (a folder of models), --allow-pickle MODEL or --allow-pickle all if you "
          "trust those who made it")


def require_pickle(load, path, what="a pickle, which runs code of its author's when it is read"):
    """Call before a file is unpickled. Raises PermissionError if the operator has not allowed it."""
    if not load.may_unpickle:
        raise PermissionError(f"'{path}' is {what}: {ADVICE}")
