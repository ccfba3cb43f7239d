// Rijn in WebAssembly. index.d.ts is the manual.

import { AEAD, AEADS, CMAC, PLAIN, UnauthenticatedCTR, bind } from "./ciphers.js";
import { chunkedNames, decryptStream, encryptStream } from "./chunked.js";
import { Memory } from "./memory.js";

export { RijnError } from "./check.js";

/** Another memory with each call. */
export async function load(source = new URL("./rijn.wasm", import.meta.url)) {
  const { exports } = await instantiated(source);
  const memory = new Memory(exports);
  memory.registry = new FinalizationRegistry((slot) => memory.giveBack(slot));
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

/** Of any realm: what a source is, it says as `[object KIND]`. */
async function instantiated(source) {
  const kind = Object.prototype.toString.call(source).slice("[object ".length, -1);
  if (kind === "WebAssembly.Instance") return source;
  if (kind === "WebAssembly.Module") return WebAssembly.instantiate(source);
  if (kind === "ArrayBuffer" || ArrayBuffer.isView(source)) return ofBytes(source);
  if (kind === "String" || kind === "URL") return ofBytes(await read(source));
  throw new TypeError(
    `source: an address, bytes, a WebAssembly.Module or a WebAssembly.Instance, not ${kind}`,
  );
}

async function ofBytes(bytes) {
  return (await WebAssembly.instantiate(bytes)).instance;
}

/** The bytes at an address: no server need know what a .wasm is. */
async function read(source) {
  const url = new URL(source, globalThis.location?.href ?? import.meta.url);
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** What rijn_backend_at says, of words of 32 bits. */
function backends(memory) {
  const { calls } = memory;
  return Array.from({ length: calls.backend_count() }, (_, index) => {
    const info = new Uint32Array(memory.bytes.buffer, calls.backend_at(index), 7);
    const [name, summary, reason] = [...info.subarray(0, 3)].map((at) => memory.string(at));
    const [available, constantTime, automatic] = [...info.subarray(3, 6)].map(Boolean);
    return Object.freeze({ name, summary, reason, available, constantTime, automatic });
  });
}
