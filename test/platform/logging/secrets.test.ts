import { pino } from 'pino';
import { log } from '../../../src/platform/logging/log.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { confidentialApp, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { beginExternalSignIn, signInAtProvider } from '../../support/providers/external-sign-in.js';
import {
  providerSecret,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../../support/providers/identity-provider.js';
import { people } from '../../support/users/people.js';

const key = await makeClientKey('ES384', 'service-key');
const jwtApp = { ...publicApp, clientId: 'jwt-app', accessTokenType: 'Jwt' };
const appsOfKinds = clientKinds.flatMap((kind) =>
  ['Jwt', 'Reference'].map((accessTokenType) => ({ kind, client: kind.client(accessTokenType, { accessTokenType }) })),
);

let portal: TestPortal;
let provider: TestIdentityProvider;
/** The lines of the log, standard output and standard error. */
const written: string[] = [];
/** Every secret of a request or response, by its description. */
const secrets = new Map<string, string>();
/** The id of a pending request. */
let interaction = '';
const restore: (() => void)[] = [];

function listen(stream: { write(...parameters: never[]): unknown }): void {
  const { write } = stream;
  stream.write = (text: unknown) => {
    written.push(String(text));
    return true;
  };
  restore.push(() => {
    stream.write = write;
  });
}

beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      identityProviders: [provider.entry({ logoutMethod: 'single' })],
      users: [people.patient, people.otherPatient],
      clients: [jwtApp, ...appsOfKinds.map(({ client }) => client), confidentialApp, serviceWithKeys('service', [key])],
    },
  });
  provider.trust(portal);
  log.level = 'trace';
  listen((log as unknown as Record<symbol, { write(): unknown }>)[pino.symbols.streamSym] ?? process.stdout);
  listen(process.stdout as never);
  listen(process.stderr as never);
  try {
    await useEverything();
  } finally {
    for (const undo of restore) undo();
    log.level = 'silent';
  }
});

afterAll(async () => {
  await portal.close();
  await provider.close();
});

const keep = (name: string, value: string | undefined) => {
  if (value === undefined || value.length < 8) throw new Error(`there was no ${name}`);
  secrets.set(name, value);
};

/** Apps of all kinds with both token formats, refreshes and a service, also with wrong secrets. */
async function useEverything(): Promise<void> {
  keep('password', people.patient.password);
  keep('client secret', sharedSecret);
  const browser = new Agent(portal.issuer);
  for (const { kind, client } of [...appsOfKinds, { kind: undefined, client: jwtApp }]) {
    // The last app has a new browser, which has to sign in.
    const app = kind ? kind.app(portal, client, {}, browser) : new SmartApp(portal, { client });
    const read = (token: string) =>
      kind
        ? kind.userinfo(app.browser, token)
        : app.browser.get('/connect/userinfo', { headers: { authorization: `Bearer ${token}` } });
    const landed = await app.complete(people.patient);
    const code = landed.searchParams.get('code') ?? '';
    keep(`${client.clientId} code`, code);
    keep(`${client.clientId} verifier`, app.verifier);
    keep(`${client.clientId} state`, app.state);
    await app.exchange(code, { code_verifier: 'a'.repeat(43) });
    const tokens = (await app.exchange(code)).json<Tokens & { refresh_token: string }>();
    const next = (await app.refresh(tokens.refresh_token)).json<Tokens & { refresh_token: string }>();
    for (const [which, one] of Object.entries({ first: tokens, next })) {
      keep(`${client.clientId} ${which} access token`, one.access_token);
      keep(`${client.clientId} ${which} refresh token`, one.refresh_token);
    }
    keep(`${client.clientId} id token`, tokens.id_token);
    keep(`${client.clientId} session cookie`, app.browser.cookies.get('gatehouse_session'));
    keep(`${client.clientId} binding cookie`, app.browser.cookies.get('gatehouse_browser'));
    expect((await read(next.access_token)).status).toBe(200);
    await introspect(next.access_token);
    await app.exchange('wrong-code-that-was-never-issued');
    keep('wrong code', 'wrong-code-that-was-never-issued');
  }
  const assertion = await clientAssertion({ clientId: 'service', audience: `${portal.issuer}/connect/token`, key });
  keep('assertion', assertion);
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  const asserted = { ...form, client_assertion_type: assertionType, client_assertion: assertion };
  const agent = new Agent(portal.issuer);
  await agent.postForm('/connect/token', asserted);
  await agent.postForm('/connect/token', asserted);
  keep('wrong secret', 'a-secret-that-is-not-right');
  await agent.postForm('/connect/token', form, {
    headers: basicAuthorization(confidentialApp.clientId, 'a-secret-that-is-not-right'),
  });
  keep('wrong password', 'a-password-that-is-not-right');
  await new SmartApp(portal).signIn({ ...people.patient, password: 'a-password-that-is-not-right' as never });
  keep('login hint', 'hinted.user@example.org');
  await agent.get('/connect/authorize?login_hint=hinted.user@example.org&client_id=unknown');
  await agent.get('/connect/endsession?id_token_hint=eyJhbGciOiJub25lIn0.c29tZXRoaW5nLXNlY3JldA.');
  keep('id token hint', 'c29tZXRoaW5nLXNlY3JldA');
  await useOtherAddresses();
  await useAnotherProvider();
  // An internal error, which is logged with its request.
  await portal.query('ALTER TABLE oidc_record RENAME TO oidc_record_away');
  try {
    const app = new SmartApp(portal, { client: jwtApp });
    expect((await app.refresh(secrets.get('jwt-app next refresh token') ?? '')).status).toBe(500);
    await app.authorize();
    await app.signIn(people.otherPatient);
  } finally {
    await portal.query('ALTER TABLE oidc_record_away RENAME TO oidc_record');
  }
}

/** Addresses with secrets in their query. */
async function useOtherAddresses(): Promise<void> {
  const agent = new Agent(portal.issuer);
  keep('token of a link by mail', 'token-of-a-link-by-mail');
  for (const page of ['/account/activate', '/account/reset-password']) {
    await agent.get(`${page}?u=a-user&t=token-of-a-link-by-mail`, { headers: { accept: 'text/html' } });
  }
  keep('launch', 'launch-that-an-ehr-announced');
  await new SmartApp(portal, { client: jwtApp, parameters: { launch: 'launch-that-an-ehr-announced' } }).authorize();
  const waiting = new SmartApp(portal, { client: jwtApp });
  const returnUrl = await waiting.begin();
  // The database stores it: without the browser that it is bound to, it is useless.
  interaction = new URL(returnUrl, portal.issuer).searchParams.get('ix') ?? '';
  await waiting.browser.get(`/login?${new URLSearchParams({ returnUrl })}`, { headers: { accept: 'text/html' } });
  await waiting.browser.get(`/api/launch-context?${new URLSearchParams({ returnUrl })}`);
}

/** Two sign-ins at the identity provider: one remains, the other ends with a sign-out there. */
async function useAnotherProvider(): Promise<void> {
  keep('client secret at another provider', providerSecret);
  for (const subject of ['grace', 'otto']) {
    const { browser, callback } = await signInAtProvider(portal, provider, subject);
    const { searchParams } = new URL(callback);
    keep(`code of another provider for ${subject}`, searchParams.get('code') ?? undefined);
    keep(`state of ${subject}`, searchParams.get('state') ?? undefined);
    await browser.get(callback);
    if (subject === 'grace') continue;
    const { location = '' } = await browser.signOut();
    keep('id token of another provider', new URL(location).searchParams.get('id_token_hint') ?? undefined);
  }
  const { location = '' } = await beginExternalSignIn(new Agent(portal.issuer));
  keep('state that waits', new URL(location).searchParams.get('state') ?? undefined);
  keep('nonce that waits', new URL(location).searchParams.get('nonce') ?? undefined);
}

function introspect(token: string) {
  return new Agent(portal.issuer).postForm(
    '/connect/introspect',
    { token },
    { headers: basicAuthorization(confidentialApp.clientId, sharedSecret) },
  );
}

describe('A secret of a user, client or session', () => {
  it('N-01 is in no log, and neither are e-mail addresses', () => {
    const text = written.join('');
    expect(text.length).toBeGreaterThan(5_000);
    for (const [name, secret] of secrets) expect([name, text.includes(secret)]).toEqual([name, false]);
    expect(text).not.toContain(people.patient.email);
  });

  it('N-02 is in no log as part of an address: queries of addresses are not logged', () => {
    const text = written.join('');
    for (const path of ['authorize', 'endsession']) expect(text).toContain(`"path":"/connect/${path}"`);
    for (const path of ['/account/activate', '/login', '/api/launch-context'])
      expect(text).toContain(`"path":"${path}"`);
    const parameters = /[?&](code|state|id_token_hint|t|returnUrl|launch|login_hint|ix)=/;
    expect(written.filter((line) => parameters.test(line))).toEqual([]);
    expect(interaction).toMatch(/^.{20}/);
    expect(text).not.toContain(interaction);
  });

  it('C-03 is not readable anywhere in the database', async () => {
    const tables = await portal.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    let rows = 0;
    for (const { name } of tables) {
      for (const { row } of await portal.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)) {
        rows += 1;
        for (const [what, secret] of secrets) {
          expect([name, what, row.includes(secret), row.includes(Buffer.from(secret).toString('hex'))]).toEqual([
            name,
            what,
            false,
            false,
          ]);
        }
      }
    }
    expect(rows).toBeGreaterThan(20);
  });
});
