.ci/fresh/run.sh "$work/fresh" ${FULL:+--full}
