// A key as people write it: digits, base64, or the text of a key file (docs/format.md).

const SIZES = [16, 32];
const LABEL = "rijn-key-v1";

/** The bytes. Throws Error. */
export function parsedKey(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const [line, ...more] = lines.filter((line) => line && !line.startsWith("#"));
  if (!line || more.length) throw new Error("not one key");
  const bytes = line.startsWith(`${LABEL} `)
    ? fromHex(line.slice(LABEL.length + 1))
    : (fromHex(line) ?? fromBase64(line));
  if (!bytes) throw new Error("neither hexadecimal nor base64");
  if (!SIZES.includes(bytes.length)) {
    throw new Error(`${bytes.length} bytes; keys have ${SIZES.join(" or ")}`);
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
  return `${about}\n${LABEL} ${hex(key)}\n`;
}
