# The npm package in Node, Deno, Bun and Chromium.

missing=()
for package in nodejs npm chromium; do
    command -v "${package/nodejs/node}" >/dev/null || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends "${missing[@]}"
retry make .venv/.test npm
make npm-test
