# The npm package bundled by esbuild, Rollup, Vite and webpack, and without a bundler. The sample has
# two versions of Node and of Vite, --full all of them.

node_and_chromium
retry make npm
make npm-bundlers BUNDLERS_FLAGS="${FULL:+--full}"
