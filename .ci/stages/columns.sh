# rijn.columns beside the packages whose columns it takes.

retry make .venv/.test .venv/.columns
make columns-test
