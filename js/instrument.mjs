// Makes a copy of a WebAssembly module that reports its memory accesses and branches. The module has
// no imports. Its copy has one, report.note(value, site), and calls it with
//
//     each address of a load or store, without the constant offset,
//     each condition of if, br_if, br_table and select,
//     each index of call_indirect,
//     both operands of each integer division and remainder,
//     addresses and sizes of memory.copy and memory.fill.
//
// `site` is the offset of the instruction in the original module.

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const TYPE_OF_STORE = { 0x36: I32, 0x37: I64, 0x38: 0x7d, 0x39: 0x7c };

const SECTION = { type: 1, import: 2, function: 3, export: 7, start: 8, element: 9, code: 10 };
const NOTE = 0; // the index of the import, before all functions

/** Returns the copy. bytes: the module. */
export function instrumented(bytes) {
  const module = new Reader(bytes, 8);
  const types = [];
  const typeOf = [];
  const out = [...bytes.subarray(0, 8)];
  while (module.at < bytes.length) {
    const id = module.byte();
    const size = module.number();
    const section = new Reader(bytes, module.at);
    module.at += size;
    if (id === 0) continue;
    if (id === SECTION.import) throw new Error("the module has imports");
    appendSection(out, id, rewritten(id, section, size, types, typeOf));
    if (id === SECTION.type) appendSection(out, SECTION.import, importOfNote(types.length));
  }
  return new Uint8Array(out);
}

function rewritten(id, section, size, types, typeOf) {
  switch (id) {
    case SECTION.type: {
      const begin = section.at;
      types.push(...section.vector(() => typeFrom(section)));
      const own = skipped(section.bytes, begin);
      return [
        ...number(types.length + 1),
        ...section.bytes.subarray(own, section.at),
        ...NOTE_TYPE,
      ];
    }
    case SECTION.function:
      typeOf.push(...section.vector(() => section.number()));
      return vectorOf(typeOf.map(number));
    case SECTION.export:
      return vectorOf(section.vector(() => exportFrom(section)));
    case SECTION.start:
      return number(section.number() + 1);
    case SECTION.element:
      return vectorOf(section.vector(() => elementsFrom(section)));
    case SECTION.code: {
      const bodies = section.vector((index) => bodyFrom(section, types[typeOf[index]]));
      return vectorOf(bodies);
    }
    default:
      return section.bytes.subarray(section.at, section.at + size);
  }
}

const NOTE_TYPE = [0x60, 2, I32, I32, 0];

function importOfNote(type) {
  return [1, ...text("report"), ...text("note"), 0, ...number(type)];
}

/** Returns the number of parameters. */
function typeFrom(section) {
  section.byte();
  const parameters = section.vector(() => section.byte());
  section.vector(() => section.byte());
  return parameters.length;
}

function exportFrom(section) {
  const name = section.vector(() => section.byte());
  const kind = section.byte();
  return [
    ...number(name.length),
    ...name,
    kind,
    ...number(section.number() + (kind === 0 ? 1 : 0)),
  ];
}

function elementsFrom(section) {
  if (section.byte() !== 0) throw new Error("element segment of an unsupported kind");
  const begin = section.at;
  while (section.byte() !== 0x0b);
  const offset = section.bytes.subarray(begin, section.at);
  const functions = section.vector(() => section.number() + 1);
  return [0, ...offset, ...number(functions.length), ...functions.flatMap(number)];
}

/** Adds locals that keep operands, after the function's own locals. */
function bodyFrom(section, parameters) {
  const end = section.number() + section.at;
  const locals = section.vector(() => [section.number(), section.byte()]);
  const first = locals.reduce((sum, [count]) => sum + count, parameters);
  const kept = [
    [3, I32],
    [2, I64],
    [1, 0x7d],
    [1, 0x7c],
    [1, V128],
  ];
  const keep = {
    [I32]: first,
    [I64]: first + 3,
    0x7d: first + 5,
    0x7c: first + 6,
    [V128]: first + 7,
  };
  const code = vectorOf([...locals, ...kept].map(([count, type]) => [...number(count), type]));
  while (section.at < end) instruction(section, keep, code);
  return [...number(code.length), ...code];
}

// ---- Instructions ----

const get = (local) => [0x20, ...number(local)];
const set = (local) => [0x21, ...number(local)];
const tee = (local) => [0x22, ...number(local)];

/** Copies one instruction, with the calls of report.note before it. */
function instruction(code, keep, out) {
  const site = code.at;
  const op = code.byte();
  const top = keep[I32] + 2; // keep[I32] may hold the value of a store
  const note = (local) => push(out, get(local), [0x41, ...signed(site), 0x10, NOTE]);
  const reportTop = () => {
    push(out, tee(top));
    note(top);
  };
  const reportBelow = (type) => {
    push(out, set(keep[type]));
    reportTop();
    push(out, get(keep[type]));
  };
  const copy = () => copyTo(out, code.bytes.subarray(site, code.at));

  if (op === 0x10 || op === 0xd2) {
    const called = code.number() + 1;
    return push(out, [op], number(called));
  }
  if (op === 0xfc) return bulk(code, keep, out, note, copy);
  if (op === 0xfd) return vector(code, reportTop, reportBelow, copy);
  skipImmediates(code, op);
  if ([0x04, 0x0d, 0x0e, 0x11, 0x1b, 0x1c].includes(op) || (op >= 0x28 && op <= 0x35)) reportTop();
  else if (op >= 0x36 && op <= 0x3e) reportBelow(TYPE_OF_STORE[op] ?? (op < 0x3c ? I32 : I64));
  else if (op >= 0x6d && op <= 0x70) divide32(keep, out, note);
  else if (op >= 0x7f && op <= 0x82) divide64(keep, out, note);
  return copy();
}

function divide32(keep, out, note) {
  const a = keep[I32] + 1;
  const b = a + 1;
  push(out, set(b), set(a));
  note(a);
  note(b);
  push(out, get(a), get(b));
}

/** Reports 64-bit operands in halves. */
function divide64(keep, out, note) {
  const a = keep[I64];
  const b = a + 1;
  push(out, set(b), set(a));
  for (const operand of [a, b]) {
    for (const shift of [0, 32]) {
      push(out, get(operand), [0x42, shift, 0x88, 0xa7], set(keep[I32]));
      note(keep[I32]);
    }
  }
  push(out, get(a), get(b));
}

/** Reports memory.copy (both addresses and the size) and memory.fill (address and size). */
function bulk(code, keep, out, note, copy) {
  const op = code.number();
  if (op > 11 || op === 8 || op === 9) throw new Error(`bulk instruction ${op}`);
  if (op >= 10) {
    code.skip(op === 10 ? 2 : 1);
    const [to, from, size] = [0, 1, 2].map((i) => keep[I32] + i);
    push(out, set(size), set(from), set(to));
    for (const local of op === 10 ? [to, from, size] : [to, size]) note(local);
    push(out, get(to), get(from), get(size));
  }
  copy();
}

function vector(code, reportTop, reportBelow, copy) {
  const op = code.number();
  const memory = op <= 11 || (op >= 84 && op <= 93);
  if (memory) code.skip(2);
  if (op === 12 || op === 13) code.at += 16;
  if ((op >= 21 && op <= 34) || (op >= 84 && op <= 91)) code.at += 1; // a lane
  if (op === 11 || (op >= 84 && op <= 91)) reportBelow(V128);
  else if (memory) reportTop();
  copy();
}

function skipImmediates(code, op) {
  if (op >= 0x28 && op <= 0x3e) code.skip(2);
  else if (op === 0x0e) code.skip(code.number() + 1);
  else if (op === 0x1c) code.skip(code.number());
  else if (op === 0x11) code.skip(2);
  else if (op === 0x43) code.at += 4;
  else if (op === 0x44) code.at += 8;
  else if (WITH_INDEX.has(op)) code.skip(1);
  else if (op > 0x11 && op < 0x1a) throw new Error(`instruction ${op}`);
  else if (op > 0xc4 && op !== 0xd1) throw new Error(`instruction ${op}`);
}

// Blocks, branches, variables, tables, memory.size and its like, constants, ref.null.
const WITH_INDEX = new Set([
  ...[0x02, 0x03, 0x04, 0x0c, 0x0d, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26],
  ...[0x3f, 0x40, 0x41, 0x42, 0xd0],
]);

// ---- Bytes ----

class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Unsigned LEB128. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** Skips this many numbers, signed or not. */
  skip(count) {
    for (let i = 0; i < count; i++) while (this.byte() >= 0x80);
  }

  vector(element) {
    return Array.from({ length: this.number() }, (_, index) => element(index));
  }
}

function skipped(bytes, at) {
  const reader = new Reader(bytes, at);
  reader.skip(1);
  return reader.at;
}

function number(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return [...bytes, value];
}

/** Signed LEB128 of a value that is not negative. Bit 6 of the last byte is the sign. */
function signed(value) {
  const bytes = number(value);
  if (bytes.at(-1) >= 0x40) bytes.push(bytes.pop() | 0x80, 0);
  return bytes;
}

function text(string) {
  return [...number(string.length), ...new TextEncoder().encode(string)];
}

function vectorOf(elements) {
  const out = number(elements.length);
  for (const element of elements) copyTo(out, element);
  return out;
}

function appendSection(out, id, content) {
  copyTo(out, [id, ...number(content.length)]);
  copyTo(out, content);
}

function copyTo(out, bytes) {
  for (const byte of bytes) out.push(byte);
}

function push(out, ...parts) {
  for (const part of parts) copyTo(out, part);
}
