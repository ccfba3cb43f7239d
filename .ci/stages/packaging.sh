# Packages of librijn by the recipes of c/packaging.

retry apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends debhelper lintian autopkgtest
python3 -m venv "$work/packagers"
retry "$work/packagers/bin/pip" install --quiet conan platformio idf-component-manager
make amalgamation
PATH=$work/packagers/bin:$PATH c/packaging/check.sh build/amalgamation "$work/packaging"
