// Measures how fast a backend seals in this browser.

const SIZE = 16384;
const PASSES = 5;
const PASS = 25; // milliseconds
const FIRST = 200; // milliseconds of warm-up, for the browser's compiler

/** Returns MB/s, the median of the passes. The browser redraws the page between passes. */
export async function measured(rijn, name, backend) {
  const Class = rijn[name];
  const key = new Class(Class.randomKey(16), { backend });
  const nonce = Class.randomNonce();
  const data = new Uint8Array(SIZE);
  const rates = [];
  const seal = () => key.seal(nonce, data);
  passed(seal, FIRST);
  while (rates.length < PASSES) {
    await new Promise((resolve) => setTimeout(resolve));
    rates.push(passed(seal, PASS));
  }
  key.destroy();
  return rates.sort((a, b) => a - b)[PASSES >> 1];
}

function passed(work, time) {
  const begin = performance.now();
  let calls = 0;
  let spent = 0;
  for (; spent < time; spent = performance.now() - begin) {
    work();
    calls++;
  }
  return (calls * SIZE) / spent / 1e3;
}
