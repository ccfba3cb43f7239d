python3 -m venv "$work/venv"
retry "$work/venv/bin/pip" install --quiet ziglang wasmtime
"$work/venv/bin/python" .ci/wasm.py "$work/wasm"
# Code that asks macOS and Windows for the features of an Arm processor.
for system in macos windows-gnu; do
    "$work/venv/bin/python" -m ziglang cc -target "aarch64-$system" -std=c11 -Wall -Wextra \
        -Wpedantic -Wconversion -Werror -Ic/include -Ic/src -c c/src/cpu.c -o "$work/cpu-$system.o"
    echo "PASSED cpu.c of aarch64-$system"
done
