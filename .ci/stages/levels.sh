# Constant time and wiping, with several compilers and levels of optimization.

status=0
if [ "$FULL" ]; then
    c/tests/ct/levels.sh "$work/levels" || status=1
else
    LEVELS=O3 c/tests/ct/levels.sh "$work/levels" || status=1
fi
python3 -m venv "$work/venv"
retry "$work/venv/bin/pip" install --quiet ziglang
"$work/venv/bin/python" c/tests/ct/masks.py "$work/masks" || status=1
return $status
