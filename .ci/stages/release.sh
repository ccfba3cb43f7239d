# Builds the release of a tag that this stage makes in a clone, and installs it from an index in bare
# systems. Without --full: the parts that compile nothing, beside the wheel of the stage wheels, in one
# system.

retry make .venv/.test .venv/.wheels
python=$root/.venv/bin/python source=$work/release-source
rm -rf "$source" "$work/release" "$work/librijn"
git clone --quiet "$root" "$source"
(
    cd "$source"
    tools/install_lines.py --published
    sed -i -E 's/^(## [0-9.]+) - unreleased$/\1 - 2026-01-01/' CHANGELOG.md
    git -c user.name=CI -c user.email=ci@localhost commit --quiet --all --message release
    git tag "v$(sed -n 's/^#define RIJN_VERSION "\(.*\)"/\1/p' c/include/rijn.h)"
)
if [ "$FULL" ]; then
    "$python" "$source/tools/release.py" "$work/release"
    systems=(bookworm trixie sid pypy)
else
    "$python" "$source/tools/release.py" "$work/release" c sdist wheels bench shim --wheels pure
    [ -d "$root/build/wheels/manylinux-x86_64" ] || make wheels WHEELS=manylinux-x86_64
    cp "$root"/build/wheels/manylinux-x86_64/*.whl "$work/release/dist"
    systems=(bookworm)
fi
"$python" -m pytest -q tools/tests/test_release.py
echo "PASSED make release"

# The C archive, as its README says, with one backend.
mkdir "$work/librijn"
tar xf "$work"/release/dist/librijn-*.tar.gz -C "$work/librijn" --strip-components=1
(
    cd "$work/librijn"
    cmake -B build -DRIJN_BACKENDS=fixslice64 -DRIJN_BUILD_TESTS=OFF
    make -C build -j"$(nproc)" install DESTDIR="$work/librijn/root"
    cc examples/seal.c -o seal -Iroot/usr/local/include root/usr/local/lib/librijn.a
    ./seal
)
echo "PASSED librijn"

"$python" python/tests/wheel/index.py "$work/release/dist" "$work/index" "${systems[@]}"
