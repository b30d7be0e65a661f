// Starts `cairn view` for a test, and ends it.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

export async function startLab(command, scene, { port, options = [] } = {}) {
  port ??= await freePort();
  const server = spawn(command, ["view", scene, "--no-browser", "--port", String(port), ...options], { stdio: ["ignore", "pipe", "pipe"], cwd: mkdtempSync(join(tmpdir(), "cairn-lab-")) });
  process.on("exit", () => server.kill("SIGKILL")); // also if a test failed half way
  let output = "";
  await new Promise((resolve, reject) => {
    const hear = (bytes) => {
      output += bytes;
      if (output.includes(`:${port}/`)) resolve();
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`${command} view ended with ${code}: ${output}`)));
  });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  return {
    port,
    address: `http://127.0.0.1:${port}/`,
    // Without a word, as when the machine goes down.
    async kill() {
      server.kill("SIGKILL");
      await ended;
    },
    async stop() {
      server.kill("SIGINT");
      return ended;
    },
  };
}
