"""The command line: one file per verb, no logic of its own."""


def main() -> None:
    """Entry point of `pliant`."""
