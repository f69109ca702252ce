import { mock } from 'node:test';
import { decodeJwt } from 'jose';
import { Agent, type Answer, type RequestOptions } from '../http/agent.js';
import { madeBy, type Subject } from './cause-subjects.js';
import { allWritten } from './launch-rows.js';
import type { TestPortal } from './portal.js';

/** Parameters, members and headers whose values are secrets or a person's. */
const secretNames = new Set([
  ...['code', 'code_verifier', 'refresh_token', 'access_token', 'id_token', 'token', 'id_token_hint'],
  ...['client_secret', 'client_assertion', 'request', 'request_uri', 'state', 'nonce', 'login_hint'],
  ...['password', 'verificationCode', 'sharedKey', 'recoveryCodes', 'launch', 'launchContextIdentifier'],
]);
/** Shorter values are in other words, too. */
const shortest = 6;

/** The secrets of all requests and answers of a test file. */
export class SentSecrets {
  private readonly values = new Set<string>();

  /** Listens to all agents until the end of the file. */
  static collect(): SentSecrets {
    const secrets = new SentSecrets();
    const { send } = Agent.prototype;
    mock.method(Agent.prototype, 'send', async function (this: Agent, path: string, options: RequestOptions = {}) {
      secrets.readRequest(path, options);
      const answer = await send.call(this, path, options);
      for (const value of this.cookies.values()) secrets.add(value);
      secrets.readAnswer(answer);
      return answer;
    });
    return secrets;
  }

  /**
   * Expects that the subject's causes were recorded, and that no entry of any cause has a secret. `words` are ids and
   * other words that requests sent in the place of a secret.
   */
  async expectNoneRecorded(portal: TestPortal, subject: Subject, words: readonly string[] = []): Promise<void> {
    await allWritten(portal);
    const rows = await portal.query<{ client_id: string | null; entries: Record<string, { detail: object }> }>(
      'SELECT client_id, entries FROM launch',
    );
    const codes = new Set(rows.flatMap(({ entries }) => Object.keys(entries).map((key) => key.split('\n', 1)[0])));
    const own = Object.entries(madeBy).flatMap(([code, by]) => (by === subject ? [code] : []));
    expect(own.filter((code) => !codes.has(code))).toEqual([]);
    const text = rows
      .flatMap(({ client_id, entries }) => [
        client_id ?? '',
        ...Object.entries(entries).flatMap(([key, { detail }]) => [key, ...Object.values(detail).map(String)]),
      ])
      .join('\n');
    expect(this.values.size).toBeGreaterThan(20);
    expect(this.foundIn(text).filter((value) => !words.includes(value))).toEqual([]);
  }

  foundIn(text: string): string[] {
    return [...this.values].filter((value) => text.includes(value));
  }

  private readRequest(path: string, { headers = {}, body, form }: RequestOptions): void {
    const [address = '', query = ''] = path.split('?', 2);
    const parameters = new URLSearchParams(query);
    if (address.includes('/fhir')) for (const [, value] of parameters) this.add(value);
    this.readMembers(Object.fromEntries(parameters));
    this.readMembers(form ?? (typeof body === 'object' && body !== null ? body : {}));
    const { authorization = '', dpop = '' } = headers;
    const [scheme, credentials = ''] = authorization.split(' ', 2);
    this.add(credentials);
    if (scheme === 'Basic') this.add(Buffer.from(credentials, 'base64').toString().split(':').slice(1).join(':'));
    this.add(dpop);
  }

  private readAnswer({ text, location }: Answer): void {
    if (location !== undefined) this.readMembers(Object.fromEntries(new URL(location).searchParams));
    if (text.startsWith('{')) this.readMembers(JSON.parse(text));
  }

  private readMembers(members: object): void {
    for (const [name, value] of Object.entries(members)) {
      if (secretNames.has(name)) for (const one of [value].flat()) this.add(one);
    }
  }

  private add(value: unknown): void {
    // The state of a trial has the name of the `state` of a request.
    if (typeof value !== 'string' || value.length < shortest || value === 'expired') return;
    this.values.add(value);
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) {
      try {
        this.add(decodeJwt(value).jti);
      } catch {
        // A value that only looks like a JWT.
      }
    }
  }
}
