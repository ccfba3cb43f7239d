// Random bytes and HMAC come from the runtime. Node 18 has them only in a module.

export const webcrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

/** Returns any number of random bytes. getRandomValues returns at most 65536 at a time. */
export function randomBytes(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) {
    webcrypto.getRandomValues(bytes.subarray(at, at + 65536));
  }
  return bytes;
}
