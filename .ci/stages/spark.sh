# Rijn.spark on Apache Spark, two executors among others.

command -v java >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends openjdk-17-jre-headless
retry make .venv/.test .venv/.spark
make spark-test
