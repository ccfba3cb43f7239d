# Builds the release of a tag that this stage makes in a clone, and installs it from an index in bare
# systems. Without --full: the parts that compile nothing, and one wheel, in one system.

cargo_and_rustc
retry make .venv/.test .venv/.wheels
python=$root/.venv/bin/python source=$work/release-source
rm -rf "$source" "$work/release" "$work/release-wheels" "$work/librijn" "$work/one-file" "$work/packaged"
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
    systems=(bookworm trixie sid pypy free-threaded musl)
else
    "$python" "$source/tools/release.py" "$work/release" c amalgamation crate sdist wheels bench shim --wheels pure
    # Of these sources: the wheel of the stage wheels tells users to install from a checkout.
    "$python" "$source/python/tools/wheels.py" "$work/release-wheels" manylinux-x86_64
    cp "$work"/release-wheels/manylinux-x86_64/*.whl "$work/release/dist"
    systems=(bookworm)
fi
"$python" -m pytest -q tools/tests/test_release.py
(
    cd "$work/release/dist"
    sha256sum --quiet --check SHA256SUMS
    mapfile -t table < <(sed -n 's/^| \(`.*`\) |.*/\1/p' "$root/RELEASING.md" | grep -o '`[^`]*`' | tr -d '`')
    for file in *; do
        named=
        for pattern in "${table[@]}"; do
            [[ $file != $pattern ]] || named=1
        done
        [ "$named" ] || { echo "RELEASING.md does not name $file"; exit 1; }
    done
)
echo "PASSED make release"

# The C archive, as its README says, with one backend.
mkdir "$work/librijn"
tar xf "$work"/release/dist/librijn-[0-9]*.tar.gz -C "$work/librijn" --strip-components=1
(
    cd "$work/librijn"
    cmake -B build -DRIJN_BACKENDS=fixslice64 -DRIJN_BUILD_TESTS=OFF
    make -C build -j"$(nproc)" install DESTDIR="$work/librijn/root"
    cc examples/seal.c -o seal -Iroot/usr/local/include root/usr/local/lib/librijn.a
    ./seal
)
echo "PASSED librijn"

# The single file, as docs/c.md says.
mkdir "$work/one-file"
tar xf "$work"/release/dist/librijn-amalgamation-*.tar.gz -C "$work/one-file" --strip-components=1
(
    cd "$work/one-file"
    cc -O2 -c rijn-portable.c
    cc "$root/c/examples/seal.c" -o seal -I. rijn-portable.o
    ./seal
)
echo "PASSED librijn-amalgamation"

# The crate, from its file. The stage rust tests it.
mkdir "$work/packaged"
tar xf "$work"/release/dist/rijn-*.crate -C "$work/packaged" --strip-components=1
for name in rijn.h rijn.c rijn-portable.c; do
    cmp "$work/one-file/$name" "$work/packaged/c/$name"
done
(cd "$work/packaged" && CARGO_TARGET_DIR=$work/packaged/target cargo build --no-default-features)
echo "PASSED the crate"

"$python" python/tests/wheel/index.py "$work/release/dist" "$work/index" "${systems[@]}"
