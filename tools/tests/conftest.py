"""Tests of the whole tree use the options of the tests of rijn."""

pytest_plugins = ["suite"]
