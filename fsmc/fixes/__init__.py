"""Ways to mend findings, as edits of the text: comments, order and layout stay.

``catalogue`` knows which finding has which fix, ``surgery`` cuts entries out of a text, ``mending`` applies fixes round by round.
"""
