"""The one exception of this package: a file that cannot be read at all."""

from fsmc.runtime.errors import FsmcError


class SourceError(FsmcError):
    """A file could not be read: missing, not a file, not permitted, or no parser for it here.

    Whatever is wrong inside a file is not an exception but a `Problem` of its `Document`.
    """
