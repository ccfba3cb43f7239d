# The npm package in Node, Deno, Bun and Chromium.

node_and_chromium
retry make .venv/.test npm
make npm-test
