// Every call of the package. `tsc --strict` must accept this file.
import { load, RijnError } from "rijn";
import type { AEAD, AESGCM, Bytes, Rijn, StreamOptions } from "rijn";

const rijn: Rijn = await load();

const key: Uint8Array = rijn.AESGCM.randomKey(16);
const aead: AEAD = new rijn.AESGCM(key, { backend: "fixslice64" });
const nonce = rijn.AESGCM.randomNonce();
const ad = new TextEncoder().encode("associated data");
const sealed: Uint8Array = aead.seal(nonce, new TextEncoder().encode("attack at dawn"), ad);
console.log(new TextDecoder().decode(aead.open(nonce, sealed, ad)), aead.backend);

const buffer = new Uint8Array(100 + rijn.AESGCM.tagSize);
const written: number = aead.sealInto(buffer, nonce, buffer.subarray(0, 100));
const opened: number = aead.openInto(buffer, nonce, buffer.subarray(0, written));
console.log(written, opened);

try {
  aead.open(nonce, sealed);
} catch (error) {
  if (error instanceof RijnError && error.code === "tag") console.log(error.message);
}
aead.destroy();

const auto: AESGCM = new rijn.AESGCM(key, { backend: "simd128", engine: "auto" });
const long: Bytes = await auto.sealAsync(nonce, new Uint8Array(100_000), ad);
console.log((await auto.openAsync(nonce, long, ad)).length);

const ctr = new rijn.UnauthenticatedCTR(key);
const crypted: Uint8Array = ctr.crypt(new Uint8Array(16), sealed);
ctr.cryptInto(crypted, new Uint8Array(16), crypted);

const mac = new rijn.CMAC(key);
mac.verify(mac.tag(sealed), sealed);

const options: StreamOptions = { aead: "aegis-128l" };
const source: ReadableStream<Uint8Array> = new Blob(["of any size"]).stream();
const back = source
  .pipeThrough(rijn.encryptStream(key, options))
  .pipeThrough(rijn.decryptStream(key, options));
console.log(await new Response(back).text());

for (const { name, available, constantTime, reason } of rijn.backends) {
  console.log(name, available, constantTime, reason);
}

/** Calls that the types must refuse. */
export function refused(): void {
  // @ts-expect-error: keys are bytes
  new rijn.AESGCM("key");
  // @ts-expect-error: no such engine
  new rijn.AESGCM(key, { engine: "webcrypto" });
  // @ts-expect-error: only AESGCM has engines
  new rijn.AESEAX(key, { engine: "auto" });
  // @ts-expect-error: no such AEAD
  rijn.encryptStream(key, { aead: "aes" });
}
