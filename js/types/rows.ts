// The values of the README's rows, and same().
const data: Uint8Array = new TextEncoder().encode("some bytes, more than a block");
const ad = new Uint8Array(5).fill(3);
const counter = new Uint8Array(16).fill(9);

/** Takes results of any shape: bytes, a buffer, or a list of them. */
async function bytesOf(work: () => Promise<unknown>): Promise<string> {
  const result = await work();
  const parts = (Array.isArray(result) ? result : [result]) as (Uint8Array | ArrayBuffer)[];
  return parts.flatMap((part) => [...new Uint8Array(part)]).join();
}

async function same(left: () => Promise<unknown>, right: () => Promise<unknown>): Promise<void> {
  const [before, now] = [await bytesOf(left), await bytesOf(right)];
  if (!now || before !== now) throw new Error(`${left} gives ${before}, ${right} ${now}`);
}
