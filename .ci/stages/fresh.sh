.ci/fresh/run.sh "$work/fresh"
