// The page: a key, a file, and the backends of this browser.

import { load } from "./rijn/index.js";
import { parsedKey, fileKey, keyFile, hex } from "./key.js";
import { measured } from "./speeds.js";

const $ = (id) => document.getElementById(id);
const rijn = await load();

// ---- The key ----

let key = null;

/** Takes the key that `read` returns. If it throws, shows the message instead. */
function takeKey(read) {
  let said;
  try {
    key = read();
    said = key ? `${8 * key.length} bits` : "";
  } catch (error) {
    key = null;
    said = error.message;
  }
  $("key-said").textContent = said;
  $("key-said").classList.toggle("bad", !key && said !== "");
  $("save-key").disabled = !key;
  showCiphers();
}

function showKey() {
  takeKey(() => ($("key").value.trim() ? parsedKey($("key").value) : null));
}

/** Lists the ciphers for this key size. The first is the default of `rijn encrypt`. */
function showCiphers() {
  const bits = key ? 8 * key.length : 128;
  const names = rijn.chunkedNames.filter((name) => name.includes(bits));
  const chosen = $("aead").value;
  $("aead").replaceChildren(...names.map((name) => new Option(name)));
  if (names.includes(chosen)) $("aead").value = chosen;
  showTask();
}

function setKey(text) {
  $("key").value = text;
  showKey();
}

function makeKey(size) {
  setKey(hex(rijn.AESGCM.randomKey(size)));
}

$("key").addEventListener("input", showKey);
$("make-128").addEventListener("click", () => makeKey(16));
$("make-256").addEventListener("click", () => makeKey(32));
$("save-key").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([keyFile(key)]));
  Object.assign(document.createElement("a"), { href: url, download: "my.key" }).click();
  URL.revokeObjectURL(url);
});
$("key-file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (file) {
    const bytes = new Uint8Array(await file.slice(0, 8192).arrayBuffer());
    takeKey(() => fileKey(bytes));
    $("key").value = key ? hex(key) : "";
  }
  target.value = "";
});

// ---- The file ----

const task = () => document.querySelector("input[name=task]:checked").value;
let chosen = null; // the file
let running = null; // the AbortController of the current job

/** Returns the name of the result: encryption appends .c2sp; decryption removes it, or appends
 *  .plain. */
function resultName(name) {
  if (task() === "encrypt") return `${name}.c2sp`;
  return name.endsWith(".c2sp") ? name.slice(0, -5) : `${name}.plain`;
}

function showTask() {
  const back = task() === "encrypt" ? "decrypt" : "encrypt";
  const files = back === "decrypt" ? "FILE.c2sp FILE" : "FILE FILE.c2sp";
  $("start").textContent = task() === "encrypt" ? "Encrypt" : "Decrypt";
  $("command").textContent = `rijn ${back} --bare --aead ${$("aead").value} -k my.key ${files}`;
}

function say(text, bad = false) {
  $("work-said").textContent = text;
  $("work-said").classList.toggle("bad", bad);
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;

/** Shows the progress of a file of `size` bytes, until another job starts. */
function progress(size, job) {
  const begin = performance.now();
  let done = 0;
  $("progress").value = 0;
  return new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece);
      done += piece.length;
      if (running !== job) return;
      $("progress").value = done / size;
      const rate = megabytes((done / (performance.now() - begin)) * 1e3);
      say(`${megabytes(done)} of ${megabytes(size)}, ${rate}/s`);
    },
  });
}

/** Collects the whole stream in the browser. No file is written before it ended without an error. */
async function collected(source, signal) {
  const { readable, writable } = new TransformStream();
  const headers = { "Content-Type": "application/octet-stream" };
  const whole = new Response(readable, { headers }).blob();
  whole.catch(() => {}); // pipeTo throws the same error
  await source.pipeTo(writable, { signal });
  const blob = await whole;
  signal.throwIfAborted();
  return blob;
}

function offer(blob, name) {
  Object.assign($("result"), {
    href: URL.createObjectURL(blob),
    download: name,
    textContent: `Save ${name}`,
    hidden: false,
  });
}

/** Removes the offered result, and lets the browser free it. */
function withdraw() {
  URL.revokeObjectURL($("result").href);
  $("result").removeAttribute("href");
  $("result").hidden = true;
}

function choose(file) {
  running?.abort();
  running = null;
  chosen = file;
  withdraw();
  show(false);
  $("work").hidden = false;
  $("progress").value = 0;
  $("drop-said").textContent = "";
  $("work-name").textContent = `${file.name}, ${megabytes(file.size)}`;
  say("");
}

/** Encrypts or decrypts a file. Later changes of the form do not affect the job. */
async function crypt(file) {
  if (!key) return say("Enter or make a key first.", true);
  const encrypting = task() === "encrypt";
  const name = resultName(file.name);
  const options = { aead: $("aead").value };
  const stream = encrypting ? rijn.encryptStream(key, options) : rijn.decryptStream(key, options);
  const job = (running = new AbortController());
  withdraw();
  show(true);
  try {
    const counted = file.stream().pipeThrough(progress(file.size, job));
    offer(await collected(counted.pipeThrough(stream), job.signal), name);
    $("progress").value = 1;
    say(`${encrypting ? "Encrypted" : "Decrypted"}: ${name}`);
  } catch (error) {
    if (running !== job) return;
    if (error.name === "AbortError") say("Cancelled. Nothing was written.");
    else say(`Refused: ${error.message}. Nothing was written.`, true);
  }
  running = null;
  show(false);
}

/** Disables Start and shows Cancel during a job, and the reverse. */
function show(busy) {
  $("start").disabled = busy;
  $("cancel").hidden = !busy;
}

$("start").addEventListener("click", () => crypt(chosen));
$("file").addEventListener("change", ({ target }) => {
  const [file] = target.files;
  if (file) choose(file);
  target.value = "";
});
$("cancel").addEventListener("click", () => running?.abort());
for (const choice of document.getElementsByName("task")) {
  choice.addEventListener("change", showTask);
}
$("aead").addEventListener("change", showTask);

/** Without this, the browser would open a file that is dropped elsewhere on the page. */
for (const event of ["dragover", "drop"]) {
  document.addEventListener(event, (dropped) => dropped.preventDefault());
}
for (const event of ["dragover", "dragleave", "drop"]) {
  $("drop").addEventListener(event, (dropped) => {
    $("drop").classList.toggle("over", event === "dragover");
    if (event === "drop") drop(dropped.dataTransfer.files);
  });
}

function drop(files) {
  if (files.length === 1) choose(files[0]);
  else $("drop-said").textContent = "One file at a time.";
}

// ---- The backends ----

/** Adds a list item for a backend and returns it. */
function addBackend(backend) {
  const item = document.createElement("li");
  item.className = "backend";
  const name = Object.assign(document.createElement("strong"), { textContent: backend.name });
  const about = document.createElement("p");
  const timing = backend.constantTime ? "constant time" : "not constant time";
  about.textContent = backend.available ? `${timing}: ${backend.summary}` : backend.reason;
  item.append(name, about);
  $("backends").append(item);
  return item;
}

function bar(item, name, rate) {
  const row = Object.assign(document.createElement("div"), { className: "bar" });
  const label = Object.assign(document.createElement("span"), { textContent: name });
  const meter = Object.assign(document.createElement("progress"), { max: rate, value: rate });
  const output = document.createElement("output");
  output.textContent = `${rate.toFixed(0)} MB/s`;
  meter.ariaLabel = `${name} on this backend: ${output.textContent}`;
  row.append(label, meter, output);
  item.append(row);
}

/** Scales all bars to the fastest. */
function scale() {
  const bars = [...$("backends").querySelectorAll("progress")];
  const rates = bars.map((one) => Number.parseFloat(one.nextSibling.textContent));
  bars.forEach((one, i) => Object.assign(one, { max: Math.max(...rates), value: rates[i] }));
}

$("measure").addEventListener("click", async () => {
  $("measure").disabled = true;
  $("backends").replaceChildren();
  for (const backend of rijn.backends) {
    const item = addBackend(backend);
    for (const [name, Class] of Object.entries({ "AES-GCM": "AESGCM", AEGIS: "AEGIS128L" })) {
      if (backend.available) bar(item, name, await measured(rijn, Class, backend.name));
      scale();
    }
  }
  $("measure").disabled = false;
  $("measure").textContent = "Measure again";
});

showKey();
