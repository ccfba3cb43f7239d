"""The tests of rijn-bench share the options and fixtures of the tests of rijn."""

from fixtures import columns_server, folder, run

__all__ = ["columns_server", "folder", "run"]

pytest_plugins = ["suite"]
