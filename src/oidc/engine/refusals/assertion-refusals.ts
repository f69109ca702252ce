import { Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RegisteredCredentials } from '../../../clients/application/registered-clients.js';
import { profileAlgorithms } from '../../../contract/rules/clients/security-profile.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { clientAlgorithms, longestAssertionSeconds } from '../clients/client-authentication.js';
import { RemoteKeySets } from '../clients/remote-key-sets.js';
import { followsProfile } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { dayOf } from './presented-credentials.js';

interface Assertion {
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
}

/** Notes why a client assertion was refused, in the order in which it is checked. */
@Injectable()
export class AssertionRefusals {
  constructor(private readonly remoteKeys: RemoteKeySets) {}

  /** `detail` is the engine's, or that of our own check; the values that differ are read from the assertion. */
  note(ctx: KoaContextWithOIDC, text: string, registered: RegisteredCredentials, detail: string): void {
    const assertion = decoded(text);
    if (!assertion) {
      note('assertion-unreadable', { reason: 'it is no signed JWT' });
      return;
    }
    const { claims, header } = assertion;
    const { clientId = '' } = ctx.oidc.client ?? {};
    const isOfProfile = ctx.oidc.client !== undefined && followsProfile(gatehouseClient(ctx.oidc.client).settings);
    const supported: readonly string[] = isOfProfile ? profileAlgorithms : clientAlgorithms;
    const now = nowSeconds();
    const used = String(header.alg);
    const [, missing] = /^(?:unique )?(\w+)(?: \(.*?\))? must be (?:provided|specified)/.exec(detail) ?? [];
    if (!supported.includes(used)) {
      note('assertion-algorithm', { used, supported: supported.join(', ') });
    } else if (missing !== undefined) {
      note('assertion-claim-missing', { claim: missing === 'expiration' ? 'exp' : missing });
    } else if (claims.iss !== clientId || claims.sub !== clientId) {
      note('assertion-issuer', { iss: printedClaim(claims.iss), sub: printedClaim(claims.sub), clientId });
    } else if (/audience/.test(detail)) {
      note('assertion-audience', {
        sent: printedClaim(claims.aud),
        expected: isOfProfile ? ctx.oidc.issuer : ctx.oidc.urlFor('token'),
      });
    } else if (detail === 'jwt expired') {
      note('assertion-expired', { seconds: now - Number(claims.exp) });
    } else if (detail === 'jwt not active yet') {
      note('assertion-from-future', { seconds: Number(claims.nbf) - now });
    } else if (/created in the future/.test(detail)) {
      note('assertion-from-future', { seconds: Math.max(Number(claims.iat) || 0, Number(claims.nbf) || 0) - now });
    } else if (/lives longer/.test(detail)) {
      noteLifetime(claims, now);
    } else if (/only be used once/.test(detail)) {
      note('assertion-reused');
    } else if (/has no kid/.test(detail) || header.kid === undefined) {
      note('assertion-key-missing');
    } else if (/no applicable key|signature verification/.test(detail)) {
      this.noteKey(assertion, registered, /signature/.test(detail));
    } else {
      note('assertion-unreadable', { reason: detail || 'it is not valid' });
    }
  }

  private noteKey({ header }: Assertion, { credentials }: RegisteredCredentials, hasKey: boolean): void {
    const kid = printedClaim(header.kid);
    const now = new Date();
    const live = credentials.filter((credential) => credential.isLive(now));
    const urls = live.flatMap(({ url }) => url ?? []);
    const failed = urls.find((url) => this.remoteKeys.failureOf(url) !== undefined);
    const expired = credentials.find((credential) => credential.jwk?.kid === header.kid && !live.includes(credential));
    const kids = [
      ...live.flatMap(({ jwk }) => jwk?.kid ?? []),
      ...urls.flatMap((url) => this.remoteKeys.freshKeys(url) ?? []).flatMap((key) => key.kid ?? []),
    ];
    if (hasKey) note('assertion-signature', { kid });
    else if (kids.includes(kid)) note('assertion-key-unfit', { kid, used: String(header.alg) });
    else if (expired?.expiresAt) {
      const { description, expiresAt } = expired;
      note('assertion-key-expired', { kid, secret: description ?? '', expired: dayOf(expiresAt) });
    } else if (failed !== undefined) {
      const reason = this.remoteKeys.failureOf(failed) ?? '';
      note('assertion-key-set-unreachable', { host: new URL(failed).host, reason });
    } else note('assertion-key-unknown', { kid, known: kids.join(', ') || 'none' });
  }
}

/** A clock that is ahead shows in `iat`, or in an `exp` that is too far away. */
function noteLifetime({ iat, exp }: Record<string, unknown>, now: number): void {
  if (typeof iat === 'number' && iat > now) note('assertion-from-future', { seconds: iat - now });
  else note('assertion-lifetime', { seconds: Number(exp) - now, allowed: longestAssertionSeconds });
}

function decoded(text: string): Assertion | undefined {
  try {
    return { claims: decodeJwt(text), header: { ...decodeProtectedHeader(text) } };
  } catch {
    return undefined;
  }
}

function printedClaim(claim: unknown): string {
  if (claim === undefined) return 'missing';
  return typeof claim === 'string' ? claim : JSON.stringify(claim);
}
