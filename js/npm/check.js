// What arguments are asked to be, and what is said where they are not.

/** A message, a tag, a key or a stream that is refused. `code` says which, for programs. */
export class RijnError extends Error {
  constructor(code, message) {
    super(message);
    this.name = "RijnError";
    this.code = code;
  }
}

const KINDS = ["Uint8Array", "Uint8ClampedArray", "Int8Array"];

/** What every typed array has, whatever its class, or the array itself, says. */
const intrinsic = (name) => {
  const { get } = Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype),
    name,
  );
  return (value) => Reflect.apply(get, value, []);
};
const kindOf = intrinsic(Symbol.toStringTag); // undefined of what is no typed array
const bufferOf = intrinsic("buffer");
const offsetOf = intrinsic("byteOffset");
const sizeOf = intrinsic("byteLength");

/** The bytes of a view, of another realm or of Node's Buffer too, as a view of our own: of one
 *  size while it is worked on. */
export function bytesOf(name, value) {
  if (!KINDS.includes(kindOf(value))) {
    const found = value === null ? "null" : (value?.constructor?.name ?? typeof value);
    throw new TypeError(`${name}: a Uint8Array, not ${found}`);
  }
  const size = sizeOf(value);
  if (size === 0 && isGone(value)) throw new TypeError(`${name}: its buffer was taken away`);
  return new Uint8Array(bufferOf(value), offsetOf(value), size);
}

/** Such a view says that it is empty. */
function isGone(view) {
  try {
    Reflect.apply(Uint8Array.prototype.keys, view, []);
  } catch {
    return true;
  }
  return false;
}

/** The same of a size in bytes: of a list of those there are, or of {least, most}. */
export function sized(name, value, sizes) {
  const bytes = bytesOf(name, value);
  const size = bytes.length;
  if (Array.isArray(sizes) ? sizes.includes(size) : size >= sizes.least && size <= sizes.most) {
    return bytes;
  }
  throw new RangeError(`${name}: ${said(sizes)} bytes, not ${size}`);
}

/** What was asked for; not what a prototype has. */
export function option(options, name, otherwise) {
  const given = Object.hasOwn(options, name) ? options[name] : undefined;
  return given === undefined ? otherwise : given;
}

function said(sizes) {
  if (Array.isArray(sizes)) return sizes.join(" or ");
  return sizes.most === Infinity ? `at least ${sizes.least}` : `${sizes.least} to ${sizes.most}`;
}
