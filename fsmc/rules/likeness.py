"""Names that a reader takes for one: equal but for case, look-alike letters of other alphabets, or invisible
characters.
"""

from __future__ import annotations

from collections.abc import Collection

# Letters that are drawn like Latin ones, and those; after Unicode's confusables table (UTS 39).
_LETTERS = (
    ("АВЕНІЈКМОРЅТУХԜԚ", "ABEHIJKMOPSTYXWQ"),  # Cyrillic
    ("авеһніјкморѕтухԝԛԁ", "abehhijkmopstyxwqd"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),  # noqa: RUF001  Greek
    ("αικνορτυχγ", "aikvoptuxy"),
)
_ALPHABETS = {ord(letter): latin for letters, latins in _LETTERS for letter, latin in zip(letters, latins, strict=True)}
_DIGITS = str.maketrans("0", "o")
# Drawn alike only as written: a small l, a capital I and a one.
_STROKES = str.maketrans("1I|", "lll")


def likenesses(names: Collection[str]) -> list[tuple[str, str]]:
    """Pairs of different names that look alike: each name with the first one before it that it resembles."""
    if len(names) < 2:
        return []
    # All names as one text: that is ten times quicker, and a name holds no line feed.
    text = "\n".join(names)
    skeletons = (_folded(text).split("\n"), text.translate(_STROKES).split("\n"))
    if all(len(set(skeleton)) == len(names) for skeleton in skeletons):
        return []
    first: tuple[dict[str, str], dict[str, str]] = ({}, {})
    pairs = []
    for name, *forms in zip(names, *skeletons, strict=True):
        others = [known.setdefault(form, name) for known, form in zip(first, forms, strict=True)]
        other = next((other for other in others if other != name), None)
        if other is not None:
            pairs.append((other, name))
    return pairs


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower().translate(_DIGITS)
    import unicodedata  # only a policy with other names pays for the import

    text = unicodedata.normalize("NFKC", text).translate(_ALPHABETS)
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold()).translate(_DIGITS)
