// Rijn in WebAssembly. index.d.ts is the manual.

import { AEAD, AEADS, CMAC, PLAIN, UnauthenticatedCTR, bind } from "./ciphers.js";
import { chunkedNames, decryptStream, encryptStream } from "./chunked.js";
import { Memory } from "./memory.js";

export { RijnError } from "./check.js";

/** Loads the module; each call makes a new memory. */
export async function load(source = new URL("./rijn.wasm", import.meta.url)) {
  const { exports } = await instantiate(source);
  const memory = new Memory(exports);
  memory.registry = new FinalizationRegistry((slot) => memory.freeSlot(slot));
  const rijn = {
    backends: backends(memory),
    chunkedNames,
    encryptStream: (key, options) => encryptStream(memory, key, options),
    decryptStream: (key, options) => decryptStream(memory, key, options),
    UnauthenticatedCTR: bind(memory, "UnauthenticatedCTR", UnauthenticatedCTR, PLAIN),
    CMAC: bind(memory, "CMAC", CMAC, PLAIN),
    memory: exports.memory,
  };
  for (const [name, algorithm] of Object.entries(AEADS)) {
    rijn[name] = bind(memory, name, AEAD, algorithm);
  }
  return Object.freeze(rijn);
}

/** Returns an instance. `[object KIND]` also identifies objects of other realms, which instanceof
 *  does not. */
async function instantiate(source) {
  const kind = Object.prototype.toString.call(source).slice("[object ".length, -1);
  if (kind === "WebAssembly.Instance") return source;
  if (kind === "WebAssembly.Module") return WebAssembly.instantiate(source);
  if (kind === "ArrayBuffer" || ArrayBuffer.isView(source)) return instantiateBytes(source);
  if (kind === "String" || kind === "URL") return instantiateBytes(await read(source));
  throw new TypeError(
    `source must be an address, bytes, a WebAssembly.Module or WebAssembly.Instance, not ${kind}`,
  );
}

async function instantiateBytes(bytes) {
  return (await WebAssembly.instantiate(bytes)).instance;
}

/** Returns the bytes at an address. The server does not have to send a .wasm file's media type. */
async function read(source) {
  const url = new URL(source, globalThis.location?.href ?? import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** Returns all backends. js_backend_at returns the struct rijn_backend_info: 32-bit words. */
function backends(memory) {
  const { calls } = memory;
  return Array.from({ length: calls.backend_count() }, (_, index) => {
    const info = new Uint32Array(memory.bytes.buffer, calls.backend_at(index), 7);
    const [name, summary, reason] = [...info.subarray(0, 3)].map((at) => memory.string(at));
    const [available, constantTime, automatic] = [...info.subarray(3, 6)].map(Boolean);
    return Object.freeze({ name, summary, reason, available, constantTime, automatic });
  });
}
