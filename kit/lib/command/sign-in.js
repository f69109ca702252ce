// @ts-check
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { objectOf } from '../server/capabilities.js';
import { Connection, Unreachable } from '../server/connection.js';
import { actorOf } from './given-tokens.js';
import { sentenceOf } from './session.js';

/** @import { Actor, Ask, JsonObject } from '../types.js' */

/** Signing in has ended without a token. */
export class SignInFailed extends Error {}

const LONGEST_MS = 10 * 60_000;

/**
 * Signs a patient in with a browser (SMART App Launch 2.2, standalone launch; RFC 8252 §7.3; PKCE).
 *
 * @param {{ base: string, clientId: string, scope: string, port: number, ca?: string }} settings
 * @param {string} name
 * @param {(text: string) => void} say
 * @returns {Promise<Actor>}
 */
export async function signIn({ base, clientId, scope, port, ca }, name, say) {
  const isFirst = name === 'A';
  const options = { perSecond: 5, ...(ca && { ca }) };
  const accept = /** @type {[string, string][]} */ ([['Accept', 'application/json']]);
  const wanted = { method: 'GET', target: '.well-known/smart-configuration', headers: accept };
  const found = await sent(new Connection(base, options), wanted);
  const { authorization_endpoint: authorize, token_endpoint: endpoint } = objectOf(found.json) ?? {};
  if (typeof authorize !== 'string' || typeof endpoint !== 'string')
    throw new SignInFailed(`${base}/.well-known/smart-configuration names no authorization and token endpoints.`);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const redirect = `http://127.0.0.1:${port}/callback`;
  const address = new URL(authorize);
  const request = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope,
    state,
    aud: base,
    // A session that the browser has is another patient's.
    prompt: 'login',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [parameter, value] of Object.entries(request)) address.searchParams.set(parameter, value);
  const code = await codeFrom(port, state, () => {
    if (isFirst) {
      say(`Sign in as patient ${name} in the browser. If none opens, open this address:\n  ${address}`);
      openBrowser(address.href);
    } else
      say(`Sign in as patient ${name} in a private window: in the same one it may end the access of A.\n  ${address}`);
  });
  const token = new URL(endpoint);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect,
    client_id: clientId,
    code_verifier: verifier,
  });
  const answer = await sent(new Connection(token.origin, options), {
    method: 'POST',
    target: token.pathname.slice(1) + token.search,
    headers: [
      ['Content-Type', 'application/x-www-form-urlencoded'],
      ['Accept', 'application/json'],
    ],
    body: body.toString(),
  });
  const issued = objectOf(answer.json);
  const actor = actorOf(name, issued, false);
  if (!actor) throw new SignInFailed(`The token endpoint answered ${answer.status}${said(issued)}.`);
  say(`Signed in as patient ${name}.`);
  return actor;
}

/** @param {Connection} connection @param {Ask} ask */
async function sent(connection, ask) {
  try {
    return await connection.send(ask, undefined);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    throw new SignInFailed(sentenceOf(error, connection.base));
  } finally {
    connection.close();
  }
}

/** @param {JsonObject | undefined} answer */
const said = (answer) =>
  answer?.error ? ` (${answer.error}${answer.error_description ? `: ${answer.error_description}` : ''})` : '';

/**
 * Waits for the browser to come back.
 *
 * @param {number} port
 * @param {string} state
 * @param {() => void} begin
 * @returns {Promise<string>} the code
 */
async function codeFrom(port, state, begin) {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new SignInFailed(
      `Port ${port} of 127.0.0.1 is not free (${error instanceof Error ? error.message : error}): see --redirect-port.`,
    );
  }
  const timer = setTimeout(() => server.emit('waited'), LONGEST_MS);
  try {
    const waited = once(server, 'waited').then(() => {
      throw new SignInFailed('Nothing came back from the browser within ten minutes.');
    });
    const answered = new Promise((resolve, reject) => {
      server.on('request', ({ url = '' }, response) => {
        const { pathname, searchParams } = new URL(url, `http://127.0.0.1:${port}`);
        if (pathname !== '/callback') return response.writeHead(404).end();
        response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end('You can close this page.\n');
        const error = searchParams.get('error');
        if (error)
          reject(
            new SignInFailed(`Signing in ended with ${error}. ${searchParams.get('error_description') ?? ''}`.trim()),
          );
        else if (searchParams.get('state') === state && searchParams.get('code')) resolve(searchParams.get('code'));
      });
    });
    begin();
    return await Promise.race([answered, waited]);
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
  }
}

/** @param {string} address */
function openBrowser(address) {
  const [command, ...before] = process.env.BROWSER
    ? [process.env.BROWSER]
    : process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const child = spawn(command ?? 'xdg-open', [...before, address], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
