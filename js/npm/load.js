// Loads rijn.wasm. index.js and inline.js say where it is.

import { AEAD, AEADS, CMAC, PLAIN, UnauthenticatedCTR, bind } from "./ciphers.js";
import { chunkedNames, decryptStream, encryptStream } from "./chunked.js";
import { GCM } from "./gcm.js";
import { Memory } from "./memory.js";
import { builtin, findWebcrypto } from "./runtime.js";

/** Loads the module into a memory of its own. base(): where relative addresses start, except in
 *  pages and browsers' workers. */
export async function loadFrom(source, base) {
  await findWebcrypto();
  const { exports } = await instantiate(source, base);
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
    rijn[name] = bind(memory, name, name === "AESGCM" ? GCM : AEAD, algorithm);
  }
  return Object.freeze(rijn);
}

/** Returns an instance. `[object KIND]` also identifies objects of other realms, which instanceof
 *  does not. */
async function instantiate(source, base) {
  const kind = Object.prototype.toString.call(source).slice("[object ".length, -1);
  if (kind === "WebAssembly.Instance") return source;
  if (kind === "WebAssembly.Module") return WebAssembly.instantiate(source);
  if (kind === "ArrayBuffer" || ArrayBuffer.isView(source)) return instantiateBytes(source);
  if (kind === "String" || kind === "URL") {
    const from = globalThis.location?.href ?? (await base?.());
    return instantiateBytes(await read(new URL(source, from)));
  }
  throw new TypeError(
    `source must be an address, bytes, a WebAssembly.Module or WebAssembly.Instance, not ${kind}`,
  );
}

async function instantiateBytes(bytes) {
  return (await WebAssembly.instantiate(bytes)).instance;
}

const REMEDY = 'Put rijn.wasm there, give load() its address or bytes, or import "rijn/inline".';

/** Returns the bytes at an address. The server does not have to send a .wasm file's media type. */
async function read(url) {
  let bytes;
  try {
    bytes = new Uint8Array(await (url.protocol === "file:" ? readFile(url) : download(url)));
  } catch (cause) {
    throw new Error(`cannot read ${url}: ${cause.message}. ${REMEDY}`, { cause });
  }
  if (MAGIC.every((byte, at) => bytes[at] === byte)) return bytes;
  throw new Error(`${url} is not a WebAssembly module. ${REMEDY}`);
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d]; // "\0asm"

/** Reads a file where Node's modules are. Electron's pages can fetch files, other pages cannot. */
async function readFile(url) {
  const files = await builtin("node:fs/promises").catch(() => undefined);
  return files ? files.readFile(url) : download(url);
}

async function download(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`.trim());
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
