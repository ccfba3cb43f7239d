// Runs python/tests/pythons/core.py in Pyodide, that is in CPython compiled for WebAssembly:
//
//     node run.mjs NODE_MODULES FOLDER [WHEEL]
//
// NODE_MODULES  a folder of npm packages, with pyodide in it.
// FOLDER        what python/tests/pythons/collect.sh made.
// WHEEL         is installed, and takes the place of the rijn in FOLDER.
//
// Nothing is fetched. Pyodide's own NumPy is not in its npm package but on a content
// delivery network, so that the backend `numpy` is not run here.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, folder, wheel] = process.argv.slice(2).map((name) => path.resolve(name));
const { loadPyodide } = await import(
  pathToFileURL(path.join(modules, "pyodide", "pyodide.mjs"))
);
const pyodide = await loadPyodide();
if (wheel) {
  await pyodide.loadPackage(pathToFileURL(wheel).href);
  fs.rmSync(path.join(folder, "rijn"), { recursive: true });
}
pyodide.mountNodeFS("/collected", folder);
process.exitCode = pyodide.runPython(`
import runpy
import sys

sys.argv = ["core.py", "/collected"]
try:
    runpy.run_path("/collected/python/tests/pythons/core.py", run_name="__main__")
except SystemExit as end:
    status = end.code
status
`);
