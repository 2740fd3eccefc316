"""The one exception of this package: an input that cannot be read at all."""

from fsmc.runtime.errors import FsmcError


class InputError(FsmcError):
    """An input cannot be read, or a result written: missing, not a file, not permitted, nothing of that name.

    Whatever is wrong inside a file is not an exception but a `Problem` of its `Document`.
    """
