import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { Browser, inParallel, json, signIn } from './requests.mjs';

/** All passkeys have one key: it is made once, and the server reads it like any other. */
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Adds a passkey to the account of each person. Returns their credentials in that order. */
export function addPasskeys(issuer, people) {
  return inParallel(people.length, async (index) => {
    const browser = await signIn(issuer, people[index]);
    const { user, challenge } = await optionsOf(browser, '/api/passkeys/registration');
    const credential = { id: randomBytes(32), userHandle: user.id };
    const response = {
      clientDataJSON: encoded(clientData('webauthn.create', challenge, issuer)),
      attestationObject: encoded(attestation(issuer, credential)),
      transports: ['internal'],
    };
    await answered(browser, json('/api/passkeys', { response: named(credential, response) }), 201);
    return credential;
  });
}

/**
 * Requests that sign in with a passkey, `count` of them. They are signed before the clock runs, and are accepted for
 * five minutes.
 */
export function passkeySignIns(issuer, credentials, count) {
  return inParallel(count, async (index) => {
    const browser = new Browser(issuer);
    const { challenge } = await optionsOf(browser, '/api/passkeys/sign-in/options');
    const credential = credentials[index % credentials.length];
    const data = clientData('webauthn.get', challenge, issuer);
    const head = authenticatorData(issuer, 0);
    const signature = sign('sha256', Buffer.concat([head, createHash('sha256').update(data).digest()]), privateKey);
    const response = {
      clientDataJSON: encoded(data),
      authenticatorData: encoded(head),
      signature: encoded(signature),
      userHandle: credential.userHandle,
    };
    return json('/api/passkeys/sign-in', { response: named(credential, response) }, browser.headers());
  });
}

async function optionsOf(browser, path) {
  const { publicKey: options } = await answered(browser, json(path, {}), 200);
  return options;
}

async function answered(browser, request, expected) {
  const answer = await browser.send({ ...request, headers: { ...request.headers, ...browser.headers() } });
  if (answer.status !== expected) throw new Error(`${request.path} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** `AuthenticatorData` (WebAuthn Level 3 §6.1): the user is present and verified. */
function authenticatorData(issuer, more) {
  const rpIdHash = createHash('sha256').update(new URL(issuer).hostname).digest();
  return Buffer.concat([rpIdHash, Buffer.from([5 | more]), Buffer.alloc(4)]);
}

function attestation(issuer, { id }) {
  const { x, y } = publicKey.export({ format: 'jwk' });
  const key = new Map([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
  const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key)]);
  return isoCBOR.encode(
    new Map([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(Buffer.concat([authenticatorData(issuer, 64), attested]))],
    ]),
  );
}

function clientData(type, challenge, origin) {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function named({ id }, response) {
  const rawId = encoded(id);
  return {
    ...{ id: rawId, rawId, response },
    ...{ type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} },
  };
}

function encoded(bytes) {
  return Buffer.from(bytes).toString('base64url');
}
