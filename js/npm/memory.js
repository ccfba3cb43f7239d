// The linear memory of one rijn.wasm:
//
//     stack | constants | slots, a key each | message
//
// Every call of the C library wipes the stack it used. A slot that no key has is zeros. A message
// lies behind all slots while a call works on it, and is zeros between calls, so that it may begin
// further on when there are more slots.

import { RijnError } from "./check.js";

const PAGE = 65536;

/** Bytes that one call may have there: message, tag, nonce and associated data. */
export const LONGEST = 2 ** 31 - PAGE;

const text = new TextDecoder();

const taken = new WeakSet(); // whose account is kept

export class Memory {
  #exported;
  #size;
  #free = [];
  #end;
  #trapped = false;

  constructor(exported) {
    if (taken.has(exported.memory)) throw new TypeError("source: an instance that is in use");
    taken.add(exported.memory);
    this.#exported = exported.memory;
    this.calls = this.#guarded(exported);
    this.bytes = new Uint8Array(this.#exported.buffer);
    this.#size = (this.calls.slot_size() + 15) & ~15;
    this.#end = (exported.__heap_base.value + 15) & ~15;
  }

  /** A call that traps ends within the stack: the memory is overwritten, and used no more. */
  #guarded(exported) {
    const guarded =
      (call) =>
      (...given) => {
        if (this.#trapped) throw new RijnError("trapped", "a call before this one has trapped");
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

  /** The address of a slot of zeros. */
  takeSlot() {
    if (this.#free.length) return this.#free.pop();
    const slot = this.#end;
    this.#reach(slot + this.#size);
    this.#end += this.#size;
    return slot;
  }

  giveBack(slot) {
    this.wipe(slot, this.#size);
    this.#free.push(slot);
  }

  /** The address of `size` bytes for one call, which wipes them. */
  room(size) {
    if (size > LONGEST) {
      throw new RangeError(
        `${size} bytes of message, tag, nonce and associated data: at most ${LONGEST} in one ` +
          "call; encryptStream takes more",
      );
    }
    if (this.#end + size > this.bytes.length) this.#reach(this.#end + size);
    return this.#end;
  }

  wipe(at, size) {
    this.bytes.fill(0, at, at + size);
  }

  /** What ends in a zero there. */
  string(at) {
    return text.decode(this.bytes.subarray(at, this.bytes.indexOf(0, at)));
  }

  /** Growing detaches the views of before: nobody keeps one. */
  #reach(end) {
    const pages = Math.ceil((end - this.bytes.length) / PAGE);
    if (pages <= 0) return;
    try {
      this.#exported.grow(pages);
    } catch {
      throw new RangeError(`no memory for ${pages * PAGE} bytes more than ${this.bytes.length}`);
    }
    this.bytes = new Uint8Array(this.#exported.buffer);
  }
}
