import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publicApp } from '../clients/clients.js';

interface ReceivedToken {
  path: string;
  token: string;
  headers: IncomingMessage['headers'];
}

/** The server of two apps that receive logout tokens. */
class LogoutReceiver {
  /** The tokens of the current test. */
  tokens: ReceivedToken[] = [];
  answer = acknowledge;
  private readonly server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const token = new URLSearchParams(body).get('logout_token') ?? '';
    this.tokens.push({ path: request.url ?? '', token, headers: request.headers });
    this.answer(request, response);
  });

  start(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  /** Ends the connections of requests that have no answer. */
  disconnect(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.disconnect();
    await new Promise((resolve) => this.server.close(resolve));
  }

  addressOf(path: string): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}/${path}`;
  }

  /** The registrations of the two apps. */
  get clients() {
    const heart = { ...publicApp, backChannelLogoutUri: this.addressOf('heart') };
    const bone = { clientId: 'other-app', clientName: 'Bone Companion', backChannelLogoutUri: this.addressOf('bone') };
    return [heart, { ...publicApp, ...bone }];
  }
}

function acknowledge(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'cache-control': 'no-store' }).end();
}

/** A receiver for all tests of a file, which each test finds without tokens and acknowledging them. */
export function useLogoutReceiver(): LogoutReceiver {
  const receiver = new LogoutReceiver();
  beforeAll(() => receiver.start());
  beforeEach(() => {
    receiver.tokens = [];
    receiver.answer = acknowledge;
  });
  afterAll(() => receiver.stop());
  return receiver;
}
