// Parts of the runtime that are not the same everywhere: WebCrypto, and the modules of Node.

/** Imports a module of Node. The name is not a literal and the comments stop bundlers, so no bundle
 *  for browsers contains or needs such a module. */
export async function builtin(name) {
  const found = globalThis.process?.getBuiltinModule?.(name); // since Node 20.16 and 22.3
  return found ?? import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}

/** The runtime's WebCrypto. load() sets it. */
export let webcrypto;

/** Finds WebCrypto. Node 18 has it only in a module. */
export async function findWebcrypto() {
  webcrypto ??= globalThis.crypto ?? (await builtin("node:crypto")).webcrypto;
}

/** Returns any number of random bytes. getRandomValues returns at most 65536 at a time. */
export function randomBytes(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) {
    webcrypto.getRandomValues(bytes.subarray(at, at + 65536));
  }
  return bytes;
}
