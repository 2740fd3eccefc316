"""What a project wants lint to report: the settings in ``pyproject.toml`` and ``fsmc.toml``.

``reading`` turns a file into ``model.Settings``, ``lookup`` finds the file that is nearest to a policy, ``selectors`` knows which
rules a code, a prefix or a name means, and ``scope`` applies all that to findings.
"""
