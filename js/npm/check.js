// Checks of arguments, and their error messages.

/** A refused message, tag, key or stream. Programs read `code`; index.d.ts lists the codes. */
export class RijnError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "RijnError";
    this.code = code;
  }
}

const KINDS = ["Uint8Array", "Uint8ClampedArray", "Int8Array"];

/** Returns the getter of all typed arrays. Subclasses and own properties cannot override it. */
const intrinsic = (name) => {
  const { get } = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype),
    name,
  );
  return (value) => Reflect.apply(get, value, []);
};
const kindOf = intrinsic(Symbol.toStringTag); // undefined unless it is a typed array
const bufferOf = intrinsic("buffer");
const offsetOf = intrinsic("byteOffset");
const sizeOf = intrinsic("byteLength");

/** Returns a new view of the same bytes, whose size the caller cannot change. Views of other
 *  realms and Node's Buffers are accepted. */
export function bytesOf(name, value) {
  if (!KINDS.includes(kindOf(value))) {
    const found = value === null ? "null" : (value?.constructor?.name ?? typeof value);
    throw new TypeError(`${name} must be a Uint8Array, not ${found}`);
  }
  const size = sizeOf(value);
  if (size === 0 && isDetached(value)) throw new TypeError(`${name}: its buffer is detached`);
  return new Uint8Array(bufferOf(value), offsetOf(value), size);
}

/** Tells a detached view from an empty one: both have size 0. */
function isDetached(view) {
  try {
    Reflect.apply(Uint8Array.prototype.keys, view, []);
  } catch {
    return true;
  }
  return false;
}

/** Like bytesOf, and checks the size in bytes. sizes: a list, or {least, most}. */
export function sized(name, value, sizes) {
  const bytes = bytesOf(name, value);
  const size = bytes.length;
  if (Array.isArray(sizes) ? sizes.includes(size) : size >= sizes.least && size <= sizes.most) {
    return bytes;
  }
  throw new RangeError(`${name} must have ${sizeText(sizes)} bytes, not ${size}`);
}

/** Returns an own property of the options; properties of the prototype are ignored. */
export function option(options, name, otherwise) {
  const given = Object.hasOwn(options, name) ? options[name] : undefined;
  return given === undefined ? otherwise : given;
}

function sizeText(sizes) {
  if (Array.isArray(sizes)) return sizes.join(" or ");
  return sizes.most === Infinity ? `at least ${sizes.least}` : `${sizes.least} to ${sizes.most}`;
}
