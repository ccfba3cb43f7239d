// AESGCM with promises. WebCrypto is faster for long messages: it has the processor's AES
// instructions, and other threads.

import { AEAD, ERR_TAG, NONE, TAG, checked, failure, sealedOf } from "./ciphers.js";
import { bytesOf, option } from "./check.js";
import { webcrypto } from "./runtime.js";

const ENGINES = ["wasm", "auto"];

/** With engine "auto", WebCrypto gets messages of this size in bytes and longer ones. Measured in the
 *  project's js/README.md. */
const LONG = 16384;

/** WebCrypto gets only nonces of this size. Runtimes differ in the other sizes that they take. */
const NONCE = 12;

export class GCM extends AEAD {
  #nonceSizes;
  #webKey; // a CryptoKey; null: use the module; undefined: still being imported
  #importing; // a promise of #webKey

  constructor(memory, algorithm, key, options = {}) {
    const engine = option(options, "engine", "wasm");
    if (!ENGINES.includes(engine)) {
      throw new RangeError(`engine must be ${ENGINES.join(" or ")}, not ${engine}`);
    }
    super(memory, algorithm, key, options);
    this.#nonceSizes = algorithm.nonceSizes;
    if (engine === "wasm") {
      this.#webKey = null;
    } else {
      this.#importing = this.#import(bytesOf("key", key).slice());
    }
  }

  /** Returns the CryptoKey, or null without crypto.subtle, or if it does not take keys of this size.
   *  Wipes `key`, which is ours. */
  async #import(key) {
    let made = null;
    try {
      const usages = ["encrypt", "decrypt"];
      made = await webcrypto.subtle.importKey("raw", key, "AES-GCM", false, usages);
    } catch {
      // The module does the work.
    }
    key.fill(0);
    if (this.#webKey === undefined) this.#webKey = made; // unless it was destroyed
    return made;
  }

  destroy() {
    this.#webKey = null;
    this.#importing = null;
    super.destroy();
  }

  async sealAsync(nonce, data, ad = NONE) {
    const text = bytesOf("data", data);
    return this.#crypt(true, nonce, text, text.length, ad);
  }

  async openAsync(nonce, sealed, ad = NONE) {
    const text = sealedOf(sealed);
    return this.#crypt(false, nonce, text, text.length - TAG, ad);
  }

  async #crypt(sealing, givenNonce, text, size, givenAd) {
    const { memory, nonce, ad } = checked(this, this.#nonceSizes, size, givenNonce, givenAd);
    const given = [nonce, text, ad];
    if (this.#webKey === null || size < LONG || nonce.length !== NONCE) {
      return this.#here(sealing, given);
    }
    // WebCrypto copies its arguments before it returns, but takes only plain memory.
    const copied = !this.#webKey || !given.every(isPlain);
    const parts = copied ? given.map((one) => one.slice()) : given;
    try {
      const key = this.#webKey ?? (await this.#importing);
      return await (key ? inWebcrypto(memory, sealing, key, parts) : this.#here(sealing, parts));
    } finally {
      if (copied) for (const one of parts) one.fill(0);
    }
  }

  /** Works in the module. */
  #here(sealing, parts) {
    return sealing ? this.seal(...parts) : this.open(...parts);
  }
}

/** Tells memory that cannot be shared or resized. */
function isPlain({ buffer }) {
  return Object.prototype.toString.call(buffer) === "[object ArrayBuffer]" && !buffer.resizable;
}

async function inWebcrypto(memory, sealing, key, [iv, text, additionalData]) {
  const { subtle } = webcrypto;
  const algorithm = { name: "AES-GCM", iv, additionalData };
  try {
    const call = sealing ? subtle.encrypt : subtle.decrypt;
    return new Uint8Array(await call.call(subtle, algorithm, key, text));
  } catch (error) {
    if (!sealing && error.name === "OperationError") throw failure(memory, ERR_TAG);
    throw error;
  }
}
