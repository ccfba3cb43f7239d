"""The tests of the whole tree share the options of the tests of rijn."""

pytest_plugins = ["suite"]
