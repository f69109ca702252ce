import { Injectable } from '@nestjs/common';
import type { RegisteredCredentials } from '../../../clients/application/registered-clients.js';
import { inUtc } from '../../../contract/activity/cause.js';
import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { RemoteKeySets } from '../clients/remote-key-sets.js';
import { dayOf } from './presented-credentials.js';

/** Codes of the library's errors of its two checks of a key. */
const noKey = 'ERR_JWKS_NO_MATCHING_KEY';
const wrongSignature = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';

/** A key, and where it was found. */
interface Found {
  key: PublicJwk;
  from: string;
}

/** The causes for what a client has signed. */
const causes = {
  assertion: {
    signature: 'assertion-signature',
    unfit: 'assertion-key-unfit',
    expired: 'assertion-key-expired',
    unknown: 'assertion-key-unknown',
    unreachable: 'assertion-key-set-unreachable',
    passedOver: 'assertion-key-passed-over',
    notPublished: 'assertion-key-not-published',
  },
  object: {
    signature: 'object-signature',
    unfit: 'object-key-unfit',
    expired: 'object-key-expired',
    unknown: 'object-key-unknown',
    unreachable: 'object-key-set-unreachable',
    passedOver: 'object-key-passed-over',
    notPublished: 'object-key-not-published',
  },
} as const;
export type Signed = keyof typeof causes;

/** Notes why no key verified what a client has signed: which keys were registered or read, when, and from where. */
@Injectable()
export class VerificationKeys {
  constructor(private readonly remote: RemoteKeySets) {}

  /** `cause` is the library's error; false if it is not about the key. */
  note(
    signed: Signed,
    { header }: { header: Record<string, unknown> },
    { credentials }: RegisteredCredentials,
    cause: unknown,
  ): boolean {
    const { code } = (cause ?? {}) as { code?: string };
    if (code !== noKey && code !== wrongSignature) return false;
    const kid = String(header.kid);
    const used = String(header.alg);
    const now = new Date();
    const live = credentials.filter((credential) => credential.isLive(now));
    const urls = live.flatMap(({ url }) => url ?? []);
    const found = [
      ...live.flatMap(({ jwk }): Found[] => (jwk ? [{ key: jwk, from: 'registered here' }] : [])),
      ...urls.flatMap((url) => this.published(url)),
    ];
    const own = found.find(({ key }) => key.kid === kid);
    const expired = credentials.find((credential) => credential.jwk?.kid === kid && !live.includes(credential));
    if (own && code === wrongSignature) note(causes[signed].signature, { kid, from: own.from });
    else if (own) note(causes[signed].unfit, { kid, used, key: printed(own.key) });
    else if (expired?.expiresAt) {
      const { description, expiresAt } = expired;
      note(causes[signed].expired, { kid, secret: description ?? '', expired: dayOf(expiresAt) });
    } else if (!this.noteKeySet(signed, kid, urls)) {
      note(causes[signed].unknown, { kid, known: found.map(({ key }) => key.kid).join(', ') || 'none' });
    }
    return true;
  }

  private published(url: string): Found[] {
    const set = this.remote.lastRead(url);
    if (!set) return [];
    const from = `in the key set at ${new URL(url).host}, which was read at ${inUtc(new Date(set.readAt))}`;
    return set.keys.map((key) => ({ key, from }));
  }

  /** A key that no published key set has. */
  private noteKeySet(signed: Signed, kid: string, urls: readonly string[]): boolean {
    const failed = urls.find((url) => this.remote.failureOf(url) !== undefined);
    const passing = urls.find((url) => this.remote.lastRead(url)?.passedOver.some((key) => key.kid === kid));
    const read = passing ?? urls.find((url) => this.remote.lastRead(url) !== undefined);
    const url = passing ?? failed ?? read;
    if (url === undefined) return false;
    const { host } = new URL(url);
    const set = this.remote.lastRead(url);
    const failure = this.remote.failureOf(url);
    if (failure !== undefined && url !== passing) {
      note(causes[signed].unreachable, { host, reason: failure });
      return true;
    }
    if (!set) return false;
    const times = { host, at: inUtc(new Date(set.readAt)), until: inUtc(new Date(set.freshUntil)) };
    const own = set.passedOver.find((key) => key.kid === kid);
    if (own) note(causes[signed].passedOver, { ...times, kid, reason: own.reason });
    else {
      note(causes[signed].notPublished, {
        ...times,
        kid,
        read: set.keys.map((key) => `${key.kid} (${printed(key)})`).join(', ') || 'no key that can be used',
        passed: set.passedOver.map((key) => `${key.kid} (${key.reason})`).join(', ') || 'none',
      });
    }
    return true;
  }
}

function printed({ kty, crv, alg }: PublicJwk): string {
  return [kty, crv, alg && `for ${alg}`].filter(Boolean).join(' ');
}
