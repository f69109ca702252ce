import { Injectable } from '@nestjs/common';
import { RegisteredClients, type RegisteredCredentials } from '../../../clients/application/registered-clients.js';
import { inUtc } from '../../../contract/activity/cause.js';
import type { PublicJwk } from '../../../contract/rules/clients/jwk.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { isFor } from '../clients/client-key-store.js';
import { RemoteKeySets } from '../clients/remote-key-sets.js';
import { isSignedBy } from '../clients/service-proofs.js';
import { dayOf } from './presented-credentials.js';

type Credentials = RegisteredCredentials['credentials'];

/** Keys that are tried, of all that a client has: a signature takes time. */
const mostTried = 20;

/** A key, and where it was found. */
interface Found {
  key: PublicJwk;
  from: string;
}

/** The causes for what a client has signed. */
const causes = {
  assertion: {
    signature: 'assertion-signature',
    misnamed: 'assertion-key-misnamed',
    twice: 'assertion-key-twice',
    unfit: 'assertion-key-unfit',
    expired: 'assertion-key-expired',
    unknown: 'assertion-key-unknown',
    unreachable: 'assertion-key-set-unreachable',
    passedOver: 'assertion-key-passed-over',
    notPublished: 'assertion-key-not-published',
  },
  object: {
    signature: 'object-signature',
    misnamed: 'object-key-misnamed',
    twice: 'object-key-twice',
    unfit: 'object-key-unfit',
    expired: 'object-key-expired',
    unknown: 'object-key-unknown',
    unreachable: 'object-key-set-unreachable',
    passedOver: 'object-key-passed-over',
    notPublished: 'object-key-not-published',
  },
} as const;
export type Signed = keyof typeof causes;

/** A text that a client has signed, and its header. */
interface SignedText {
  text: string;
  header: Record<string, unknown>;
}

/**
 * Notes why no key verified what a client has signed: which keys were registered or read, when, and from where. Each
 * signature is checked again, so that nothing is told which the keys do not say.
 */
@Injectable()
export class VerificationKeys {
  constructor(
    private readonly remote: RemoteKeySets,
    private readonly clients: RegisteredClients,
  ) {}

  /** False if a key of the client verifies the signature: then something else was refused. */
  async note(
    signed: Signed,
    { text, header }: SignedText,
    { clientId, credentials }: { clientId: string; credentials: Credentials },
  ): Promise<boolean> {
    const kid = String(header.kid);
    const used = String(header.alg);
    const now = new Date();
    const live = credentials.filter((credential) => credential.isLive(now));
    const urls = live.flatMap(({ url }) => url ?? []);
    const found = [
      ...live.flatMap(({ jwk }): Found[] => (jwk ? [{ key: jwk, from: 'registered here' }] : [])),
      ...urls.flatMap((url) => this.published(url)),
    ];
    const isRight = ({ key }: { key: PublicJwk }) => isFor(key, used) && isSignedBy(key, used, text);
    const own = found.filter(({ key }) => key.kid === kid);
    const fitting = own.filter(({ key }) => isFor(key, used));
    if (await firstOf(fitting, isRight)) return false;
    const right = await firstOf(found.slice(0, mostTried), isRight);
    if (!right) await this.noteOwner({ text, header }, clientId);
    if (right) note(causes[signed].misnamed, { kid, right: right.key.kid, from: right.from });
    else if (own[0]) noteOwn(signed, { kid, used, own, fitting });
    else
      this.noteUnknown(
        signed,
        { kid, found, urls },
        credentials.filter((credential) => !live.includes(credential)),
      );
    return true;
  }

  /** Notes for administrators which other client has the key of this signature. */
  async noteOwner({ text, header }: SignedText, clientId: string): Promise<void> {
    const { kid, alg } = header;
    if (typeof kid !== 'string' || typeof alg !== 'string') return;
    const others = await this.clients.keysOfOthers(kid, clientId);
    const owner = await firstOf(others, ({ jwk }) => isFor(jwk, alg) && isSignedBy(jwk, alg, text));
    if (owner) note('key-of-other-client', { kid, owner: owner.clientId });
  }

  private noteUnknown(
    signed: Signed,
    { kid, found, urls }: { kid: string; found: readonly Found[]; urls: readonly string[] },
    ended: Credentials,
  ): void {
    const expired = ended.find(({ jwk }) => jwk?.kid === kid);
    const known = found.map(({ key }) => key.kid).join(', ') || 'none';
    if (expired?.expiresAt) {
      const { description, expiresAt } = expired;
      note(causes[signed].expired, { kid, secret: description ?? '', expired: dayOf(expiresAt), known });
    } else if (!this.noteKeySet(signed, { kid, known }, urls)) note(causes[signed].unknown, { kid, known });
  }

  private published(url: string): Found[] {
    const set = this.remote.lastRead(url);
    if (!set) return [];
    const from = `in the key set at ${new URL(url).host}, which was read at ${inUtc(new Date(set.readAt))}`;
    return set.keys.map((key) => ({ key, from }));
  }

  /** A key that no published key set has. */
  private noteKeySet(signed: Signed, { kid, known }: { kid: string; known: string }, urls: readonly string[]): boolean {
    const failed = urls.find((url) => this.remote.failureOf(url) !== undefined);
    const passing = urls.find((url) => this.remote.lastRead(url)?.passedOver.some((key) => key.kid === kid));
    const read = passing ?? urls.find((url) => this.remote.lastRead(url) !== undefined);
    const url = passing ?? failed ?? read;
    if (url === undefined) return false;
    const { host } = new URL(url);
    const set = this.remote.lastRead(url);
    const failure = this.remote.failureOf(url);
    if (failure !== undefined && url !== passing) {
      note(causes[signed].unreachable, { host, reason: failure.replace(/\.$/, ''), known });
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

/** Of the keys that have the key id, none verifies the signature. */
function noteOwn(
  signed: Signed,
  { kid, used, own, fitting }: { kid: string; used: string; own: readonly Found[]; fitting: readonly Found[] },
): void {
  const [first, ...more] = fitting;
  const shown = (keys: readonly Found[]) => keys.map(({ key, from }) => `${printed(key)}, ${from}`).join('; ');
  if (!first) note(causes[signed].unfit, { kid, used, key: own.map(({ key }) => printed(key)).join('; ') });
  else if (more.length === 0) note(causes[signed].signature, { kid, from: first.from });
  else note(causes[signed].twice, { kid, keys: shown(fitting) });
}

async function firstOf<Of>(keys: readonly Of[], isRight: (key: Of) => boolean | Promise<boolean>) {
  for (const key of keys) if (await isRight(key)) return key;
  return undefined;
}

function printed({ kty, crv, alg }: PublicJwk): string {
  return [kty, crv, alg && `for ${alg}`].filter(Boolean).join(' ');
}
