// The key classes, for single messages. load() binds each class to one memory. The C library checks
// all arguments again; the checks here give better messages.

import { RijnError, bytesOf, option, sized } from "./check.js";
import { checkSize } from "./memory.js";
import { randomBytes } from "./runtime.js";
import { SIZES } from "./sizes.js";

export const NONE = new Uint8Array(0);
const NUL = "\0";

export const TAG = 16;
export const BLOCK = 16;

// rijn_status, c/include/rijn.h.
const OK = 0;
export const ERR_TAG = 8;

/** number: as in calls.c. nonceSize: size of randomNonce(). nonceSizes: for `sized`. */
export const AEADS = Object.fromEntries(
  SIZES.map(({ name, keys, least, most, usual }, number) => [
    name,
    {
      number,
      keySizes: Object.freeze(keys),
      nonceSize: usual,
      nonceSizes: least === most ? [least] : { least, most: most ?? Infinity },
    },
  ]),
);

/** Returns {memory, slot} of a key. Throws RijnError "destroyed". */
export let locate;

/** A key in a slot of the memory. */
class Key {
  #memory;
  #slot;

  static {
    locate = (key) => key.#location();
  }

  constructor(memory, algorithm, key, options = {}) {
    const bytes = sized("key", key, algorithm.keySizes);
    const name = encoded(option(options, "backend"));
    this.#memory = memory;
    this.#slot = memory.takeSlot();
    try {
      this.#expand(algorithm.number, bytes, name);
    } catch (error) {
      memory.freeSlot(this.#slot);
      throw error;
    }
    memory.registry.register(this, this.#slot, this);
  }

  #expand(number, key, name) {
    const memory = this.#memory;
    const at = memory.reserve(key.length + name.length);
    try {
      memory.bytes.set(key, at);
      memory.bytes.set(name, at + key.length);
      const named = name.length ? at + key.length : 0;
      const status = memory.calls.key_init(this.#slot, number, at, key.length, named);
      if (status !== OK) throw failure(memory, status, `backend ${memory.string(named)}`);
    } finally {
      memory.wipe(at, key.length + name.length);
    }
  }

  /** The name of its backend. */
  get backend() {
    const { memory, slot } = this.#location();
    return memory.string(memory.calls.key_backend(slot));
  }

  #location() {
    if (!this.#slot) throw new RijnError("destroyed", "the key was destroyed");
    return { memory: this.#memory, slot: this.#slot };
  }

  /** Overwrites the key. Later calls throw. */
  destroy() {
    if (!this.#slot) return;
    this.#memory.registry.unregister(this);
    this.#memory.freeSlot(this.#slot);
    this.#slot = 0;
  }
}
if (Symbol.dispose) {
  Key.prototype[Symbol.dispose] = function () {
    this.destroy(); // also of subclasses
  };
}

/** Checks the arguments for a message of `size` bytes. Returns them, where its key is, and the number
 *  of bytes that a call needs in the memory. */
export function checked(key, nonceSizes, size, givenNonce, givenAd) {
  const { memory, slot } = locate(key);
  const nonce = sized("nonce", givenNonce, nonceSizes);
  const ad = bytesOf("ad", givenAd);
  const used = size + TAG + nonce.length + ad.length;
  checkSize(used);
  return { memory, slot, nonce, ad, used };
}

export class AEAD extends Key {
  #nonceSizes;

  constructor(memory, algorithm, key, options) {
    super(memory, algorithm, key, options);
    this.#nonceSizes = algorithm.nonceSizes;
  }

  seal(nonce, data, ad = NONE) {
    const text = bytesOf("data", data);
    return this.#crypt(true, null, nonce, text, text.length, ad);
  }

  open(nonce, sealed, ad = NONE) {
    const text = sealedOf(sealed);
    return this.#crypt(false, null, nonce, text, text.length - TAG, ad);
  }

  sealInto(out, nonce, data, ad = NONE) {
    const text = bytesOf("data", data);
    const to = sized("out", out, { least: text.length + TAG, most: Infinity });
    return this.#crypt(true, to, nonce, text, text.length, ad);
  }

  openInto(out, nonce, sealed, ad = NONE) {
    const text = sealedOf(sealed);
    const to = sized("out", out, { least: text.length - TAG, most: Infinity });
    return this.#crypt(false, to, nonce, text, text.length - TAG, ad);
  }

  /** Copies text[size], tag, nonce and associated data into the memory, in this order, seals or
   *  opens in place, and returns the result: written to `to` if given, otherwise as a new array. */
  #crypt(sealing, to, givenNonce, text, size, givenAd) {
    const message = checked(this, this.#nonceSizes, size, givenNonce, givenAd);
    const { memory, slot, nonce, ad, used } = message;
    const at = memory.reserve(used);
    const { bytes, calls } = memory;
    try {
      bytes.set(text, at);
      bytes.set(nonce, at + size + TAG);
      bytes.set(ad, at + size + TAG + nonce.length);
      const call = sealing ? calls.seal : calls.open;
      const status = call(slot, at, size, nonce.length, ad.length);
      if (status !== OK) throw failure(memory, status);
      return copyOut(bytes, at, sealing ? size + TAG : size, to);
    } finally {
      memory.wipe(at, used);
    }
  }
}

/** CTR without authentication: changed ciphertext decrypts to changed plaintext. */
export class UnauthenticatedCTR extends Key {
  crypt(counter, data) {
    return this.#crypt(null, counter, bytesOf("data", data));
  }

  cryptInto(out, counter, data) {
    const text = bytesOf("data", data);
    const to = sized("out", out, { least: text.length, most: Infinity });
    return this.#crypt(to, counter, text);
  }

  #crypt(to, counter, text) {
    const { memory, slot } = locate(this);
    const block = sized("counter", counter, [BLOCK]);
    const used = text.length + BLOCK;
    const at = memory.reserve(used);
    try {
      memory.bytes.set(text, at);
      memory.bytes.set(block, at + text.length);
      const status = memory.calls.ctr(slot, at, text.length);
      if (status !== OK) throw failure(memory, status);
      return copyOut(memory.bytes, at, text.length, to);
    } finally {
      memory.wipe(at, used);
    }
  }
}

export class CMAC extends Key {
  tag(data) {
    return this.#mac("cmac", bytesOf("data", data), NONE);
  }

  /** Compares in constant time. */
  verify(tag, data) {
    this.#mac("cmac_verify", bytesOf("data", data), sized("tag", tag, [TAG]));
  }

  #mac(call, text, tag) {
    const { memory, slot } = locate(this);
    const used = text.length + TAG;
    const at = memory.reserve(used);
    try {
      memory.bytes.set(text, at);
      memory.bytes.set(tag, at + text.length);
      const status = memory.calls[call](slot, at, text.length);
      if (status !== OK) throw failure(memory, status);
      return copyOut(memory.bytes, at + text.length, TAG, null);
    } finally {
      memory.wipe(at, used);
    }
  }
}

/** Returns a backend's name and a zero byte, or nothing for undefined. */
function encoded(name) {
  if (name === undefined) return NONE;
  const bytes = new TextEncoder().encode(name + NUL);
  if (bytes.indexOf(0) < bytes.length - 1) throw new RangeError("backend must not contain a NUL");
  return bytes;
}

/** Returns the bytes of a sealed message, which has at least a tag. */
export function sealedOf(sealed) {
  const bytes = bytesOf("sealed", sealed);
  if (bytes.length < TAG) throw new RijnError("tag", "the message is shorter than a tag");
  return bytes;
}

function copyOut(bytes, at, size, to) {
  if (!to) return bytes.slice(at, at + size);
  to.set(bytes.subarray(at, at + size));
  return size;
}

/** Returns the error for a status other than OK. */
export function failure(memory, status, about) {
  const text = memory.string(memory.calls.status_text(status));
  if (status === ERR_TAG) return new RijnError("tag", text);
  return new RangeError(about ? `${about}: ${text}` : text);
}

/** Returns a subclass of Base with this name, for keys in one memory. */
export function bind(memory, name, Base, algorithm) {
  const { keySizes, nonceSize } = algorithm;
  const bound = class extends Base {
    static keySizes = keySizes;

    static randomKey(size = keySizes.at(-1)) {
      if (keySizes.includes(size)) return randomBytes(size);
      throw new RangeError(`size must be ${keySizes.join(" or ")} bytes, not ${size}`);
    }

    constructor(key, options) {
      super(memory, algorithm, key, options);
    }
  };
  Object.defineProperty(bound, "name", { value: name });
  if (nonceSize) {
    bound.nonceSize = nonceSize;
    bound.tagSize = TAG;
    bound.randomNonce = () => randomBytes(nonceSize);
  }
  return bound;
}

/** CTR and CMAC use the number of GCM, whose key is a plain AES key. */
export const PLAIN = { number: AEADS.AESGCM.number, keySizes: AEADS.AESGCM.keySizes };
