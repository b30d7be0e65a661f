// The WebSocket to the server: reconnects by itself, waiting longer each time, and keeps only the newest frame.
const kFirstWait = 250; // ms before the first new attempt
const kLongestWait = 5000; // ms

export interface ConnectionEvents {
  opened(): void;
  lost(waitMs: number): void;
  text(line: string): void;
  frame(buffer: ArrayBuffer): void;
}

// Doubling, with a little chance so that ten pages do not come back at the same moment.
export function nextWait(attempt: number, chance: number): number {
  return Math.min(kFirstWait * 2 ** attempt, kLongestWait) * (0.75 + 0.5 * chance);
}

export class Connection {
  private socket: WebSocket | null = null;
  private attempt = 0;
  private timer = 0;

  constructor(private readonly url: string, private readonly events: ConnectionEvents) {}

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.attempt = 0;
      this.events.opened();
    };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") this.events.text(event.data);
      else this.events.frame(event.data as ArrayBuffer);
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      const wait = nextWait(this.attempt++, Math.random());
      this.events.lost(wait);
      this.timer = window.setTimeout(() => this.open(), wait);
    };
  }

  retryNow() {
    if (this.socket === null) this.open();
  }

  // False if there is no connection: what was to be said is lost, and the banner says why.
  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}

// Where the server of this page listens, with the token that the page's own address carries.
export function liveAddress(location: { protocol: string; host: string; search: string }): string {
  const token = new URLSearchParams(location.search).get("token");
  const query = token === null ? "" : `?token=${encodeURIComponent(token)}`;
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live${query}`;
}
