"""The floor that applications stand on: the frozen table, the pure step, sessions and decisions. Standard library only."""
