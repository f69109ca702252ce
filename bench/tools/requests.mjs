import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';

export const secret = 'bench-secret-bench-secret-bench-secret';
export const redirectUri = 'http://localhost/callback';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export const basic = (clientId, presented = secret) =>
  `Basic ${Buffer.from(`${clientId}:${presented}`).toString('base64')}`;

export function post(path, parameters, headers = {}) {
  return { path, method: 'POST', headers: { ...form, ...headers }, body: new URLSearchParams(parameters).toString() };
}

export function bySecret(clientId, path = '/connect/token') {
  return () =>
    post(path, { grant_type: 'client_credentials', scope: 'system/*.rs' }, { authorization: basic(clientId) });
}

/** Assertions are signed before the clock runs: making them is the client's work. */
export async function byAssertion({ audience, clientId, privateKey, count, path = '/connect/token' }) {
  const assertions = await Promise.all(
    Array.from({ length: count }, () =>
      new SignJWT({ iss: clientId, sub: clientId, aud: audience, jti: randomUUID() })
        .setProtectedHeader({ alg: 'RS384', kid: 'bench', typ: 'JWT' })
        .setExpirationTime('5m')
        .sign(privateKey),
    ),
  );
  return (index) =>
    post(path, {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: assertionType,
      client_assertion: assertions[index],
    });
}

export function json(path, body, headers = {}) {
  return {
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

export function login({ email, password, address }) {
  return json('/api/session/login', { username: email, password }, address ? { 'x-forwarded-for': address } : {});
}

/** Addresses of an authorization server, and the scopes that the app asks it for. */
const gatehouse = {
  authorize: '/connect/authorize',
  token: '/connect/token',
  scope: 'openid fhirUser launch/patient patient/*.rs offline_access',
};
export const keycloak = ofRealm('bench', 'openid');
/** A realm that stores the sessions of apps and rotates their refresh tokens, as Gatehouse does. */
export const durableKeycloak = ofRealm('durable', 'openid offline_access');

function ofRealm(realm, scope) {
  const base = `/realms/${realm}/protocol/openid-connect`;
  const endpoints = { authorize: `${base}/auth`, token: `${base}/token`, introspect: `${base}/token/introspect` };
  // Keycloak refuses some of the requests that arrive at the same time for one session.
  return { ...endpoints, scope, attempts: 5 };
}

/** A browser in which the user is signed in. */
export async function signIn(issuer, person) {
  const browser = new Browser(issuer);
  await browser.send(login(person));
  return browser;
}

/** A browser that is signed in at the bare engine, whose only page asks nothing. */
export async function signInAtBareEngine(issuer) {
  const browser = new Browser(issuer);
  let { path } = browser.authorization().request;
  for (let redirects = 0; redirects < 5; redirects += 1) {
    const { headers } = await browser.send({ path, headers: browser.headers() });
    const to = new URL(headers.get('location'), issuer);
    if (to.origin !== issuer) return browser;
    path = to.pathname + to.search;
  }
  throw new Error(`the bare engine asks for more than a sign-in: ${path}`);
}

/** A browser that is signed in at Keycloak, by its form. */
export async function signInAtKeycloak(issuer, { email, password }, server = keycloak) {
  const browser = new Browser(issuer, server);
  const page = await browser.send({ path: browser.authorization().request.path });
  const action = /action="([^"]+)"/.exec(await page.text())[1].replaceAll('&amp;', '&');
  const form = post(action.slice(issuer.length), { username: email, password, credentialId: '' }, browser.headers());
  const { status } = await browser.send(form);
  if (status !== 302) throw new Error(`Keycloak answers the sign-in with ${status}`);
  return browser;
}

export class Browser {
  cookies = new Map();

  constructor(issuer, server = gatehouse) {
    this.issuer = issuer;
    this.server = server;
  }

  headers() {
    return { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  /** An authorization request of the app, and the verifier that its code will want. */
  authorization() {
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: redirectUri,
      scope: this.server.scope,
      state: 'bench',
      aud: `${this.issuer}/fhir`,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    return { verifier, request: { path: `${this.server.authorize}?${query}`, method: 'GET', headers: this.headers() } };
  }

  async send({ path, ...init }) {
    const answer = await fetch(this.issuer + path, { redirect: 'manual', ...init });
    keep(this.cookies, answer);
    return answer;
  }
}

/** Requests that exchange codes of the app; a code lives a minute. */
export async function codeExchanges(browser, count) {
  return inParallel(count, () => codeExchange(browser));
}

/** Refresh tokens, each of a code of its own. */
export async function refreshTokens(origin, browser, count) {
  const tokens = [];
  while (tokens.length < count) {
    const exchanges = await codeExchanges(browser, Math.min(200, count - tokens.length));
    const exchange = async (index) => {
      const { path, ...init } = exchanges[index];
      return (await (await fetch(origin + path, init)).json()).refresh_token;
    };
    tokens.push(...(await inParallel(exchanges.length, exchange)));
  }
  return tokens;
}

export async function codeExchange(browser, attempts = browser.server.attempts ?? 1) {
  const { verifier, request } = browser.authorization();
  const { status, headers } = await browser.send(request);
  const location = headers.get('location');
  if (location === null && attempts > 1) return codeExchange(browser, attempts - 1);
  if (location === null) throw new Error(`an authorization request was answered by ${status}`);
  const code = new URL(location).searchParams.get('code');
  const form = { grant_type: 'authorization_code', client_id: 'app', redirect_uri: redirectUri };
  return post(browser.server.token, { ...form, code, code_verifier: verifier });
}

/** The results of `count` calls of `work` with their index, eight at a time. */
export async function inParallel(count, work) {
  const results = [];
  let begun = 0;
  const worker = async () => {
    while (begun < count) {
      begun += 1;
      results.push(await work(begun - 1));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}

function keep(cookies, answer) {
  for (const line of answer.headers.getSetCookie()) {
    const [pair] = line.split(';');
    const at = pair.indexOf('=');
    cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
