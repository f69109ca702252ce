import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import type { Exchange } from './agent.js';

/**
 * Connections to one port that are kept open, for tests that load a portal: a new one for each request costs more than
 * many an answer.
 */
export class Connections {
  /** Requests that were begun. */
  requests = 0;
  private readonly pool: Pool;

  constructor(port: number, most: number) {
    this.pool = new Pool(`http://127.0.0.1:${port}`, { connections: most });
  }

  readonly exchange: Exchange = async (_port, url, method, payload, headers) => {
    this.requests += 1;
    const path = url.pathname + url.search;
    const answer = await this.pool.request({
      path,
      method: method as 'GET',
      headers: { host: url.host, ...headers },
      body: payload ?? null,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers as IncomingHttpHeaders,
      text: await answer.body.text(),
    };
  };

  close(): Promise<void> {
    return this.pool.close();
  }
}
