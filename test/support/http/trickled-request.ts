import { connect, type Socket } from 'node:net';
import { Agent, type Answer, type Exchange } from './agent.js';

/** How much of a request is sent at first. */
export const trickles = {
  'its headers': (head: string, body: string) => [`${head}Content-Length: ${body.length}\r\n\r\n`, body],
  'all but the last byte of its body': (head: string, body: string) => [
    `${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
    body.slice(-1),
  ],
  'its whole body, but not the end of it': (head: string, body: string) => [
    `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
    '0\r\n\r\n',
  ],
  'its headers, which wait for a 100': (head: string, body: string) => [
    `${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
  ],
  'a part of its first line': (head: string, body: string) => [
    head.slice(0, 9),
    `${head.slice(9)}Content-Length: ${body.length}\r\n\r\n${body}`,
  ],
} as const;

/** A request over a connection of its own, the rest of which is sent later. */
export class TrickledRequest {
  readonly answer: Promise<Answer>;
  /** Resolves when the first part has been sent. */
  readonly begun: Promise<void>;
  private socket: Socket | undefined;
  private rest = '';

  constructor(issuer: string, port: number, way: keyof typeof trickles, send: (agent: Agent) => Promise<Answer>) {
    let isBegun = () => {};
    this.begun = new Promise((resolve) => {
      isBegun = resolve;
    });
    const exchange: Exchange = (_port, url, method, payload = '', headers) =>
      new Promise((resolve, reject) => {
        const { 'content-length': _, ...others } = headers;
        const lines = Object.entries({ Host: url.host, Connection: 'close', ...others });
        const head = `${method} ${url.pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
        const [first = '', rest = ''] = trickles[way](head, payload);
        this.rest = rest;
        let text = '';
        this.socket = connect(port, '127.0.0.1', () => this.socket?.write(first, () => isBegun()));
        this.socket.on('data', (chunk) => {
          text += chunk;
        });
        this.socket.on('error', reject);
        this.socket.on('close', () => {
          const whole = text.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '');
          const body = whole.slice(whole.indexOf('\r\n\r\n') + 4);
          resolve({
            status: Number(whole.split(' ', 2)[1]),
            headers: { 'content-type': 'application/json' },
            text: body,
          });
        });
      });
    this.answer = send(new Agent(issuer, port, exchange));
  }

  finish(): void {
    this.socket?.write(this.rest);
  }
}
