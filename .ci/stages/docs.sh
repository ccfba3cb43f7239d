retry make .venv/.docs
make docs
echo "PASSED make docs"
