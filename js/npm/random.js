// Random bytes, and HMAC, are the runtime's. Node 18 has them in a module alone.

export const webcrypto = globalThis.crypto ?? (await import("node:crypto")).webcrypto;

/** Any number of them: getRandomValues gives 65536 at a time. */
export function randomBytes(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) {
    webcrypto.getRandomValues(bytes.subarray(at, at + 65536));
  }
  return bytes;
}
