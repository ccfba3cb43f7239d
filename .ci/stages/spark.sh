# rijn.spark on Apache Spark, also with two executors.

command -v java >/dev/null ||
    retry apt-get -o Acquire::Retries=3 install -q -y --no-install-recommends openjdk-17-jre-headless
retry make .venv/.test .venv/.spark
make spark-test
