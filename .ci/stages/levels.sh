# Constant time and wiping, with several compilers and levels of optimization. Without --full: clang at -O3,
# for make test has examined that level of gcc.

status=0
if [ "$FULL" ]; then
    c/tests/ct/levels.sh "$work/levels" || status=1
else
    COMPILERS=clang LEVELS=O3 c/tests/ct/levels.sh "$work/levels" || status=1
fi
python3 -m venv "$work/venv"
retry "$work/venv/bin/pip" install --quiet ziglang
"$work/venv/bin/python" c/tests/ct/masks.py "$work/masks" || status=1
return $status
