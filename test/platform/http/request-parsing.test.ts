import { request } from 'node:http';
import { connect } from 'node:net';
import { basicAuthorization } from '../../support/apps/smart-app.js';
import { confidentialApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [confidentialApp] } });
  admin = new Agent(portal.issuer);
  await admin.post('/api/session/login', { username: people.admin.email, password: people.admin.password });
});

afterAll(() => portal.close());

const form = 'application/x-www-form-urlencoded';
const megabyte = 1024 * 1024;

const send = (path: string, body: string, contentType: string, headers: Record<string, string> = {}): Promise<Answer> =>
  new Agent(portal.issuer).send(path, { method: 'POST', body, headers: { 'content-type': contentType, ...headers } });

describe('A body of a megabyte', () => {
  it.each([
    ['/connect/token', form],
    ['/connect/par', form],
    ['/connect/introspect', form],
    ['/connect/revocation', form],
    ['/connect/userinfo', form],
    ['/connect/endsession', form],
    ['/connect/authorize', form],
    ['/connect/launchContext', form],
    ['/api/session/login', 'application/json'],
    ['/api/user/forgot-password', 'application/json'],
  ])('is too large for %s, with and without Content-Length', async (path, contentType) => {
    const body =
      contentType === form ? `scope=${'x'.repeat(megabyte)}` : JSON.stringify({ email: 'x'.repeat(megabyte) });
    expect((await send(path, body, contentType)).status).toBe(413);
    expect(await sendInPieces(path, body, contentType)).toBe(413);
  });

  it('is refused to OAuth clients in the format of RFC 6749 §5.2', async () => {
    const answer = await send('/connect/token', 'x'.repeat(megabyte), form);
    expect(answer.json()).toMatchObject({ error: 'invalid_request' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('Two Authorization headers', () => {
  const twice = (path: string, method: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { authorization } = basicAuthorization(confidentialApp.clientId, sharedSecret) as { authorization: string };
      const url = new URL(path, portal.issuer);
      const headers = [
        'Host',
        url.host,
        'Authorization',
        authorization,
        'authorization',
        'Basic eDp5',
        'Content-Type',
        form,
      ];
      const one = request(url, { method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      one.on('error', reject);
      one.end(method === 'POST' ? 'token=x' : undefined);
    });

  it.each([
    ['POST', '/connect/token'],
    ['POST', '/connect/revocation'],
    ['GET', '/connect/userinfo'],
    ['GET', '/fhir/Patient/1'],
    ['GET', '/api/session'],
  ])('are refused at %s %s', async (method, path) => {
    expect(await twice(path, method)).toBe(400);
  });
});

describe('A JSON body', () => {
  const login = (body: string) => send('/api/session/login', body, 'application/json');
  const { email, password } = people.patient;
  const said = (more = '') => `{"username":"${email}","password":"${password}"${more}}`;

  it('is accepted as JSON text allows', async () => {
    expect((await login(said())).status).toBe(200);
  });

  it.each([
    ['has a member twice', said(',"password":"other"')],
    ['has a member twice with one value', said(',"returnUrl":null,"returnUrl":null')],
    ['has a member twice, once by an escape', said(`,"pass\\u0077ord":"other"`)],
    ['has a member __proto__', said(',"__proto__":{"rememberLogin":true}')],
    ['has a member __proto__ by an escape', said(',"\\u005f_proto__":{}')],
    ['begins with a byte order mark', `\ufeff${said()}`],
    ['has U+2028 between its members', said().replace(',', ',\u2028')],
    ['ends too early', said().slice(0, -1)],
    ['is a text', '"text"'],
    ['is a list', '[]'],
  ])('is refused when it %s', async (_, body) => {
    expect((await login(body)).status).toBe(400);
  });

  it('is refused when it is compressed or in an encoding other than UTF-8', async () => {
    const compressed = await send('/api/session/login', said(), 'application/json', { 'content-encoding': 'gzip' });
    expect(compressed.status).toBe(415);
    expect((await send('/api/session/login', said(), 'application/json; charset=utf-16')).status).toBe(415);
    expect((await send('/api/session/login', said(), 'application/json; charset=UTF-8')).status).toBe(200);
  });
});

describe('A number in a query', () => {
  it.each(['0x5', '01', '1.0', '%205', '+5', '1e1', '5%20', '', '٥'])('cannot be %j', async (text) => {
    for (const path of ['/api/admin/client', '/api/admin/user']) {
      expect((await admin.get(`${path}?page=${text}`)).status).toBe(400);
    }
  });

  it('is accepted in decimal digits', async () => {
    expect((await admin.get('/api/admin/client?page=1&pageSize=10&sortDirection=1')).status).toBe(200);
  });
});

describe('A text value', () => {
  const fieldsOf = (answer: Answer) =>
    answer
      .json<{ errors: { field?: string; messages: string[] }[] }>()
      .errors.map(({ field, messages }) => [field, ...messages]);

  it.each(['a\u2028b', 'a\u2029b', 'a\0b'])('of one line cannot be %j', async (fullName) => {
    const answer = await admin.send('/api/user', { method: 'PUT', body: { fullName } });
    expect([answer.status, ...fieldsOf(answer)]).toEqual([400, ['fullName', 'Please enter a valid value']]);
  });

  it.each([
    ['username', { username: 'a\0@example.org', password: 'x' }],
    ['password', { username: 'a@example.org', password: 'x\0' }],
  ])('with NUL is refused as %s at sign-in', async (field, body) => {
    const answer = await new Agent(portal.issuer).post('/api/session/login', body);
    expect([answer.status, ...fieldsOf(answer)]).toEqual([400, [field, 'Please enter a valid value']]);
  });

  it('with NUL is refused as a new password', async () => {
    const body = { currentPassword: people.admin.password, newPassword: 'Violet-\0Harbour-92' };
    const answer = await admin.post('/api/user/reset-password', body);
    expect([answer.status, fieldsOf(answer)[0]]).toEqual([
      400,
      ['newPassword', expect.stringContaining('Password requirements not fulfilled.')],
    ]);
  });

  it('is required as the current password', async () => {
    const body = { currentPassword: '', newPassword: 'Violet-Harbour-92' };
    const answer = await admin.post('/api/user/reset-password', body);
    expect([answer.status, ...fieldsOf(answer)]).toEqual([400, ['currentPassword', 'Field is required']]);
  });

  it.each(['ａda@example.org', 'ada@ｅxample.org', 'o\ufb03ce@example.org'])(
    'is refused as an address when it equals another one under NFKC: %s',
    async (email) => {
      const claims = [{ name: 'fhirUser', value: 'Patient/1' }];
      const answer = await admin.post('/api/admin/user', { fullName: 'Ada', email, userType: 'Patient', claims });
      expect([answer.status, ...fieldsOf(answer)]).toEqual([
        400,
        ['email', 'The Email field is not a valid e-mail address'],
      ]);
    },
  );
});

/** Sends a body without Content-Length; returns the status, also if the rest of the body is not read. */
function sendInPieces(path: string, body: string, contentType: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'transfer-encoding': 'chunked' };
    const one = request(new URL(path, portal.issuer), { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    one.on('error', reject);
    for (let at = 0; at < body.length; at += 64 * 1024) one.write(body.slice(at, at + 64 * 1024));
    one.end();
  });
}

describe('A method that an address of the API does not have', () => {
  it.each([
    ['TRACE', '/api/admin/user', 'GET, POST'],
    ['DELETE', '/api/admin/user', 'GET, POST'],
    ['PATCH', '/api/admin/client/17', 'DELETE, GET, PUT'],
    ['OPTIONS', '/api/admin/client/impact', 'GET'],
    ['PUT', '/api/admin/client/impact', 'GET'],
    ['PUT', '/api/admin/client/export', 'POST'],
    ['PUT', '/api/admin/user/import', 'POST'],
    ['PATCH', '/api/passkeys/confirmation', 'POST'],
    ['DELETE', '/api/passkeys/sign-in', 'POST'],
    ['OPTIONS', '/api/admin/client/check-keys', 'POST'],
    ['GET', '/api/user/forgot-password', 'POST'],
    ['HEAD', '/api/user/forgot-password', 'POST'],
  ])('%s %s is refused with the methods that it has', async (method, path, allowed) => {
    for (const caller of [admin, new Agent(portal.issuer)]) {
      const answer = await caller.send(path, { method });
      expect([answer.status, answer.headers.allow]).toEqual([405, allowed]);
      if (method !== 'HEAD')
        expect(answer.json()).toMatchObject({ title: 'Method Not Allowed', codes: [{ code: 'method-unknown' }] });
    }
  });

  it.each([['POST'], ['GET']])('does not turn an unknown address into a known one: %s', async (method) => {
    const answer = await admin.send('/api/none', { method });
    expect([answer.status, answer.headers.allow]).toEqual([404, undefined]);
    expect(answer.json()).toMatchObject({ message: 'There is nothing at this address.' });
  });
});

/** Sends these characters alone, and returns all that is answered until the connection is closed. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(portal.issuer);
    const socket = connect({ port: Number(port), host: hostname });
    let answer = '';
    socket.setEncoding('utf8').on('data', (part) => {
      answer += part;
    });
    socket.on('error', reject).on('end', () => resolve(answer));
    socket.write(text);
  });
}

describe('A request that is no HTTP or too long to be read', () => {
  const host = () => `Host: ${new URL(portal.issuer).host}`;
  it.each<[string, () => string, number, string]>([
    [
      'an address of 2 MB',
      () => `GET /api/disclaimers?returnUrl=${'x'.repeat(2 * megabyte)} HTTP/1.1\r\n${host()}\r\n\r\n`,
      431,
      'Content Too Large',
    ],
    [
      'a cookie of 2 MB',
      () => `GET /fhir/Patient HTTP/1.1\r\n${host()}\r\nCookie: ${'x'.repeat(2 * megabyte)}\r\n\r\n`,
      431,
      'Content Too Large',
    ],
    ['another protocol', () => `\x16\x03\x01${'x'.repeat(megabyte)}`, 400, 'Bad Request'],
    ['a header without a name', () => `GET / HTTP/1.1\r\n${host()}\r\n: x\r\n\r\n`, 400, 'Bad Request'],
  ])('gets the whole answer, in the format of the others, for %s', async (_, text, status, title) => {
    const [head = '', body = ''] = (await sendRaw(text())).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^Content-Type: application\/json/m);
    expect(head).toMatch(/^Cache-Control: no-store/m);
    expect(JSON.parse(body)).toMatchObject({ title, codes: [{ code: 'technical' }] });
    expect((await new Agent(portal.issuer).get('/api/settings')).status).toBe(200);
  });
});
