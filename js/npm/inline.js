// The package `rijn/inline`: rijn.wasm as text in JavaScript, for programs that cannot ship a file.

import { loadFrom } from "./load.js";
import deflated from "./wasm.js";

export { RijnError } from "./check.js";

/** Loads the module; each call makes a new memory. */
export async function load(source) {
  return loadFrom(source === undefined ? await inflated() : source);
}

function inflated() {
  const bytes = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}
