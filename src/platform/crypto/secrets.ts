import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type Hmac,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import { referenceAlphabet } from '../../contract/activity/reference.js';

/** Purpose of a key derived from the master key; a key of one purpose cannot decrypt data of another. */
export type Purpose =
  | 'launch'
  | 'signing-keys'
  | 'client-secrets'
  | 'cookies'
  | 'replay'
  | 'pairwise'
  | 'setup-token'
  | 'key-id'
  | 'totp'
  | 'totp-setup'
  | 'recovery-codes'
  | 'known-browsers'
  | 'asking-browsers'
  | 'mail'
  | 'audit'
  | 'audit-archive'
  | 'federation'
  | 'paging'
  | 'launch-paging'
  | 'launch-trial'
  | 'logout-requests'
  | 'account-deletion'
  | 'account-recovery'
  | 'own-data'
  | 'passkeys'
  | 'dpop-nonces'
  | 'invitations'
  | 'request-files'
  | 'asker-accounts';

/**
 * All secrets at rest depend on one master key (32 bytes, from configuration); each purpose has its own key, derived by
 * HKDF. Injected by this class; the master key itself stays inside.
 */
export class Secrets {
  /** Not bytes: on Node 24 these become a key object for each hash and cipher, which takes longer than the rest. */
  private readonly keys = new Map<Purpose, KeyObject>();

  constructor(private readonly masterKey: Buffer) {
    if (masterKey.length !== 32) throw new RangeError('the master key has 32 bytes');
  }

  /** Identifies the master key without revealing it, to tell which data is stored under it. */
  get keyId(): string {
    return this.hmac('key-id', '').slice(0, 8);
  }

  /** Keyed hash, base64url: for values that must be recognised but never read again. */
  hmac(purpose: Purpose, text: string): string {
    return this.createHmac(purpose).update(text).digest('base64url');
  }

  /** As {@link hmac}, for content that comes in parts. */
  createHmac(purpose: Purpose): Hmac {
    return createHmac('sha256', this.key(purpose));
  }

  /**
   * Encrypts with AES-256-GCM; `context` (such as a row's id) is authenticated, so that a value copied to another row
   * does not decrypt.
   */
  seal(purpose: Purpose, plain: string, context: string): Buffer {
    return seal(this.key(purpose), plain, context);
  }

  /** Decrypts. Throws when the value was sealed under another key, purpose or context. */
  open(purpose: Purpose, sealed: Buffer, context: string): string {
    return open(this.key(purpose), sealed, context);
  }

  /** As {@link seal}, for bytes. */
  sealBytes(purpose: Purpose, plain: Buffer, context: string): Buffer {
    return seal(this.key(purpose), plain, context);
  }

  openBytes(purpose: Purpose, sealed: Buffer, context: string): Buffer {
    return openBytes(this.key(purpose), sealed, context);
  }

  /** Derives a key for a single use from material that only the caller holds (a token) and a stored salt. */
  deriveFrom(
    purpose: Purpose,
    material: string,
    salt: Buffer,
  ): { seal(plain: string): Buffer; open(sealed: Buffer): string } {
    const ours = this.key(purpose).export();
    const key = derivedKey(material, Buffer.concat([ours, salt]), purpose);
    return { seal: (plain) => seal(key, plain, salt), open: (sealed) => open(key, sealed, salt) };
  }

  private key(purpose: Purpose): KeyObject {
    let key = this.keys.get(purpose);
    if (!key) {
      key = derivedKey(this.masterKey, Buffer.alloc(0), `gatehouse:${purpose}`);
      this.keys.set(purpose, key);
    }
    return key;
  }
}

function derivedKey(material: string | Buffer, salt: Buffer, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', material, salt, info, 32)));
}

function seal(key: KeyObject, plain: string | Buffer, context: string | Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([
    typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain),
    cipher.final(),
  ]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function open(key: KeyObject, sealed: Buffer, context: string | Buffer): string {
  return openBytes(key, sealed, context).toString('utf8');
}

function openBytes(key: KeyObject, sealed: Buffer, context: string | Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
}

/** Unkeyed hash for values that are random enough to need no key (256-bit ids). */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** 256 random bits as base64url: safe in URLs, cookies, forms and HTTP Basic. */
export function randomId(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that depends on the lengths of the texts only. */
export function equalInConstantTime(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** So many random letters that can be read out and are not taken for one another. */
export function randomLetters(length: number): string {
  return Array.from({ length }, () => referenceAlphabet.charAt(randomInt(referenceAlphabet.length))).join('');
}
