# The jars for Spark SQL, over the same librijn as other stages. Their tests run in Java, and on Spark 4 in
# PySpark and spark-sql; with --full also on Spark 3.5.

missing=()
for package in maven:mvn openjdk-17-jdk-headless:javac; do
    command -v "${package#*:}" >/dev/null || missing+=("${package%:*}")
done
[ ${#missing[@]} -eq 0 ] ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends "${missing[@]}"
retry make .venv/.test .venv/.spark
retry make jar # what was fetched and built stays
make jar-test
if [ "$FULL" ]; then
    retry .venv/bin/pip install --quiet --upgrade --target "$work/spark-3.5" pyspark==3.5.9
    PYTHONPATH="$work/spark-3.5" .venv/bin/python integrations/spark/check.py build/jar rijn.columns spark-sql \
        "rijn columns"
fi
