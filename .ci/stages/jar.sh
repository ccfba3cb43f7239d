# The jar for Spark SQL, over the same librijn as other stages. Its tests run in Java, PySpark and
# spark-sql.

missing=()
for package in maven:mvn openjdk-17-jdk-headless:javac; do
    command -v "${package#*:}" >/dev/null || missing+=("${package%:*}")
done
[ ${#missing[@]} -eq 0 ] ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends "${missing[@]}"
retry make .venv/.test .venv/.spark
retry make jar # what was fetched and built stays
make jar-test
