import { type ClientRequest, request } from 'node:http';
import { Agent, type Answer, type Exchange } from './agent.js';

/** A request over a connection of its own, which its sender can close without waiting for the answer. */
export class HeldRequest {
  /** The answer; undefined if the connection was closed before. */
  readonly answer: Promise<Answer | undefined>;
  private outgoing: ClientRequest | undefined;
  private readonly written: Promise<void>;

  /** `send` sends one request by the agent. */
  constructor(issuer: string, port: number, send: (agent: Agent) => Promise<Answer>) {
    let isWritten = () => {};
    this.written = new Promise((resolve) => {
      isWritten = resolve;
    });
    const exchange: Exchange = (_port, url, method, payload, headers) =>
      new Promise((resolve, reject) => {
        const path = url.pathname + url.search;
        const options = {
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: { host: url.host, ...headers },
          agent: false,
        };
        this.outgoing = request(options, async (incoming) => {
          const chunks: Buffer[] = [];
          for await (const chunk of incoming) chunks.push(chunk);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
        this.outgoing.on('error', reject);
        this.outgoing.on('socket', (socket) => socket.once('connect', () => this.outgoing?.end(payload, isWritten)));
      });
    this.answer = send(new Agent(issuer, port, exchange)).catch(() => undefined);
  }

  /** Resolves when the whole request has been handed to the operating system. */
  get isSent(): Promise<void> {
    return this.written;
  }

  /** The sender gives up. */
  close(): void {
    this.outgoing?.destroy();
  }
}
