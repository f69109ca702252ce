import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { Agent, Answer } from '../http/agent.js';

/** The values of an answer that a test changes; each is right by default. */
export interface Forgery {
  type?: string;
  challenge?: string;
  origin?: string;
  /** More members of the client data. */
  clientData?: Record<string, unknown>;
  rpId?: string;
  flags?: number;
  counter?: number;
  id?: string;
  userHandle?: string | undefined;
  /** COSE algorithm that the key claims to have; null for none. */
  algorithm?: number | null;
  signature?: Buffer;
  /** The credential id in the attested data, base64url; the answer itself has `id`. */
  attestedId?: string;
  /** Format and statement of the attestation. */
  attestation?: [string, Map<unknown, unknown>];
  /** Bytes after the authenticator data. */
  trailing?: Buffer;
  /** Members that replace those of the message, and of its `response`. */
  message?: Record<string, unknown>;
  response?: Record<string, unknown>;
}

/** Flags of the authenticator data (WebAuthn Level 3 §6.1). */
export const flag = {
  userPresent: 1,
  userVerified: 4,
  backupEligible: 8,
  backedUp: 16,
  attested: 64,
  extended: 128,
} as const;

interface Options {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  user?: { id: string };
}

/**
 * An authenticator in software with one credential: it makes the messages that a browser would send (WebAuthn Level 3
 * §6.5), right ones and forged ones.
 */
export class PasskeyDevice {
  readonly id = randomBytes(32).toString('base64url');
  counter = 0;
  /** The user handle of the account that it was made for. */
  private userHandle = '';
  private readonly keys: { publicKey: KeyObject; privateKey: KeyObject };

  constructor(
    readonly origin: string,
    /** Synced ones are copied between devices; some keys make a statement about themselves that was not asked for. */
    readonly facts: {
      synced?: boolean;
      counts?: boolean;
      attachment?: string;
      transports?: string[];
      selfAttested?: boolean;
    } = {},
  ) {
    this.keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** `RegistrationResponseJSON`. */
  register(options: Options, forged: Forgery = {}) {
    this.userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const { algorithm = -7 } = forged;
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      ...(algorithm === null ? [] : ([[3, algorithm]] as const)),
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(forged.attestedId ?? forged.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)]);
    const authData = Buffer.concat([this.head(options.rp?.id, flag.attested, forged), attested, trailingOf(forged)]);
    const clientDataJSON = this.clientData('webauthn.create', options, forged);
    const [format, statement] = forged.attestation ?? this.attestation(authData, clientDataJSON);
    const attestation = new Map<string, unknown>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      ...this.named(forged),
      response: {
        clientDataJSON,
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: this.facts.transports ?? ['internal'],
        ...forged.response,
      },
    };
  }

  /** `AuthenticationResponseJSON`. */
  answer(options: Options, forged: Forgery = {}) {
    if (this.facts.counts) this.counter += 1;
    const authenticatorData = Buffer.concat([this.head(options.rpId, 0, forged), trailingOf(forged)]);
    const clientDataJSON = this.clientData('webauthn.get', options, forged);
    const signature = this.sign(authenticatorData, clientDataJSON);
    return {
      ...this.named(forged),
      response: {
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: (forged.signature ?? signature).toString('base64url'),
        ...('userHandle' in forged ? { userHandle: forged.userHandle } : { userHandle: this.userHandle }),
        ...forged.response,
      },
    };
  }

  /** The credential as a device that Chromium simulates takes it (WebAuthn.Credential of the DevTools protocol). */
  exported() {
    const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64');
    return {
      credentialId: base64(this.id),
      isResidentCredential: true,
      rpId: new URL(this.origin).hostname,
      privateKey: this.keys.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      userHandle: base64(this.userHandle),
      signCount: this.counter,
    };
  }

  private named({ id = this.id, message }: Forgery) {
    const authenticatorAttachment = this.facts.attachment ?? 'platform';
    return { id, rawId: id, type: 'public-key', authenticatorAttachment, clientExtensionResults: {}, ...message };
  }

  private attestation(authData: Buffer, clientDataJSON: string): [string, Map<string, unknown>] {
    if (!this.facts.selfAttested) return ['none', new Map()];
    const sig = new Uint8Array(this.sign(authData, clientDataJSON));
    return [
      'packed',
      new Map<string, unknown>([
        ['alg', -7],
        ['sig', sig],
      ]),
    ];
  }

  private sign(authenticatorData: Buffer, clientDataJSON: string): Buffer {
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    return sign('sha256', Buffer.concat([authenticatorData, hash]), this.keys.privateKey);
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
    const { challenge = options.challenge, origin = this.origin, clientData } = forged;
    const data = { type: forged.type ?? type, challenge, origin, crossOrigin: false, ...clientData };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }
}

function trailingOf({ trailing = Buffer.alloc(0) }: Forgery): Buffer {
  return trailing;
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

/** Proves the passkey in a session, for what needs a recent proof. */
export async function confirmByPasskey(agent: Agent, device: PasskeyDevice): Promise<void> {
  const response = device.answer(await passkeyOptions(agent, '/api/passkeys/confirmation/options'));
  const answer = await agent.post('/api/passkeys/confirmation', { response });
  if (answer.status !== 204) throw new Error(`confirming by a passkey answered ${answer.status}: ${answer.text}`);
}

export async function signInByPasskey(agent: Agent, device: PasskeyDevice, more: object = {}): Promise<Answer> {
  const options = await passkeyOptions(agent, '/api/passkeys/sign-in/options');
  return agent.post('/api/passkeys/sign-in', { response: device.answer(options), ...more });
}
