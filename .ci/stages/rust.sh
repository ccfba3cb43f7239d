# The crate: format, clippy, tests, the examples in its documentation. With --full also the peers and a
# build of the package.

cargo_and_rustc
export CARGO_TARGET_DIR=$root/build/crate
if command -v ccache >/dev/null; then
    export CC="ccache ${CC:-cc}"
fi
status=0
retry make crate
cd rust

lint() { # TOOL ARGUMENT...: a part of Rust that Debian packages apart
    if ! cargo "$1" --version >/dev/null 2>&1; then
        echo "SKIPPED cargo $1: this Rust does not have it"
    elif cargo "$@"; then
        echo "PASSED cargo $*"
    else
        echo "FAILED cargo $*"
        status=1
    fi
}
lint fmt --check
lint clippy --all-targets --features chunked,getrandom,std,zeroize -- -D warnings
lint clippy --all-targets --no-default-features -- -D warnings
make -C .. crate-test || status=1

# Programs for other targets must link, where Rust and a C compiler for them are installed.
links() { # TARGET COMPILER
    folder=$(rustc --print sysroot)/lib/rustlib/$1
    if ! [ -d "$folder" ] || ! command -v "$2" >/dev/null; then
        echo "SKIPPED linking for $1: it needs rustup target add $1, and $2"
    elif env -u CC cargo build --manifest-path links/Cargo.toml --target "$1"; then
        echo "PASSED linking for $1"
    else
        echo "FAILED linking for $1"
        status=1
    fi
}
links thumbv7em-none-eabi arm-none-eabi-gcc
links x86_64-pc-windows-gnu x86_64-w64-mingw32-gcc

# Debian 13 has Rust 1.85, the oldest that the crate supports. Its i386 packages have 32-bit words.
oldest() { # COMMAND OPTION...: runs cargo there
    local folder=$work/rust-i386
    . "$root/python/tests/debian.sh"
    debian_root "$folder" trixie i386 extract cargo,coreutils,gcc,libc6-dev --skip=check/qemu &&
        mkdir -p "$folder/rijn/rust/.cargo" &&
        cp -r "$root/vectors" "$folder/rijn" &&
        tar --exclude=./peers --exclude=target -c . | tar -C "$folder/rijn/rust" -x &&
        cargo vendor --locked --sync links/Cargo.toml "$folder/rijn/vendor" |
        sed "s|$folder||" >"$folder/rijn/rust/.cargo/config.toml" &&
        debian_inside "$folder" root env -i --chdir=/rijn/rust PATH=/usr/bin:/bin HOME=/root \
            CC=gcc CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=gcc \
            cargo "$1" --offline --locked "${@:2}" &&
        echo "PASSED cargo $1 with Rust 1.85 for i386"
}
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    echo "SKIPPED Rust 1.85 and 32 bits: they need root and mmdebstrap on x86-64"
elif [ "$FULL" ]; then
    oldest test --features chunked,getrandom,std,zeroize || status=1
else
    oldest run --manifest-path links/Cargo.toml || status=1
fi

if [ "$FULL" ]; then
    cargo publish --dry-run --allow-dirty && echo "PASSED cargo publish --dry-run" || status=1
    cd peers
    lint fmt --check
    lint clippy --release --all-targets -- -D warnings
    cargo test --release || status=1
    cargo run --release --example loopback -- 64 1 && echo "PASSED loopback" || status=1
    cargo bench -- --test && echo "PASSED cargo bench" || status=1
fi
return $status
