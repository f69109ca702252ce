import { Agent as Connections, type IncomingHttpHeaders, request } from 'node:http';
import { expectDescribed } from './described-answers.js';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; throws if it is not JSON. */
  json<T = Record<string, unknown>>(): T;
  /** The Location header as an absolute address. */
  location: string | undefined;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a text and bytes unchanged. */
  body?: unknown;
  form?: Record<string, string>;
}

/** Sends a request with exactly these headers to a port of this machine. */
export type Exchange = (
  port: number,
  url: URL,
  method: string,
  payload: string | undefined,
  headers: Record<string, string>,
) => Promise<Pick<Answer, 'status' | 'headers' | 'text'>>;

/** A browser without pages: stores cookies, follows no redirects, and can use any node of a portal. */
export class Agent {
  readonly cookies = new Map<string, string>();
  /** Cookies that are sent to one path only. */
  private readonly scoped = new Map<string, { path: string; name: string; value: string }>();

  constructor(
    readonly issuer: string,
    /** The port of the node; the Host header is always the issuer's. */
    public port: number = Number(new URL(issuer).port),
    private readonly exchange: Exchange = overKeptConnection,
  ) {}

  get(path: string, send: RequestOptions = {}): Promise<Answer> {
    return this.send(path, send);
  }

  post(path: string, body: unknown, send: RequestOptions = {}): Promise<Answer> {
    return this.send(path, { method: 'POST', body, ...send });
  }

  postForm(path: string, form: Record<string, string>, send: RequestOptions = {}): Promise<Answer> {
    return this.send(path, { method: 'POST', form, ...send });
  }

  /** Signs out as the portal's pages do; without `Sec-Fetch-Site`, the portal would ask for confirmation. */
  signOut(): Promise<Answer> {
    return this.get('/logout', { headers: { 'sec-fetch-site': 'same-origin' } });
  }

  async send(path: string, { method = 'GET', headers = {}, body, form }: RequestOptions = {}): Promise<Answer> {
    const url = this.addressOf(path);
    const payload = form
      ? new URLSearchParams(form).toString()
      : typeof body === 'object' && !(body instanceof Uint8Array)
        ? JSON.stringify(body)
        : body;
    const cookie = this.cookiesFor(url.pathname);
    const contentType = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const exchanged = await this.exchange(this.port, url, method, payload as string | undefined, {
      ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': lengthOf(payload as string) }),
      ...(cookie === '' ? {} : { cookie }),
      ...headers,
    });
    const { status, headers: given, text } = exchanged;
    this.keepCookies([given['set-cookie'] ?? []].flat());
    const within = url.pathname.slice(new URL(this.issuer).pathname.replace(/\/$/, '').length);
    expectDescribed({ method, path: within, status, type: given['content-type'], text });
    const { location } = given;
    return {
      status,
      headers: given,
      text,
      json: () => JSON.parse(text),
      location: location === undefined ? undefined : new URL(location, url).href,
    };
  }

  /** A path is relative to the issuer, which may have a path. */
  private addressOf(path: string): URL {
    const base = new URL(this.issuer).pathname.replace(/\/$/, '');
    const isWhole = !path.startsWith('/') || path.startsWith(`${base}/`);
    return new URL(isWhole ? path : base + path, this.issuer);
  }

  private cookiesFor(path: string): string {
    const scoped = [...this.scoped.values()].filter((one) => path === one.path || path.startsWith(`${one.path}/`));
    return [...this.cookies, ...scoped.map(({ name, value }) => [name, value])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  private keepCookies(lines: string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';');
      const [name = '', ...parts] = pair.split('=');
      const value = parts.join('=');
      const path = attributes.map((attribute) => /^ ?path=(.+)$/i.exec(attribute)?.[1]).find(Boolean) ?? '/';
      const gone = attributes.some((attribute) => /expires=thu, 01 jan 1970/i.test(attribute));
      const key = `${path} ${name}`;
      if (gone) path === '/' ? this.cookies.delete(name) : this.scoped.delete(key);
      else if (path === '/') this.cookies.set(name, value);
      else this.scoped.set(key, { path, name, value });
    }
  }
}

/** Node sends the body of a DELETE without its length, so the server would read it as the next request. */
function lengthOf(payload: string): string {
  return String(Buffer.byteLength(payload));
}

const connections = new Connections({ keepAlive: true });

const overKeptConnection: Exchange = (port, url, method, payload, headers) =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: url.pathname + url.search,
        headers: { host: url.host, ...headers },
        agent: connections,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
