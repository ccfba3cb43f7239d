# The Debian packages that the other stages need.

packages=(
    build-essential ccache cmake git python3-dev python3-venv pkg-config
    clang clang-format clang-16 clang-19 libclang-rt-19-dev valgrind
    libbearssl-dev libipsec-mb-dev libsodium-dev libssl-dev # peers of the benchmark
    qemu-user
    mmdebstrap # a bare system, other Pythons
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
    gcc-i686-linux-gnu libc6-dev-i386-cross
    gcc-mingw-w64-x86-64-win32 gcc-mingw-w64-i686-win32
    gcc-arm-none-eabi qemu-system-arm # small machines
)

retry apt-get -o Acquire::Retries=3 update -q
retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends "${packages[@]}"
