// How many pictures a second the page draws, and how late what it shows is, with 2,000 and 20,000 bodies that all move. A stand-in for the
// server sends frames at up to 60 a second under the rules of the protocol, so that only the page is measured.
//   CAIRN_PAGE=…/index.html node bench/rate.mjs [bodies …]      prints JSON
import { openBrowser, openPage } from "../e2e/browser.mjs";
import { introduce, startFakeLab } from "../e2e/fake_lab.mjs";

const kSeconds = 8;
const kWarmUp = 7; // s, in which the page chooses how well to draw
const kRate = 60; // frames a second

function makeBodies(count) {
  const side = Math.ceil(Math.cbrt(count));
  const pose = { rotation: [0, 0, 0, 1], center: [0, 0, 0] };
  const shapes = [{ type: "box", half: [0.3, 0.3, 0.3] }, { type: "sphere", radius: 0.3 }, { type: "cylinder", radius: 0.25, halfHeight: 0.3 }];
  const bodies = [{ slot: 0, name: "ground", kind: "static", mass: 0, colour: "#b4b6b8", position: [0, 0, 0], ...pose, shapes: [{ type: "plane", normal: [0, 0, 1], offset: 0 }] }];
  for (let k = 0; k < count; ++k) {
    const position = [k % side, Math.floor(k / side) % side, Math.floor(k / (side * side))].map((value, c) => value - (c < 2 ? side / 2 : -0.5));
    bodies.push({ slot: k + 1, name: `body.${k}`, kind: "dynamic", mass: 1, colour: ["#be7860", "#7396b8", "#d3ad62"][k % 3], position, ...pose, shapes: [shapes[k % 3]] });
  }
  return { bodies, radius: side };
}

// The whole frame, with every body swinging and turning.
function makeFrame(bodies, number, seconds) {
  const count = bodies.length - 1;
  const buffer = new ArrayBuffer(32 + 4 * count + 12 * count + 16 * count + ((count + 3) & ~3));
  const view = new DataView(buffer);
  [0x4e524143, 0, 1, number].forEach((value, k) => view.setUint32(4 * k, value, true));
  view.setFloat64(16, Date.now() / 1000, true); // the page tells from it how late it is
  view.setUint32(24, number, true);
  view.setUint32(28, count, true);
  const slots = new Uint32Array(buffer, 32, count);
  const positions = new Float32Array(buffer, 32 + 4 * count, 3 * count);
  const rotations = new Float32Array(buffer, 32 + 16 * count, 4 * count);
  const [sine, cosine] = [Math.sin(seconds), Math.cos(seconds)];
  for (let k = 0; k < count; ++k) {
    const { position } = bodies[k + 1];
    slots[k] = k + 1;
    positions[3 * k] = position[0] + 0.2 * sine;
    positions[3 * k + 1] = position[1] + 0.2 * cosine;
    positions[3 * k + 2] = position[2];
    rotations[4 * k + 2] = sine;
    rotations[4 * k + 3] = cosine;
  }
  return buffer;
}

// s that the browser's processes have run: what a picture costs, also where other programs take their share of the machine.
async function processorTimes(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const times = { renderer: 0, GPU: 0 };
  for (const { type, cpuTime } of processInfo) if (type in times) times[type] += cpuTime;
  return times;
}

async function measure(browser, count) {
  const { bodies, radius } = makeBodies(count);
  let sent = 0;
  const lab = await startFakeLab(process.env.CAIRN_PAGE, (client) => {
    let acknowledged = 0;
    client.hear = (message) => message.do === "ack" && (acknowledged += 1);
    introduce(client, bodies, radius);
    const start = Date.now();
    const timer = setInterval(() => {
      if (!client.isOpen) clearInterval(timer);
      else if (sent - acknowledged < 2) client.frame(makeFrame(bodies, ++sent, (Date.now() - start) / 1000));
    }, 1000 / kRate);
  });
  const page = await openPage(browser, lab.address);
  await page.waitForFunction(() => window.cairn?.world.frame != null, undefined, { timeout: 120_000 });
  await page.waitForTimeout(1000 * kWarmUp);
  const before = await processorTimes(browser);
  const result = await page.evaluate(async (seconds) => {
    const { view, live, world } = window.cairn;
    const [drawn, received, start] = [view.drawnFrames, live.receivedFrames, performance.now()];
    const delays = [];
    const gaps = [];
    let last = start;
    while (performance.now() - start < 1000 * seconds) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      delays.push(1000 * (Date.now() / 1000 - world.frame.time));
    }
    const passed = (performance.now() - start) / 1000;
    const quantile = (values, share) => Number(values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))].toFixed(1));
    const renderer = document.createElement("canvas").getContext("webgl2");
    return {
      drawn: view.drawnFrames - drawn,
      pictures_per_second: Number(((view.drawnFrames - drawn) / passed).toFixed(1)),
      frames_taken_per_second: Number(((live.receivedFrames - received) / passed).toFixed(1)),
      delay_ms: { median: quantile(delays, 0.5), p95: quantile(delays, 0.95) },
      picture_ms: { median: quantile(gaps, 0.5), p95: quantile(gaps, 0.95) },
      quality_level: view.quality.level,
      graphics: renderer.getParameter(renderer.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL),
    };
  }, kSeconds);
  const after = await processorTimes(browser);
  const { drawn, ...measured } = result;
  const perPicture = (kind) => (drawn > 0 ? Number(((1000 * (after[kind] - before[kind])) / drawn).toFixed(1)) : null);
  await page.context().close();
  lab.stop();
  return { bodies: count, ...measured, processor_ms_per_picture: { page: perPicture("renderer"), graphics: perPicture("GPU") } };
}

const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [2000, 20_000];
const browser = await openBrowser();
browser.on("disconnected", () => {
  if (isDone) return;
  console.error("rate: the browser died");
  process.exit(1);
});
let isDone = false;
const runs = [];
for (const count of counts) runs.push(await measure(browser, count));
isDone = true;
await browser.close();
console.log(JSON.stringify({ window: "1280x720", seconds: kSeconds, runs }, null, 2));
