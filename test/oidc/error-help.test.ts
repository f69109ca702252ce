/** `error_uri`: where it stands, and the page that it leads to. */
import { errors } from 'oidc-provider';
import { type CauseCode, catalogue } from '../../src/contract/activity/catalogue.js';
import { unfollowedCauses } from '../../src/contract/activity/endpoint-causes.js';
import { type OAuthError, type OAuthErrorCode, oauthErrors } from '../../src/contract/activity/oauth-errors.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;
let agent: Agent;
const clients = clientKinds.map((kind) => kind.client('help'));

beforeAll(async () => {
  portal = await startPortal({ config: { clients: [publicApp, ...clients] } });
  agent = new Agent(portal.issuer);
});
afterAll(() => portal.close());

const pageOf = (code: OAuthErrorCode) => `${portal.issuer}/help/errors/${code}`;
const told = (answer: Answer) => answer.json<{ error: string; error_description?: string; error_uri?: string }>();

/** Parameters of the error that the page of `response_mode=form_post` posts. */
function posted({ text }: Answer): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"\/>/g);
  const plain = (text = '') => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const decoded = (text = '') => plain(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"'));
  return Object.fromEntries([...fields].map(([, name, value]) => [name, decoded(value).replaceAll('&amp;', '&')]));
}

describe.each(clientKinds)('A refused token request of a client ($name)', (kind) => {
  it('has the address of a page about its error', async () => {
    const form = { grant_type: 'authorization_code', code: 'unknown', redirect_uri: publicApp.redirectUris[0] ?? '' };
    const answer = await kind.post(agent, '/connect/token', kind.client('help'), form);
    expect(told(answer)).toMatchObject({ error: 'invalid_grant', error_uri: pageOf('invalid_grant') });
  });
});

describe.each(confidentialKinds)('A client that does not prove who it is ($name)', (kind) => {
  it.each(['/connect/token', '/connect/par', '/connect/introspect', '/connect/revocation'])(
    'gets the address from %s',
    async (path) => {
      const { clientId } = kind.client('help');
      const form = { client_id: clientId, client_secret: 'wrong', grant_type: 'client_credentials', token: 'x' };
      const answer = await new Agent(portal.issuer).postForm(path, form);
      expect(told(answer)).toMatchObject({ error: 'invalid_client', error_uri: pageOf('invalid_client') });
    },
  );
});

describe('A refused authorization request', () => {
  const refused = (parameters: Record<string, string>) => new SmartApp(portal, { parameters }).authorize();
  const elsewhere = { aud: 'https://elsewhere.test' };

  it.each([
    ['query', elsewhere],
    ['fragment', { response_type: 'token' }],
  ])(
    'has the address and the reference in its redirect by %s, each once',
    async (part, parameters: Record<string, string>) => {
      const { location = '', headers } = await refused(parameters);
      const { searchParams, hash } = new URL(location);
      const members = part === 'query' ? searchParams : new URLSearchParams(hash.slice(1));
      expect(members.getAll('error_uri')).toEqual([pageOf(members.get('error') as OAuthErrorCode)]);
      expect(members.getAll('error_description')).toEqual([
        expect.stringMatching(new RegExp(`\\. Reference: ${headers['x-launch-reference']}$`)),
      ]);
    },
  );

  it('has the address and the reference in its form post, with all else as it was', async () => {
    const state = `a&b"<'>&amp;`;
    const answer = await refused({ ...elsewhere, response_mode: 'form_post', state });
    const form = posted(answer);
    expect(form).toMatchObject({ state, iss: portal.issuer, error_uri: pageOf(form.error as OAuthErrorCode) });
    expect(form.error_description).toMatch(new RegExp(`\\. Reference: ${answer.headers['x-launch-reference']}$`));
    expect(Object.keys(form).sort()).toEqual(['error', 'error_description', 'error_uri', 'iss', 'state']);
  });

  it('has the address in the answer to a pushed request', async () => {
    const answer = await agent.postForm('/connect/par', { client_id: publicApp.clientId, response_type: 'token' });
    expect(told(answer).error_uri).toBe(pageOf(told(answer).error as OAuthErrorCode));
  });
});

it('The answer to a body that is too large has the address of the page about its error', async () => {
  const answer = await agent.postForm('/connect/token', { code: 'x'.repeat(70_000) });
  expect([answer.status, told(answer).error_uri]).toEqual([413, pageOf('invalid_request')]);
});

it.each([
  ['/connect/authorize', 'an address that is too long', 431, { path: `?state=${'x'.repeat(17_000)}` }],
  ['/connect/authorize', 'an address that is not UTF-8', 400, { path: '?state=%C3%28' }],
  ['/connect/authorize', 'another host', 421, { host: 'elsewhere.test' }],
  ['/connect/par', 'another host', 421, { host: 'elsewhere.test', method: 'POST' }],
  ['/connect/token', 'another host', 421, { host: 'elsewhere.test', method: 'POST' }],
  ['/connect/token', 'a body that is too large', 413, { method: 'POST', body: 'x'.repeat(70_000) }],
  ['/connect/token', 'a body with a NUL character', 400, { method: 'POST', body: 'x%00' }],
])(
  '%s: %s is refused with the address of the page about its error and a reference, before it is parsed',
  async (path, _what, status, of) => {
    const { host, method = 'GET', path: query = '', body } = of as Record<string, string | undefined>;
    const headers = { ...(host && { host }), 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await agent.send(path + query, { method, headers, ...(body && { body }) });
    expect([answer.status, told(answer).error_uri]).toEqual([status, pageOf('invalid_request')]);
    const reference = String(answer.headers['x-launch-reference']);
    expect(told(answer).error_description).toMatch(new RegExp(`\\. Reference: ${reference}$`));
    if (host === undefined && method === 'GET') {
      const page = await agent.get(path + query, { headers: { accept: 'text/html' } });
      expect([page.status, page.headers['x-launch-reference']]).toEqual([status, reference]);
      expect(page.text).toContain(`<meta name="gatehouse-reference" content="${reference}">`);
    }
  },
);

it('A successful answer has no address of a page about an error', async () => {
  const answer = await agent.postForm(
    '/connect/par',
    Object.fromEntries(new URLSearchParams(new SmartApp(portal).query())),
  );
  expect([answer.status, told(answer).error_uri]).toEqual([201, undefined]);
});

describe('The page about an error', () => {
  it.each(Object.keys(oauthErrors) as OAuthErrorCode[])(
    'of %s explains it without a session and without names of values',
    async (code) => {
      const answer = await agent.get(`/help/errors/${code}`);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(oauthErrors[code].text.replaceAll("'", '&#39;'));
      expect(answer.text).not.toMatch(/\{\{|undefined/);
      expect(answer.headers['set-cookie']).toBeUndefined();
    },
  );

  it.each([
    'nothing',
    '__proto__',
    'constructor',
    'INVALID_GRANT',
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E',
    'a'.repeat(1_000),
  ])('of an unknown code says so: %s', async (code) => {
    const answer = await agent.get(`/help/errors/${code}`);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('<h1>Unknown error code</h1>');
    expect(answer.text).not.toContain(decodeURIComponent(code));
  });

  it('names every cause of a refused request', () => {
    const named = new Set(Object.values<OAuthError>(oauthErrors).flatMap(({ causes = [] }) => causes));
    const deciding = Object.entries(catalogue).filter(([, { severity }]) => /refused|failed|declined/.test(severity));
    const answered = deciding.map(([code]) => code as CauseCode).filter((code) => !(code in unfollowedCauses));
    expect(answered.filter((code) => !named.has(code))).toEqual([]);
  });

  it('is linked from the list of all', async () => {
    const { text } = await agent.get('/help/errors');
    const linked = [...text.matchAll(/href="\/help\/errors\/(\w+)"/g)].map(([, code]) => code);
    expect(linked).toEqual(Object.keys(oauthErrors));
  });

  /**
   * Errors of features that Gatehouse does not have: device flow, sign-in at another device, dynamic registration, rich
   * requests, credentials, attestation.
   */
  const elsewhere =
    /Pending|SlowDown|Login.?Hint|Binding|UserCode|UserId|Transaction|Expired|Credential|Nonce$|Proof$|Software|Metadata|AuthorizationDetails|Attestation/;

  it('exists for every error of the engine', () => {
    const classes = Object.entries(errors).filter(([name]) => name === 'InvalidDpopProof' || !elsewhere.test(name));
    const codes = classes.flatMap(([name, Refusal]) =>
      /^(Custom)?OIDCProviderError$/.test(name) ? [] : [new (Refusal as new () => Error)().message],
    );
    expect(codes.filter((code) => !Object.hasOwn(oauthErrors, code))).toEqual([]);
    expect(codes.length).toBeGreaterThan(15);
  });
});
