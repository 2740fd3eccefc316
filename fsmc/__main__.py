"""``python -m fsmc`` is ``fsmc``."""

from fsmc.cli import main

main()
