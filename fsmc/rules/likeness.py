"""Names that a reader takes for one: equal but for case, look-alike letters of other alphabets, or invisible characters."""

from __future__ import annotations

from collections.abc import Collection

# Letters that are drawn like Latin ones, after Unicode's confusables table (UTS 39): what they are, what they look like.
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
    first: dict[str, str] = {}
    pairs = []
    for name in names:
        folded = _folded(name)
        strokes = name.translate(_STROKES)
        other = first.get(folded) or first.get("\n" + strokes)
        if other is not None:
            pairs.append((other, name))
        first.setdefault(folded, name)
        first.setdefault("\n" + strokes, name)  # no name holds a line feed, so the two kinds of key stay apart
    return pairs


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower().translate(_DIGITS)
    import unicodedata  # only a policy with other names pays for the import

    text = unicodedata.normalize("NFKC", name).translate(_ALPHABETS)
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold()).translate(_DIGITS)
