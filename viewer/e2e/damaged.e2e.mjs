// A server that says wrong things: the page drops them, says so, and goes on.
import { frameBytes } from "../tests/frame_bytes.mjs";
import { kBody, kGround } from "../tests/samples.mjs";
import { faults } from "./browser.mjs";
import { introduce, startFakeLab } from "./fake_lab.mjs";
import { check, kPage, openLab, shot, until } from "./harness.mjs";

export const tests = {
  "damaged frames and messages are dropped with a notice, and acknowledged": async ({ browser }) => {
    let client;
    const acknowledged = [];
    const lab = await startFakeLab(kPage, (joined) => {
      client = joined;
      client.hear = (message) => message.do === "ack" && acknowledged.push(message.frame);
      introduce(client, [kGround, kBody], 4);
    });
    const page = await openLab(browser, lab.address);
    const frame = (number, x, epoch = 1) => frameBytes({ number, epoch, time: number / 60, bodies: [{ slot: 1, position: [x, 0, 1], rotation: [0, 0, 0, 1] }] });
    const isAt = (x) => until(page, (wanted) => window.cairn.world.poses.target.positions[3] === wanted, x);
    client.frame(frame(1, 0.5));
    await isAt(0.5);
    client.frame(frame(2, 9).slice(0, 60)); // cut off
    await until(page, () => /damaged frame/.test(document.querySelector(".toasts").textContent));
    const wild = frame(3, 9);
    new DataView(wild).setFloat32(36, NaN, true);
    client.frame(wild);
    client.frame(Buffer.from("nonsense"));
    client.say({ say: "bodies", epoch: 1, add: [{ slot: -5 }] });
    client.say({ say: "something new" });
    client.frame(frame(4, 7, 99)); // of a scene that is not there
    client.frame(frame(5, 2));
    await isAt(2);
    // Frames that were overtaken are acknowledged as well: the server waits for none of them.
    while (acknowledged.length < 5) await new Promise((resolve) => setTimeout(resolve, 20));
    check(acknowledged.sort().join() === "1,2,3,4,5", `acknowledged: ${acknowledged}`);
    await until(page, () => /does not understand/.test(document.querySelector(".toasts").textContent));
    check(faults(page, [/404/]).length === 0, `the page complained: ${faults(page, [/404/])}`);
    await shot(page, "damaged");
    await page.context().close();
    lab.stop();
  },
};
