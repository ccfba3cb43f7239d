// Results fit where TypeScript, since 5.7, asks for an array that is not shared.
import { load, type Bytes } from "rijn";

const rijn = await load();
const key: Uint8Array<ArrayBuffer> = rijn.AESGCM.randomKey(16);
const nonce: Uint8Array<ArrayBuffer> = rijn.AESGCM.randomNonce();
using aead = new rijn.AESGCM(key);
const sealed: Uint8Array<ArrayBuffer> = aead.seal(nonce, new Uint8Array(3));
const opened: Bytes = aead.open(nonce, sealed);
const tag: Uint8Array<ArrayBuffer> = new rijn.CMAC(key).tag(opened);

/** Browsers take no shared memory here. */
export async function used(url: string): Promise<void> {
  await fetch(url, { method: "POST", body: aead.seal(nonce, opened) });
  new Blob([sealed, tag]);
  await crypto.subtle.digest("SHA-256", aead.open(nonce, sealed));
  const stream = new Blob([sealed]).stream().pipeThrough(rijn.encryptStream(key));
  await fetch(url, { method: "POST", body: await new Response(stream).arrayBuffer() });
}

/** Shared memory is an argument, too. */
export const shared: Bytes = aead.seal(nonce, new Uint8Array(new SharedArrayBuffer(8)));
