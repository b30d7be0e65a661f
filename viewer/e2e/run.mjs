// Runs the tests of the page in a real browser against the real command. CAIRN_COMMAND is the cairn program, CAIRN_PAGE the built
// index.html, CAIRN_SHOTS where pictures go. Arguments choose files: node e2e/run.mjs replay
import { openBrowser } from "./browser.mjs";
import { checkPageFile, kCommand, kPage } from "./harness.mjs";

const kFiles = ["replay", "damaged", "live"];
const kLimit = 240_000; // ms for each test

if (!kPage) throw new Error("CAIRN_PAGE must name the built index.html");
const wanted = process.argv.length > 2 ? process.argv.slice(2) : kFiles;
if (!kCommand && wanted.includes("live")) throw new Error("CAIRN_COMMAND must name the cairn program");

function withLimit(promise, name) {
  let timer;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name}: not done after ${kLimit / 1000} s`)), kLimit);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

console.log(`# the page has ${checkPageFile()} bytes`);
const browser = await openBrowser();
const begun = Date.now();
let count = 0;
let failures = 0;
for (const file of wanted) {
  const { tests } = await import(`./${file}.e2e.mjs`);
  let isBroken = false; // the first test of a file opens what the others use
  for (const [index, [name, run]] of Object.entries(tests).entries()) {
    const start = Date.now();
    if (isBroken) {
      failures += 1;
      console.log(`not ok ${++count} - ${file}: ${name} # not run, the first test of this file failed`);
      continue;
    }
    try {
      await withLimit(run({ browser }), name);
      console.log(`ok ${++count} - ${file}: ${name} # ${((Date.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      failures += 1;
      isBroken = index === 0;
      console.log(`not ok ${++count} - ${file}: ${name}\n  ${String(error.stack ?? error).replaceAll("\n", "\n  ")}`);
    }
  }
}
console.log(`1..${count}`);
console.log(`# ${count - failures} of ${count} passed in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
await browser.close();
process.exit(failures === 0 ? 0 : 1);
