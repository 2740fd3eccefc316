"""Commands that print ratios, measured in one run against named peers."""
