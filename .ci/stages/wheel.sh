# Installs Rijn as users do, from the source distribution.

retry make .venv/.test
.venv/bin/python python/tests/wheel/check.py "$work/wheel"
retry .venv/bin/python python/tests/wheel/readme.py "$work/readme" ${FULL:+--full}
