import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type AccountClaims, type Adapter, type AdapterPayload } from 'oidc-provider';
import { type Config, configSchema } from '../../../src/platform/config/config.js';
import { Agent } from '../http/agent.js';

export const providerSecret = 'secret-of-the-portal-at-the-provider';

export interface ProviderUser extends Omit<AccountClaims, 'sub'> {
  /** The authentication methods in the provider's id_token. */
  amr?: string[];
}

/** Users of the hospital's provider, one for each special case; the key is the subject. */
export const providerUsers = (): Record<string, ProviderUser> => ({
  grace: {
    name: 'Grace Field',
    email: 'grace.field@hospital.example',
    email_verified: true,
    groups: ['patients'],
    fhirUser: 'Patient/1',
    department: 'Cardiology',
    amr: ['pwd'],
  },
  otto: {
    name: 'Otto Stone',
    email: 'otto.stone@hospital.example',
    groups: ['staff'],
    fhirUser: 'Practitioner/practitioner-1',
    amr: ['pwd', 'mfa'],
  },
  root: { name: 'Rita Root', email: 'rita.root@hospital.example', groups: ['portal-admins'] },
  'no-email': { name: 'Nora Nomail', groups: ['patients'], fhirUser: 'Patient/2' },
  'no-name': { email: 'anonymous@hospital.example', groups: ['patients'], fhirUser: 'Patient/3' },
  'no-record': { name: 'Rolf Recordless', email: 'rolf@hospital.example', groups: ['patients'] },
  stranger: { name: 'Sam Stranger', email: 'sam@elsewhere.example', groups: ['visitors'], fhirUser: 'Patient/2' },
  double: { name: 'Amelia Double', email: 'Amelia.Ward@example.org', groups: ['patients'], fhirUser: 'Patient/2' },
  unverified: {
    name: 'Uma Unverified',
    email: 'uma@hospital.example',
    email_verified: false,
    groups: ['patients'],
    fhirUser: 'Patient/2',
  },
});

export interface TestIdentityProvider {
  authority: string;
  /** Tests may change them. */
  members: Record<string, ProviderUser>;
  /** Its entry in the portal's configuration. */
  entry(more?: object): Config['identityProviders'][number];
  /** Registers the portal as a client. */
  trust(portal: { issuer: string }, ...schemes: string[]): void;
  /**
   * Signs in at the provider at which the portal's redirect has arrived; returns the callback address with the
   * response.
   */
  signIn(address: string, subject: string, agent?: Agent): Promise<string>;
  agent(): Agent;
  close(): Promise<void>;
}

/** An OpenID provider on its own address: oidc-provider, with a sign-in page that requires only the name. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = (_, response) =>
    response.writeHead(503).end();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const authority = `http://localhost:${(server.address() as AddressInfo).port}`;
  const people = providerUsers();
  const signingKey = await makeSigningKey();
  return {
    authority,
    members: people,
    entry: (more = {}) => providerEntry({ scheme: 'hospital', displayName: 'Hospital ID', authority, ...more }),
    trust(portal, ...schemes) {
      const provider = makeProvider(authority, portal, schemes.length > 0 ? schemes : ['hospital'], people, signingKey);
      const handle = provider.callback();
      answer = async (request, response) => {
        if (request.url === '/favicon.ico') return response.writeHead(204).end();
        if (!request.url?.startsWith('/sign-in/')) return handle(request, response);
        await signInPage(provider, people, request, response);
      };
    },
    async signIn(address, subject, agent = new Agent(authority)) {
      let at = await follow(agent, address);
      if (new URL(at).pathname.startsWith('/sign-in/')) {
        const { location = '' } = await agent.postForm(at, { subject });
        at = await follow(agent, location);
      }
      return at;
    },
    agent: () => new Agent(authority),
    close: () => closed(server),
  };
}

/** An entry of the parsed configuration, with its defaults. */
export function providerEntry(entry: object): Config['identityProviders'][number] {
  const whole = { clientId: 'gatehouse', clientSecret: providerSecret, autoProvision: true, ...entry };
  const [parsed] = configSchema.shape.identityProviders.parse([whole]);
  if (!parsed) throw new Error('there is no entry');
  return parsed;
}

async function makeSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: 'of-the-provider', alg: 'RS256', use: 'sig' };
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Follows redirects to the sign-in page, or to the first address of another host. */
async function follow(agent: Agent, address: string): Promise<string> {
  let at = address;
  for (let hop = 0; hop < 10; hop += 1) {
    if (new URL(at).origin !== agent.issuer || new URL(at).pathname.startsWith('/sign-in/')) return at;
    const { status, location, text } = await agent.get(at);
    if (location === undefined) throw new Error(`the provider answered ${status}: ${text.slice(0, 300)}`);
    at = location;
  }
  throw new Error(`redirected for ever, last to ${at}`);
}

function makeProvider(
  authority: string,
  portal: { issuer: string },
  schemes: string[],
  people: Record<string, ProviderUser>,
  signingKey: JWK,
): Provider {
  const profile = [
    'name',
    'given_name',
    'family_name',
    'preferred_username',
    'groups',
    'fhirUser',
    'related',
    'hospital',
    'department',
    'mrn',
    'locale',
    'zoneinfo',
  ];
  return new Provider(authority, {
    clients: [
      {
        client_id: 'gatehouse',
        client_secret: providerSecret,
        redirect_uris: schemes.map((scheme) => `${portal.issuer}/federation/${scheme}/signin`),
        post_logout_redirect_uris: [`${portal.issuer}/login?loggedOut=true`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: {
      openid: ['sub', 'birthdate', 'acr', 'amr', 'auth_time'],
      profile,
      email: ['email', 'email_verified'],
      phone: ['phone_number', 'phone_number_verified'],
    },
    cookies: { keys: ['of the test provider'] },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true, logoutSource: askToSignOut } },
    findAccount: (_, sub) => {
      const { amr: _amr, ...claims } = people[sub] ?? {};
      return { accountId: sub, claims: async () => ({ sub, ...claims }) };
    },
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    // Signing in includes the consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope(String(oidc.params?.scope));
      await grant.save();
      return grant;
    },
    adapter: Memory,
    jwks: { keys: [signingKey] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.type = 'text';
      ctx.body = JSON.stringify(out);
    },
  });
}

/** The library's own page fetches a font from elsewhere. */
function askToSignOut(ctx: { body: unknown }, form: string): void {
  ctx.body = `<!doctype html><html lang="en"><title>Hospital ID</title><h1>Sign out?</h1>${form}
    <button form="op.logoutForm" name="logout" value="yes">Yes, sign out</button></html>`;
}

/** A store without expiry, which tests do not reach. */
class Memory implements Adapter {
  private static readonly records = new Map<string, AdapterPayload>();

  constructor(private readonly model: string) {}

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    Memory.records.set(`${this.model} ${id}`, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return Memory.records.get(`${this.model} ${id}`);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...Memory.records.values()].find((payload) => payload.uid === uid);
  }

  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<void> {
    Object.assign((await this.find(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) });
  }

  async destroy(id: string): Promise<void> {
    Memory.records.delete(`${this.model} ${id}`);
  }

  async revokeByGrantId(): Promise<void> {}
}

async function signInPage(
  provider: Provider,
  people: Record<string, ProviderUser>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><html lang="en">
      <title>Hospital ID</title><h1>Hospital ID</h1>
      <form method="post"><label>Name <input name="subject"></label><button>Go on</button><button name="no">Leave</button></form></html>`);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const subject = form.get('subject') ?? '';
  if (form.has('no')) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  await provider.interactionFinished(request, response, {
    login: { accountId: subject, amr: people[subject]?.amr ?? ['pwd'] },
  });
}
