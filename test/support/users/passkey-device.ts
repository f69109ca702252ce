import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Agent, Answer } from '../http/agent.js';

/** The values of an answer that a test changes; each is right by default. */
export interface Forgery {
  type?: string;
  challenge?: string;
  origin?: string;
  crossOrigin?: boolean;
  rpId?: string;
  flags?: number;
  counter?: number;
  id?: string;
  userHandle?: string | undefined;
  /** COSE algorithm that the key claims to have. */
  algorithm?: number;
  signature?: Buffer;
}

/** Flags of the authenticator data (WebAuthn Level 3 §6.1). */
export const flag = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 } as const;

interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
}

/**
 * An authenticator in software with one credential: it makes the messages that a browser would send (WebAuthn Level 3 §6.5), right
 * ones and forged ones.
 */
export class PasskeyDevice {
  readonly id = randomBytes(32).toString('base64url');
  counter = 0;
  /** The user handle of the account that it was made for. */
  private userHandle = '';
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(
    readonly origin: string,
    /** Synced ones are copied between devices. */
    readonly facts: { synced?: boolean; counts?: boolean; attachment?: string; transports?: string[] } = {},
  ) {
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** `RegistrationResponseJSON`. */
  register(options: Options, forged: Forgery = {}) {
    this.userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, forged.algorithm ?? -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(forged.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)]);
    const authData = Buffer.concat([this.head(options.rp?.id, flag.attested, forged), attested]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      ...this.named(forged),
      response: {
        clientDataJSON: this.clientData('webauthn.create', options, forged),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: this.facts.transports ?? ['internal'],
      },
    };
  }

  /** `AuthenticationResponseJSON`. */
  answer(options: Options, forged: Forgery = {}) {
    if (this.facts.counts) this.counter += 1;
    const authenticatorData = this.head(options.rpId, 0, forged);
    const clientDataJSON = this.clientData('webauthn.get', options, forged);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([authenticatorData, hash]), this.keys.privateKey);
    return {
      ...this.named(forged),
      response: {
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: (forged.signature ?? signature).toString('base64url'),
        ...('userHandle' in forged ? { userHandle: forged.userHandle } : { userHandle: this.userHandle }),
      },
    };
  }

  private named({ id = this.id }: Forgery) {
    const authenticatorAttachment = this.facts.attachment ?? 'platform';
    return { id, rawId: id, type: 'public-key', authenticatorAttachment, clientExtensionResults: {} };
  }

  private head(rpId: string | undefined, more: number, forged: Forgery): Buffer {
    const own = this.facts.synced ? flag.backupEligible | flag.backedUp : 0;
    const flags = forged.flags ?? flag.userPresent | flag.userVerified | own;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(forged.counter ?? this.counter);
    const hash = createHash('sha256').update(forged.rpId ?? rpId ?? new URL(this.origin).hostname);
    return Buffer.concat([hash.digest(), Buffer.from([flags | more]), counter]);
  }

  private clientData(type: string, options: Options, forged: Forgery): string {
    const { challenge = options.challenge, origin = this.origin, crossOrigin = false } = forged;
    return Buffer.from(JSON.stringify({ type: forged.type ?? type, challenge, origin, crossOrigin })).toString(
      'base64url',
    );
  }
}

/** The options of a ceremony. */
export async function passkeyOptions(agent: Agent, path: string, body: object = {}): Promise<Options> {
  const answer = await agent.post(path, body);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.json<{ publicKey: Options }>().publicKey;
}

/** Adds a passkey to the account that is signed in. */
export async function addPasskey(agent: Agent, facts: PasskeyDevice['facts'] = {}, name?: string) {
  const device = new PasskeyDevice(agent.issuer, facts);
  const response = device.register(await passkeyOptions(agent, '/api/passkeys/registration'));
  const answer = await agent.post('/api/passkeys', { response, name });
  if (answer.status !== 201) throw new Error(`adding a passkey answered ${answer.status}: ${answer.text}`);
  return { device, passkey: answer.json<{ id: string; name: string; kind: string }>() };
}

export async function signInByPasskey(agent: Agent, device: PasskeyDevice, more: object = {}): Promise<Answer> {
  const options = await passkeyOptions(agent, '/api/passkeys/sign-in/options');
  return agent.post('/api/passkeys/sign-in', { response: device.answer(options), ...more });
}
