// The package `rijn`, with rijn.wasm as a file beside this one or beside the bundle. index.d.ts is
// the manual.

import { loadFrom } from "./load.js";
import { builtin } from "./runtime.js";

export { RijnError } from "./check.js";

// A bundle that is a classic script knows its own address only while it starts.
const script = globalThis.document?.currentScript?.src;

/** Loads the module; each call makes a new memory. */
export async function load(source) {
  return loadFrom(source === undefined ? await wasm() : source, wasm);
}

/** Returns the address of rijn.wasm. Bundlers recognize the first line, and put the file there.
 *  CommonJS and classic scripts have no import.meta. */
async function wasm() {
  if (typeof import.meta.url === "string") return new URL("./rijn.wasm", import.meta.url);
  if (script) return new URL("./rijn.wasm", script);
  if (typeof __filename === "string") {
    const { pathToFileURL } = await builtin("node:url");
    return new URL("./rijn.wasm", pathToFileURL(__filename));
  }
  return new URL("./rijn.wasm", globalThis.location.href);
}
