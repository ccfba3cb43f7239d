// C2SP chunked encryption (c2sp.org/chunked-encryption) as Web Streams, the format of
// `rijn encrypt --bare`. docs/format.md describes it.

import { AEAD, AEADS, TAG, failure, locate } from "./ciphers.js";
import { RijnError, bytesOf, option, sized } from "./check.js";
import { randomBytes, webcrypto } from "./runtime.js";

const CHUNK = 16384;
const SALT = 24;
const PREFIX = SALT + 32; // salt and commitment
const RUN = 16; // most chunks of one call
const EMPTY = new Uint8Array(0);

const rfc = (name, of) => ({ name, ...AEADS[of] });

/** Named as in `rijn encrypt --aead`. The first AEAD with a key size is the default for it. */
const CHUNKED = {
  "aes-128-gcm": { ...rfc("AEAD_AES_128_GCM", "AESGCM"), keySizes: [16] },
  "aes-256-gcm": { ...rfc("AEAD_AES_256_GCM", "AESGCM"), keySizes: [32] },
  "aegis-128l": rfc("AEAD_AEGIS128L", "AEGIS128L"),
  "aegis-128x2": rfc("AEAD_AEGIS128X2", "AEGIS128X2"),
  "aegis-128x4": rfc("AEAD_AEGIS128X4", "AEGIS128X4"),
  "aegis-256": rfc("AEAD_AEGIS256", "AEGIS256"),
  "aegis-256x2": rfc("AEAD_AEGIS256X2", "AEGIS256X2"),
  "aegis-256x4": rfc("AEAD_AEGIS256X4", "AEGIS256X4"),
};

export const chunkedNames = Object.freeze(Object.keys(CHUNKED));

function aeadFor(key, name) {
  if (name === undefined) {
    const { length } = sized("key", key, [16, 32]);
    return Object.values(CHUNKED).find((one) => one.keySizes.includes(length));
  }
  if (!chunkedNames.includes(name)) {
    throw new RangeError(`aead must be one of ${chunkedNames.join(", ")}, not ${name}`);
  }
  sized("key", key, CHUNKED[name].keySizes);
  return CHUNKED[name];
}

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** HKDF-Expand-SHA-512 (RFC 5869 section 2.3), always two blocks: 128 bytes. */
async function expand(key, info) {
  if (!webcrypto.subtle) {
    throw new RijnError("insecure", "no crypto.subtle: serve the page over https or localhost");
  }
  const algorithm = { name: "HMAC", hash: "SHA-512" };
  const hmac = await webcrypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const sign = async (...parts) => {
    const whole = joined(...parts);
    const signature = webcrypto.subtle.sign("HMAC", hmac, whole); // has copied `whole`
    whole.fill(0);
    return new Uint8Array(await signature);
  };
  const first = await sign(info, [1]);
  const second = await sign(first, info, [2]);
  const both = joined(first, second);
  first.fill(0);
  second.fill(0);
  return both;
}

/** One message: its key in a slot, its nonce, and the number of its next chunk. */
class Message {
  #key;
  #nonce;
  #next = 0; // number of the next chunk

  static async derive(memory, aead, input, salt, context, options) {
    const label = new TextEncoder().encode(`c2sp.org/chunked-encryption@v1+${aead.name}\0`);
    const derived = await expand(input, joined(label, salt, context));
    const [keySize] = aead.keySizes;
    const end = keySize + aead.nonceSize;
    const message = new Message();
    try {
      message.#key = new AEAD(memory, aead, derived.subarray(0, keySize), options);
      message.#nonce = derived.slice(keySize, end);
      message.commitment = derived.slice(end, end + 32);
    } finally {
      derived.fill(0);
    }
    return message;
  }

  get begun() {
    return this.#next > 0;
  }

  seal(last, ...pieces) {
    const { memory, slot } = locate(this.#key);
    return this.#run(memory, last, CHUNK, TAG, pieces, ({ out, nonce, first, at, size }) =>
      memory.calls.seal_chunks(slot, out, nonce, first, last, at, size),
    );
  }

  open(last, ...pieces) {
    const { memory, slot } = locate(this.#key);
    return this.#run(memory, last, CHUNK + TAG, -TAG, pieces, ({ out, nonce, first, at, size }) =>
      memory.calls.open_chunks(slot, out, 0, nonce, first, last, at, size),
    );
  }

  /** Puts in[size], nonce and out[outSize] into the memory, in this order, calls the C library and
   *  returns a copy of out. chunk: size of a chunk in `in`. more: added bytes per chunk of out. */
  #run(memory, last, chunk, more, pieces, call) {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const chunks = Math.floor(size / chunk) + (last ? 1 : 0);
    const outSize = size + more * chunks;
    const used = size + this.#nonce.length + outSize;
    const at = memory.reserve(used);
    const nonce = at + size;
    const out = nonce + this.#nonce.length;
    try {
      let to = at;
      for (const piece of pieces) {
        memory.bytes.set(piece, to);
        to += piece.length;
      }
      memory.bytes.set(this.#nonce, nonce);
      const status = call({ at, size, nonce, out, first: BigInt(this.#next) });
      if (status) throw failure(memory, status);
      this.#next += chunks;
      return memory.bytes.slice(out, out + outSize);
    } finally {
      memory.wipe(at, used);
    }
  }

  destroy() {
    this.#key.destroy();
    this.#nonce.fill(0);
  }
}

/** Cuts pieces of any size into runs of whole chunks. It keeps the incomplete chunk at the end. */
class Runs {
  #chunk;
  #kept;
  #fill = 0;

  constructor(chunk) {
    this.#chunk = chunk;
    this.#kept = new Uint8Array(chunk);
  }

  /** Adds a piece. Calls run(kept, part) for each complete run: the kept bytes of earlier pieces,
   *  then a part of this one. */
  add(piece, run) {
    let from = 0;
    const left = () => this.#fill + piece.length - from;
    while (left() >= this.#chunk) {
      const size = Math.min(RUN, Math.floor(left() / this.#chunk)) * this.#chunk;
      const to = from + size - this.#fill;
      run(this.rest, piece.subarray(from, to));
      this.#fill = 0;
      from = to;
    }
    this.#kept.set(piece.subarray(from), this.#fill);
    this.#fill += piece.length - from;
  }

  /** The incomplete chunk. */
  get rest() {
    return this.#kept.subarray(0, this.#fill);
  }

  wipe() {
    this.#kept.fill(0);
  }
}

/** Returns a TransformStream that calls wipe() when it closes, fails or is cancelled, and again
 *  after a step that was still running then. `parts` is {start, transform, flush}. */
function stream({ wipe, ...parts }) {
  let ended = false;
  const end = () => {
    ended = true;
    wipe();
  };
  const guarded =
    (step) =>
    async (...given) => {
      try {
        await step(...given);
      } catch (error) {
        ended = true;
        throw error;
      } finally {
        if (ended) wipe();
      }
    };
  const { start, transform, flush } = parts;
  return new TransformStream({
    start: guarded(start),
    transform: guarded(transform),
    flush: guarded(async (controller) => {
      await flush(controller);
      ended = true;
    }),
    cancel: end, // runtimes without it leave the wipe to the garbage collector
  });
}

/** Returns the key and the options of a stream, checked and copied: the caller may wipe the key
 *  at once. */
function checkedArguments(memory, key, options = {}) {
  const aead = aeadFor(key, option(options, "aead"));
  const context = bytesOf("context", option(options, "context", EMPTY));
  const backend = { backend: option(options, "backend") };
  new AEAD(memory, aead, key, backend).destroy(); // throws now if the backend is not available
  const input = new Uint8Array(bytesOf("key", key));
  return { aead, input, context: new Uint8Array(context), backend };
}

export function encryptStream(memory, key, options) {
  const { aead, input, context, backend } = checkedArguments(memory, key, options);
  const runs = new Runs(CHUNK);
  let message;
  return stream({
    async start(controller) {
      const salt = randomBytes(SALT);
      message = await Message.derive(memory, aead, input, salt, context, backend);
      input.fill(0);
      controller.enqueue(joined(salt, message.commitment));
    },
    async transform(piece, controller) {
      runs.add(bytesOf("a piece", piece), (...run) =>
        controller.enqueue(message.seal(false, ...run)),
      );
    },
    async flush(controller) {
      controller.enqueue(message.seal(true, runs.rest));
    },
    wipe() {
      input.fill(0);
      runs.wipe();
      message?.destroy();
    },
  });
}

export function decryptStream(memory, key, options) {
  const { aead, input, context, backend } = checkedArguments(memory, key, options);
  const prefix = new Uint8Array(PREFIX);
  const runs = new Runs(CHUNK + TAG);
  let fill = 0;
  let message;

  async function begin() {
    const salt = prefix.subarray(0, SALT);
    message = await Message.derive(memory, aead, input, salt, context, backend);
    input.fill(0);
    if (!equal(message.commitment, prefix.subarray(SALT))) {
      throw new RijnError("wrong-key", "wrong key, AEAD or context, or an altered start");
    }
  }

  return stream({
    async start() {},
    async transform(given, controller) {
      const piece = bytesOf("a piece", given);
      const head = piece.subarray(0, PREFIX - fill);
      prefix.set(head, fill);
      fill += head.length;
      if (fill < PREFIX) return;
      if (!message) await begin();
      runs.add(piece.subarray(head.length), (...run) =>
        controller.enqueue(openRun(message, false, ...run)),
      );
    },
    async flush(controller) {
      if (runs.rest.length < TAG) throw new RijnError("truncated", "the message is truncated");
      const last = openRun(message, true, runs.rest);
      if (last.length) controller.enqueue(last);
    },
    wipe() {
      input.fill(0);
      runs.wipe();
      message?.destroy();
    },
  });
}

/** Opens a run of chunks. If only the last chunk fails, the message was most likely cut there. */
function openRun(message, last, ...run) {
  try {
    return message.open(last, ...run);
  } catch (error) {
    if (error.code !== "tag") throw error;
    if (last && message.begun) {
      throw new RijnError("truncated", "the message is truncated, or its last chunk is damaged");
    }
    throw new RijnError("damaged", "a chunk was altered");
  }
}

/** Compares two arrays of equal size in constant time. */
function equal(a, b) {
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i] ^ b[i];
  return difference === 0;
}
