// The linear memory of one rijn.wasm:
//
//     stack | constants | slots, one key each | message
//
// Every call of the C library wipes the stack it used. A free slot is zeros. The message area is
// used during one call and is zeros between calls. It starts after the last slot, so it moves when
// slots are added.

import { RijnError } from "./check.js";

const PAGE = 65536;

/** Most bytes of one call: message, tag, nonce and associated data. */
export const LONGEST = 2 ** 31 - PAGE;

/** Throws if one call cannot take this many bytes. */
export function checkSize(size) {
  if (size <= LONGEST) return;
  throw new RangeError(
    `message, tag, nonce and associated data have ${size} bytes, more than ${LONGEST} in one ` +
      "call. Use encryptStream for longer messages.",
  );
}

const text = new TextDecoder();

const managed = new WeakSet(); // the linear memories that already have a Memory

export class Memory {
  #exported;
  #size;
  #free = [];
  #end;
  #trapped = false;

  constructor(exported) {
    if (managed.has(exported.memory)) throw new TypeError("source: the instance is already in use");
    managed.add(exported.memory);
    this.#exported = exported.memory;
    this.calls = this.#guarded(exported);
    this.bytes = new Uint8Array(this.#exported.buffer);
    this.#size = (this.calls.slot_size() + 15) & ~15;
    this.#end = (exported.__heap_base.value + 15) & ~15;
  }

  /** Wraps every export. A trap leaves the stack unwiped, so the whole memory is overwritten then,
   *  and later calls fail. */
  #guarded(exported) {
    const guarded =
      (call) =>
      (...given) => {
        if (this.#trapped) throw new RijnError("trapped", "an earlier call trapped: load() again");
        try {
          return call(...given);
        } catch (error) {
          this.#trapped = true;
          this.bytes.fill(0);
          throw error;
        }
      };
    const calls = Object.entries(exported).filter(([, one]) => typeof one === "function");
    return Object.fromEntries(calls.map(([name, call]) => [name, guarded(call)]));
  }

  /** Returns the address of a free slot. */
  takeSlot() {
    if (this.#free.length) return this.#free.pop();
    const slot = this.#end;
    this.#grow(slot + this.#size);
    this.#end += this.#size;
    return slot;
  }

  freeSlot(slot) {
    this.wipe(slot, this.#size);
    this.#free.push(slot);
  }

  /** Returns the address of `size` bytes for one call. The caller wipes them. */
  reserve(size) {
    checkSize(size);
    if (this.#end + size > this.bytes.length) this.#grow(this.#end + size);
    return this.#end;
  }

  wipe(at, size) {
    this.bytes.fill(0, at, at + size);
  }

  /** Returns the zero-terminated string at an address. */
  string(at) {
    return text.decode(this.bytes.subarray(at, this.bytes.indexOf(0, at)));
  }

  /** Grows the memory to `end` bytes. Growing detaches earlier views, so no caller keeps one. */
  #grow(end) {
    const pages = Math.ceil((end - this.bytes.length) / PAGE);
    if (pages <= 0) return;
    try {
      this.#exported.grow(pages);
    } catch {
      throw new RangeError(`cannot grow the memory of ${this.bytes.length} bytes to ${end}`);
    }
    this.bytes = new Uint8Array(this.#exported.buffer);
  }
}
