import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { mended } from '../../../contract/rules/damage.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { textDifference } from '../../domain/address-difference.js';
import { scopesStillAllowed } from '../authorization/scope-grants.js';
import { ScopeNotes } from '../authorization/scope-notes.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { installGrant, type RefusedGrant, type TokenGrant } from '../shared/token-grants.js';
import { type SessionBound, whileSessionLives } from '../tokens/session-binding.js';
import { noteGone, noteOtherResource, noteUsed, TokenReuse } from './single-use.js';

const malformedVerifier = /^code_verifier (must be a string|contains invalid)/;

/**
 * Codes are exchanged for the first tokens of an authorization (RFC 6749 §4.1.3), which belong to the Grant of the
 * code: what ends the Grant ends them. The engine checks the code; requests that lose a race for it are told apart by
 * {@link ../sessions/adapter.js}.
 */
@Injectable()
export class AuthorizationCodeGrant implements EngineAdaptation {
  private readonly grant: TokenGrant;

  constructor(
    private readonly reuse: TokenReuse,
    notes: ScopeNotes,
    config: Config,
  ) {
    this.grant = {
      type: 'authorization_code',
      presents: { model: 'AuthorizationCode', parameter: 'code', name: 'code' },
      issued: 'tokens-issued',
      scopes: ({ oidc }, settings) => scopesStillAllowed(oidc.entities.AuthorizationCode, settings, config, notes),
      noteRefusal,
    };
  }

  install(provider: Provider): void {
    bindToSession(provider);
    this.reuse.install(provider.AuthorizationCode);
    installGrant(provider, this.grant);
  }
}

/**
 * A code of online access ends with the session, too; refresh and access tokens are looked up in files of their own.
 */
function bindToSession(provider: Provider): void {
  const find = provider.AuthorizationCode.find.bind(provider.AuthorizationCode) as unknown as (
    value: string,
    options: object,
  ) => Promise<SessionBound | undefined>;
  Object.defineProperty(provider.AuthorizationCode, 'find', {
    value: async (code: string, options?: object) =>
      whileSessionLives(provider, await find(code, { ...options, ignoreSessionBinding: true })),
  });
}

function noteRefusal({ ctx, error, found }: RefusedGrant): boolean {
  const detail = error.error_detail ?? '';
  const { code_verifier: verifier, redirect_uri: sent } = ctx.oidc.params ?? {};
  const { clientId = '' } = ctx.oidc.client ?? {};
  if (malformedVerifier.test(error.error_description ?? '')) {
    note('code-verifier-malformed', { length: String(verifier ?? '').length });
    return true;
  }
  const granted = ctx.oidc.entities.AuthorizationCode?.resource;
  if (error.message === 'invalid_target' && granted !== undefined) {
    noteOtherResource(ctx.oidc.params?.resource, granted);
    return true;
  }
  if (error.message !== 'invalid_grant') return false;
  if (error instanceof LateDuplicate) note('code-late');
  else if (/already consumed/.test(detail)) noteUsed('code-used');
  else if (detail === 'client mismatch') note('code-of-other-client', { other: found?.clientId ?? '', clientId });
  else if (/not found|is expired/.test(detail)) noteGone('authorization code', detail, found, clientId);
  else if (detail === 'code_verifier must be provided') note('code-verifier-missing');
  else if (verifier !== undefined && found?.hasChallenge === false) note('code-verifier-unexpected');
  else if (/code_verifier does not match/.test(detail)) {
    note('code-verifier-wrong', { hint: verifierHint(String(verifier), found?.challenge ?? '') });
  } else if (/redirect_uri mismatch/.test(detail)) {
    note('code-redirect-uri', {
      sent: withoutValues(String(sent)),
      expected: withoutValues(found?.redirectUri ?? ''),
      difference: textDifference(String(sent), found?.redirectUri ?? ''),
    });
  } else return false;
  return true;
}

/** An address without the values of its query, which may be secrets of the app. */
function withoutValues(uri: string): string {
  const [address = '', query] = uri.split('#', 1)[0]?.split(/\?(.*)/s) ?? [];
  const names = query?.replace(/=[^&]*/g, '=…');
  return names === undefined ? address : `${address}?${names}`;
}

/** The usual fault of hashing and encoding that explains a verifier, as a sentence. */
function verifierHint(verifier: string, challenge: string): string {
  const hash = (text: string, encoding: 'hex' | 'base64url') => createHash('sha256').update(text).digest(encoding);
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const damaged = mended(verifier).find(({ text }) => hash(text, 'base64url') === challenge);
  if (damaged) return `The code_verifier would fit but for a damage: ${damaged.damage}.`;
  if (verifier === challenge) return 'The code_verifier and the code_challenge are the same text.';
  if (hash(verifier, 'hex') === challenge) return 'The code_challenge is the hash in hexadecimal digits.';
  if (encoded(hash(verifier, 'hex')) === challenge) {
    return 'The code_challenge is the base64url of the hexadecimal digits of the hash, and not of its bytes.';
  }
  if (hash(hash(verifier, 'base64url'), 'base64url') === challenge) return 'The code_challenge was hashed twice.';
  if (encoded(verifier) === challenge) return 'The code_challenge is the code_verifier in base64url, without SHA-256.';
  return 'No usual fault of hashing or encoding explains it.';
}
