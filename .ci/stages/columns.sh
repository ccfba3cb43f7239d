# Tests rijn.columns beside the packages whose columns it accepts.

retry make .venv/.test .venv/.columns
make columns-test
