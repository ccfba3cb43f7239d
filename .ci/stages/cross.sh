# Machines of 32 bits, a big-endian one, and Windows.

status=0
some='vectors modes aegis many streams wipe circuits cpu dispatch registry'
cross s390x s390x-linux-gnu s390x "$some" || status=1 # big-endian
cross arm arm-linux-gnueabihf arm "$some" || status=1
# 32-bit x86 runs on this machine, linked statically
echo "== i686"
suite=(c_part i686 "$(printf 'test_%s ' $some)" "^(${some// /|})(/|\$)")
[ -z "$FULL" ] || suite=(c_suite i686)
"${suite[@]}" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=i686 \
    -DCMAKE_C_COMPILER=i686-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static \
    -DRIJN_WERROR=ON -DRIJN_BUILD_EXAMPLES=OFF || status=1
echo "== windows"
c/tests/unit/windows.sh "$work/windows" || status=1
return $status
