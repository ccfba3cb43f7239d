"""The error of every proof that fails."""


class Refused(Exception):
    """A proof failed. The message says where."""
