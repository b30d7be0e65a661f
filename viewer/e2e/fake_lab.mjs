// A stand-in for the server where the real one will not do: it sends damaged frames, or frames of thousands of bodies at any rate.
// HTTP, and as much of a WebSocket (RFC 6455) as a browser needs.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // of the RFC

function packet(payload, isBinary) {
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(2) : size < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = isBinary ? 0x82 : 0x81;
  head[1] = size < 126 ? size : size < 65536 ? 126 : 127;
  if (size >= 126 && size < 65536) head.writeUInt16BE(size, 2);
  if (size >= 65536) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, payload]);
}

// Calls hear() for each text that a client sent; clients mask what they send.
function reader(hear, closed) {
  let kept = Buffer.alloc(0);
  return (bytes) => {
    kept = Buffer.concat([kept, bytes]);
    while (kept.length >= 2) {
      let size = kept[1] & 127;
      let at = 2;
      if (size === 126) {
        if (kept.length < 4) return;
        size = kept.readUInt16BE(2);
        at = 4;
      }
      if (kept.length < at + 4 + size) return;
      const mask = kept.subarray(at, at + 4);
      const data = Buffer.from(kept.subarray(at + 4, at + 4 + size)).map((byte, k) => byte ^ mask[k % 4]);
      const code = kept[0] & 15;
      kept = kept.subarray(at + 4 + size);
      if (code === 8) closed();
      if (code === 1) hear(JSON.parse(data.toString()));
    }
  };
}

// `joined` is given a client for each connection: say(object), frame(bytes), hear = (message) => …
export function startFakeLab(page, joined) {
  const server = createServer((request, response) => {
    if (request.url.startsWith("/pictures/")) return response.writeHead(404).end();
    return response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(readFileSync(page));
  });
  server.on("upgrade", (request, socket) => {
    const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + kGuid).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.setNoDelay(true);
    const client = {
      hear: () => {},
      say: (message) => socket.write(packet(Buffer.from(JSON.stringify(message)), false)),
      frame: (bytes) => socket.write(packet(Buffer.from(bytes), true)),
      isOpen: true,
    };
    socket.on("data", reader((message) => client.hear(message), () => socket.end()));
    socket.on("close", () => (client.isOpen = false));
    socket.on("error", () => (client.isOpen = false));
    joined(client);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({
        address: `http://127.0.0.1:${server.address().port}/`,
        stop() {
          server.closeAllConnections?.();
          server.close();
        },
      });
    });
  });
}

const kSettings = {
  stepper: "soft", solver: "auto", takesSolver: false, friction_law: "auto", facets: 8, iterations: 1000, tolerance: 1e-5, substeps: 20,
  dt: 1 / 60, gravity: [0, 0, -9.81], friction: null, restitution: null, threads: 1, sleep: false,
};

export function introduce(client, bodies, radius) {
  client.say({ say: "hello", version: "0", protocol: 1, client: 1, scenes: [], steppers: [{ name: "soft", takesSolver: false }], solvers: ["auto"], shapes: ["box"] });
  client.say({
    say: "scene", epoch: 1, name: "fake", title: "A stand-in", description: "", origin: [0, 0, 0], up: [0, 0, 1], radius, parameters: [], settings: kSettings, bodies,
  });
  client.say({ say: "state", playing: true, speed: 1, controls: 1, clients: 1, time: 0, step: 0, pinned: [], recording: null });
}
