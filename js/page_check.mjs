// Tests the page in headless Chromium:
//
//     node page_check.mjs PAGE MODULES WORK
//
// PAGE     the page's folder that build.py wrote
// MODULES  a folder of npm packages, with puppeteer-core in it
// WORK     has key-16, key-32 and plain, and for each cipher NAME.c2sp from `rijn encrypt --bare`.
//          The page's results go to page/NAME.c2sp, page/NAME.plain and page/my.key in it, and
//          screenshots to page-WIDTH-SCHEME.png.
//
// Prints a line PASSED or FAILED for each check. Exits with 1 if one failed.

import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { launch, serve } from "./browser.mjs";

const [folder, modules, work] = process.argv.slice(2).map((name) => path.resolve(name));
const PATIENCE = 60_000;

const server = await serve(folder);
const address = `${server.address}index.html`;
const downloads = path.join(work, "downloads");
const made = path.join(work, "page");
for (const one of [downloads, made]) await mkdir(one, { recursive: true });
const { browser, close } = await launch(modules);

const faults = [];

/** Opens the page in a window of this width. before: runs before the page's own script. */
async function opened({ width = 1200, scheme = "light", before = () => {} } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(error));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setViewport({ width, height: 900 });
  await page.evaluateOnNewDocument(before);
  const session = await page.createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });
  await page.goto(address);
  await page.waitForFunction(() => document.querySelector("#aead option"));
  return page;
}

const message = (page) => page.$eval("#work-said", (element) => element.textContent);

async function setKey(page, name) {
  const input = await page.$("#key-file");
  await input.uploadFile(path.join(work, name));
  await page.waitForFunction(() => /bits$/.test(document.querySelector("#key-said").textContent));
}

/** Encrypts or decrypts a file in the page. Returns the final message. */
async function worked(page, task, aead, file) {
  await page.click(`input[value=${task}]`);
  await page.select("#aead", aead);
  const input = await page.$("#file");
  await input.uploadFile(file);
  await page.click("#start");
  await page.waitForFunction(() =>
    /^(Encrypted|Decrypted|Refused|Cancelled|Enter or make)/.test(
      document.querySelector("#work-said").textContent,
    ),
  );
  return message(page);
}

/** Presses a button that saves `file`, and moves the file to where check.py expects it. */
async function saved(page, button, file, name) {
  await page.click(button);
  for (let turn = 0; !(await readdir(downloads)).includes(file); turn++) {
    assert(turn < 300, `${file} is not among ${await readdir(downloads)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await rename(path.join(downloads, file), path.join(made, name));
}

const plain = path.join(work, "plain");
const keyOf = (aead) => (aead.includes("128") ? "key-16" : "key-32");

async function interchange() {
  const page = await opened();
  const names = (await readdir(work)).filter((name) => name.endsWith(".c2sp"));
  assert.equal(names.length, 8);
  for (const name of names) {
    const aead = name.replace(".c2sp", "");
    await setKey(page, keyOf(aead));
    assert.equal(await worked(page, "encrypt", aead, plain), "Encrypted: plain.c2sp");
    assert.equal(await page.$eval("#progress", ({ value }) => value), 1);
    await saved(page, "#result", "plain.c2sp", name);
    assert.equal(await worked(page, "decrypt", aead, path.join(work, name)), `Decrypted: ${aead}`);
    await saved(page, "#result", aead, `${aead}.plain`);
  }
  await page.close();
}

async function refusals() {
  const page = await opened();
  const aead = "aes-128-gcm";
  const sound = await readFile(path.join(work, `${aead}.c2sp`));
  assert.equal(await worked(page, "encrypt", aead, plain), "Enter or make a key first.");
  await setKey(page, "key-16");
  const altered = path.join(made, "altered.c2sp");
  for (const [change, reason] of [
    [(bytes) => (bytes[100_000] ^= 1), /^Refused: a chunk was altered/],
    [(bytes) => (bytes[3] ^= 1), /^Refused: wrong key/],
  ]) {
    const bytes = Buffer.from(sound);
    change(bytes);
    await writeFile(altered, bytes);
    assert.match(await worked(page, "decrypt", aead, altered), reason);
    assert.equal(await page.$eval("#result", ({ hidden }) => hidden), true);
  }
  await writeFile(altered, sound.subarray(0, 56 + 5 * 16400));
  assert.match(await worked(page, "decrypt", aead, altered), /^Refused: the message is truncated/);
  await rm(altered);
  await page.$eval("#key", (input) => {
    input.value = "abc";
    input.dispatchEvent(new Event("input"));
  });
  assert.match(await page.$eval("#key-said", (said) => said.textContent), /bytes|neither/);
  await page.close();
}

/** The page never asks for a file to save to: the browser would empty that file at once. */
async function untouched() {
  const page = await opened({
    before: () => {
      window.asked = 0;
      window.showSaveFilePicker = async ({ suggestedName }) => {
        window.asked++;
        const root = await navigator.storage.getDirectory();
        const handle = await root.getFileHandle(suggestedName, { create: true });
        await (await handle.createWritable()).close(); // empties it
        return handle;
      };
    },
  });
  await setKey(page, "key-16");
  assert.match(await worked(page, "encrypt", "aegis-128l", plain), /^Encrypted/);
  const other = path.join(work, "aegis-256.c2sp");
  assert.match(await worked(page, "decrypt", "aegis-128l", other), /^Refused/);
  assert.equal(await page.evaluate(() => window.asked), 0);
  assert.equal(await page.$eval("#result", (link) => link.hasAttribute("href")), false);
  await page.close();
}

/** Opens the page and starts a job, which ends after window.release() is called. */
async function atWork() {
  const page = await opened({
    before: () => {
      window.revoked = [];
      const { revokeObjectURL } = URL;
      URL.revokeObjectURL = (url) => {
        window.revoked.push(url);
        revokeObjectURL(url);
      };
      const { blob } = Response.prototype;
      const released = new Promise((resolve) => (window.release = resolve));
      Response.prototype.blob = async function () {
        const made = await blob.call(this);
        window.read = true;
        await released;
        return made;
      };
    },
  });
  await setKey(page, "key-16");
  await dropOn(page, "#drop", "old.txt");
  await page.click("#start");
  await page.waitForFunction(() => window.read);
  return page;
}

/** Lets the job end, and returns the texts and states of the page. */
async function afterwards(page) {
  await page.evaluate(async () => {
    window.release();
    await new Promise((resolve) => setTimeout(resolve, 100));
  });
  return page.evaluate(() => ({
    name: document.querySelector("#work-name").textContent.split(",")[0],
    said: document.querySelector("#work-said").textContent,
    offered: document.querySelector("#result").getAttribute("href") !== null,
    hidden: document.querySelector("#result").hidden,
    file: document.querySelector("#result").download,
    busy: document.querySelector("#start").disabled,
  }));
}

/** A job that is cancelled at its very end offers no result. Choices for the next job do not change
 *  the running one. */
async function overtaken() {
  const nothing = { offered: false, hidden: true, file: "", busy: false };
  let page = await atWork();
  await dropOn(page, "#drop", "new.txt");
  assert.deepEqual(await afterwards(page), { name: "new.txt", said: "", ...nothing });
  await page.close();

  page = await atWork();
  await page.click("#cancel");
  const said = "Cancelled. Nothing was written.";
  assert.deepEqual(await afterwards(page), { name: "old.txt", said, ...nothing });
  await page.close();

  page = await atWork();
  await page.click("input[value=decrypt]");
  await setKey(page, "key-32");
  const done = { said: "Encrypted: old.txt.c2sp", file: "old.txt.c2sp", busy: false };
  const shown = { offered: true, hidden: false, name: "old.txt" };
  assert.deepEqual(await afterwards(page), { ...done, ...shown });
  const stale = await page.$eval("#result", ({ href }) => href);
  await dropOn(page, "#drop", "new.txt");
  assert.equal((await afterwards(page)).offered, false);
  assert(await page.evaluate((url) => window.revoked.includes(url), stale), `${stale} is kept`);
  await page.close();
}

async function keys() {
  const page = await opened();
  await page.click("#make-256");
  const made = await page.$eval("#key", ({ value }) => value);
  assert.match(made, /^[0-9a-f]{64}$/);
  await page.click("#make-256");
  assert.notEqual(await page.$eval("#key", ({ value }) => value), made);
  const shown = await page.$$eval("#aead option", (options) => options.map(({ value }) => value));
  assert.deepEqual(shown, ["aes-256-gcm", "aegis-256", "aegis-256x2", "aegis-256x4"]);
  await saved(page, "#save-key", "my.key", "my.key");
  const typed = (text) =>
    page.$eval(
      "#key",
      (input, text) => {
        input.value = text;
        input.dispatchEvent(new Event("input"));
        return document.querySelector("#key-said").textContent;
      },
      text,
    );
  assert.equal(await typed(btoa("0123456789abcdef")), "128 bits");
  assert.equal(await typed(`rijn-key-v1 ${"Ab".repeat(16)}`), "128 bits");
  assert.match(await typed(`rijn-key-v1 ${btoa("0123456789abcdef")}`), /^not a key file: its key /);
  // A file that is not a key file gives a message and clears the earlier key.
  await typed("ab".repeat(16));
  const two = path.join(work, "two.key");
  await writeFile(two, `rijn-key-v1 ${"ab".repeat(16)}\n`.repeat(2));
  await (await page.$("#key-file")).uploadFile(two);
  await page.waitForFunction(() => document.querySelector("#key-said.bad"));
  assert.match(await page.$eval("#key-said", (said) => said.textContent), /^not a key file/);
  assert.equal(await page.$eval("#key", ({ value }) => value), "");
  await rm(two);
  await page.close();
}

/** Drops files with these names. Returns whether the page stopped the browser from opening them. */
function dropOn(page, target, ...names) {
  return page.$eval(
    target,
    (element, names) => {
      const dataTransfer = new DataTransfer();
      for (const name of names) dataTransfer.items.add(new File(["dropped"], name));
      const options = { dataTransfer, bubbles: true, cancelable: true };
      return !element.dispatchEvent(new DragEvent("drop", options));
    },
    names,
  );
}

async function dropped() {
  const page = await opened();
  await setKey(page, "key-16");
  assert(await dropOn(page, "header", "beside.txt"), "the browser opens a file dropped elsewhere");
  assert(await dropOn(page, "#drop", "one.txt", "two.txt"));
  assert.equal(await page.$eval("#drop-said", (said) => said.textContent), "One file at a time.");
  assert.equal(await page.$eval("#work", ({ hidden }) => hidden), true);
  assert(await dropOn(page, "#drop", "note.txt"));
  await page.waitForFunction(() =>
    /^note.txt/.test(document.querySelector("#work-name").textContent),
  );
  await page.click("#start");
  await page.waitForFunction(() => document.querySelector("#result").download === "note.txt.c2sp");
  await page.close();
}

/** Returns the share of pixels that do not have the commonest colour, and the number of colours. */
async function inked(picture) {
  const page = await browser.newPage();
  const share = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = new Map();
    for (const pixel of new Uint32Array(data.buffer)) {
      counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    }
    return { share: 1 - Math.max(...counts.values()) / (data.length / 4), colours: counts.size };
  }, picture.toString("base64"));
  await page.close();
  return share;
}

async function pictures() {
  for (const [width, scheme] of [
    [1200, "light"],
    [400, "dark"],
  ]) {
    const page = await opened({ width, scheme });
    await setKey(page, "key-16");
    await worked(page, "encrypt", "aes-128-gcm", plain);
    await page.click("#measure");
    await page.waitForFunction(() => !document.querySelector("#measure").disabled);
    const rates = await page.$$eval("#backends output", (all) => all.map(({ value }) => value));
    assert(rates.length >= 6, `${rates.length} bars`);
    for (const rate of rates) assert.match(rate, /^[1-9]\d* MB\/s$/);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= width, `${wide} pixels wide in a window of ${width}`);
    const file = path.join(work, `page-${width}-${scheme}.png`);
    const picture = Buffer.from(await page.screenshot({ path: file, fullPage: true }));
    const { share, colours } = await inked(picture);
    assert(share > 0.05 && colours > 20, `${file} is blank: ${share}, ${colours} colours`);
    await page.close();
  }
}

async function quiet() {
  assert.deepEqual(faults, []);
}

const checks = { interchange, refusals, untouched, overtaken, keys, dropped, pictures, quiet };
try {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`PASSED page, ${name}`);
    } catch (error) {
      console.log(`FAILED page, ${name}`);
      console.log(error);
      process.exitCode = 1;
    }
  }
} finally {
  await close();
  server.close();
}
