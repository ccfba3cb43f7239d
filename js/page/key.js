// Reads a key: typed as hexadecimal or base64, or from a key file (docs/format.md).

const SIZES = [16, 32];
const LABEL = "rijn-key-v1 "; // starts the line of a key file
const MOST = 4096; // bytes of a key file

/** Returns the bytes of a key that was typed, or pasted from a key file. Throws Error. */
export function parsedKey(text) {
  if (text.includes(LABEL)) return labelled(text);
  const typed = text.trim();
  const bytes = fromHex(typed) ?? fromBase64(typed);
  if (!bytes) throw new Error("neither hexadecimal nor base64");
  if (!SIZES.includes(bytes.length)) {
    throw new Error(`a key has ${SIZES.join(" or ")} bytes, not ${bytes.length}`);
  }
  return bytes;
}

/** Returns the key in a key file. The file's first 4097 bytes are enough. Throws Error. */
export function fileKey(bytes) {
  if (bytes.length > MOST) throw new Error(`not a key file: it has more than ${MOST} bytes`);
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("not a key file: it is not UTF-8");
  }
  return labelled(text);
}

/** Returns the key in the text of a key file. docs/format.md has the grammar. */
function labelled(text) {
  const clean = text.replaceAll("\r\n", "\n");
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(clean)) {
    throw new Error("not a key file: it contains a control character");
  }
  const lines = clean.split("\n").map((line) => line.replace(/^[ \t]+|[ \t]+$/g, ""));
  const [line, ...more] = lines.filter((line) => line && !line.startsWith("#"));
  if (!line?.startsWith(LABEL) || more.length) {
    throw new Error(`not a key file: expected one line that starts with '${LABEL}'`);
  }
  const bytes = fromHex(line.slice(LABEL.length));
  if (!SIZES.includes(bytes?.length)) {
    const digits = SIZES.map((size) => 2 * size).join(" or ");
    throw new Error(`not a key file: its key must have ${digits} hexadecimal digits`);
  }
  return bytes;
}

function fromHex(text) {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return null;
  return Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));
}

function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function keyFile(key) {
  const about = `# Rijn key, ${8 * key.length} bits. Whoever has it can read what it encrypts.`;
  return `${about}\n${LABEL}${hex(key)}\n`;
}
