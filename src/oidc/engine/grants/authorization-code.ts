import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { AuthorizationCode, KoaContextWithOIDC } from 'oidc-provider';
import { describedCharacter, mended } from '../../../contract/rules/damage.js';
import type { PresentedRecord } from '../../../oidc-store/infrastructure/presented-records.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import { textDifference } from '../../domain/address-difference.js';
import { scopesStillAllowed } from '../authorization/scope-grants.js';
import { ScopeNotes } from '../authorization/scope-notes.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { installGrant, type RefusedGrant, type TokenGrant } from '../shared/token-grants.js';
import { type SessionBound, whileSessionLives } from '../tokens/session-binding.js';
import { noteOtherKey, noteProofMissing } from './bound-grants.js';
import { noteGone, noteOtherResource, noteUsed, TokenReuse } from './single-use.js';

/** RFC 7636 §4.1. */
const verifierForm = /^[A-Za-z0-9._~-]{43,128}$/;

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
      parameters: { needed: ['code', 'redirect_uri'], others: ['code_verifier', 'resource'] },
      source: codeOf,
      issued: 'tokens-issued',
      scopes: (ctx, settings) => scopesStillAllowed(codeOf(ctx), settings, config, notes),
      noteRefusal,
    };
  }

  install(provider: Provider): void {
    bindToSession(provider);
    this.reuse.install(provider.AuthorizationCode);
    installGrant(provider, this.grant);
  }
}

function codeOf({ oidc }: KoaContextWithOIDC): AuthorizationCode | undefined {
  return oidc.entities.AuthorizationCode;
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

/** The facts are compared again in the order of the engine, whose words for them are not read. */
function noteRefusal(refused: RefusedGrant): boolean {
  const { ctx, error, found } = refused;
  const granted = codeOf(ctx)?.resource;
  if (error.message === 'invalid_target' && granted !== undefined) {
    noteOtherResource(ctx.oidc.params?.resource, granted);
    return true;
  }
  const { code_verifier: verifier } = ctx.oidc.params ?? {};
  if (error.message === 'invalid_request') return noteVerifierForm(verifier);
  if (error.message !== 'invalid_grant') return false;
  if (error instanceof LateDuplicate) note('code-late');
  else if (noteGone('authorization code', refused) || !found) return true;
  else {
    return (
      noteVerifier(verifier, found) ||
      noteProofMissing(refused) ||
      noteAddress(ctx, found) ||
      // The engine has used the code up before it compares the key.
      noteOtherKey(refused) ||
      noteSecondUse(found)
    );
  }
  return true;
}

function noteVerifierForm(verifier: unknown): boolean {
  if (typeof verifier !== 'string' || verifierForm.test(verifier)) return false;
  const [strange] = /[^A-Za-z0-9._~-]/u.exec(verifier) ?? [];
  const fault =
    strange === undefined
      ? `its length is ${verifier.length}, and 43 to 128 are allowed`
      : `it has ${describedCharacter(strange)} in it`;
  note('code-verifier-malformed', { fault });
  return true;
}

function noteVerifier(verifier: unknown, { challenge }: PresentedRecord): boolean {
  const isSent = typeof verifier === 'string' && verifier !== '';
  if (!isSent && challenge === null) return false;
  if (!isSent) note('code-verifier-missing');
  else if (challenge === null) note('code-verifier-unexpected');
  else if (!isVerifierOf(challenge, verifier)) {
    note('code-verifier-wrong', { hint: verifierHint(verifier, challenge) });
  } else return false;
  return true;
}

function noteAddress({ oidc: { params } }: KoaContextWithOIDC, { redirectUri }: PresentedRecord): boolean {
  const [sent, expected] = [String(params?.redirect_uri), redirectUri ?? ''];
  if (sent === expected) return false;
  const difference = textDifference(sent, expected);
  note('code-redirect-uri', { sent: withoutValues(sent), expected: withoutValues(expected), difference });
  return true;
}

function noteSecondUse(found: PresentedRecord): boolean {
  if (found.isConsumed) noteUsed('code-used', found.hasGrant);
  return found.isConsumed;
}

/** An address without the values of its query, which may be secrets of the app. */
function withoutValues(uri: string): string {
  const [address = '', query] = uri.split('#', 1)[0]?.split(/\?(.*)/s) ?? [];
  const names = query?.replace(/=[^&]*/g, '=…');
  return names === undefined ? address : `${address}?${names}`;
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
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
