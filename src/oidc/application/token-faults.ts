import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { describeEnd } from '../../contract/activity/end-causes.js';
import { bearerCredentials } from '../../contract/rules/authorization-header.js';
import { placeholderIn } from '../../contract/rules/damage.js';
import { identifyLaunch, launchIdOfDay, note } from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Secrets, sha256 } from '../../platform/crypto/secrets.js';
import { log } from '../../platform/logging/log.js';
import { callerKey } from '../../platform/request/caller-key.js';
import { type AccessTokenFacts, AccessTokens, type RefusedToken, type UnknownToken } from '../domain/access-tokens.js';
import { type CarriedRequest, namedClient } from '../domain/refused/named-client.js';
import type { RefusedTokenRequest, RefusedTokens, UnfitScheme } from '../domain/refused/refused-tokens.js';

/** Method and type of a request. */
type Asked = Pick<RefusedTokenRequest, 'method' | 'type'>;

/** Finds out why an access token or a proof was refused. For refused requests only. */
@Injectable()
export class TokenFaults implements RefusedTokens {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly secrets: Secrets,
    private readonly stray: StrayRecords,
    private readonly clients: RegisteredClients,
  ) {}

  async note(request: RefusedTokenRequest): Promise<UnfitScheme | undefined> {
    const { method, type, authorization = '', error, sentence, base } = request;
    const what = { method, type };
    const misplaced = misplacedToken(request);
    const token = misplaced?.token ?? sentToken(authorization);
    const found = token === undefined ? undefined : await this.refusedToken(token, request.dpop);
    if (!found) {
      await this.noteStray(request, what, token);
      return undefined;
    }
    await this.identify(found);
    const seconds = Math.round(Date.now() / 1000 - found.expiresAt);
    if (misplaced) note(misplaced.code, what);
    else if (!bearerCredentials.test(authorization)) {
      note('gateway-token-unreadable', { ...what, reason: headerFault(authorization) });
    } else if (error === 'use_dpop_nonce') note('gateway-nonce', what);
    else if (error === 'invalid_request') noteScheme(found, request, what);
    else if (error !== 'invalid_token') note('gateway-proof-refused', { ...what, sentence });
    else if (seconds >= 0) note('gateway-token-expired', { ...what, seconds });
    else if (base !== undefined && found.audience !== base) {
      note('gateway-token-elsewhere', { ...what, sent: found.audience, expected: base });
    } else return noteUnaccepted(found, request, what);
    return undefined;
  }

  async identify({
    clientId,
    accountId,
    grantId,
  }: Pick<AccessTokenFacts, 'clientId' | 'accountId' | 'grantId'>): Promise<void> {
    const ofLaunch = grantId === undefined ? undefined : await this.launchOf(grantId);
    const group = grantId === undefined ? 'service' : 'refused';
    const id = ofLaunch ?? launchIdOfDay(this.secrets, group, clientId);
    identifyLaunch({ id, clientId, accountId, ...(ofLaunch === undefined && { kind: 'service' }) });
  }

  /** A request without a token that was issued here. The same request again is the same record. */
  private async noteStray(request: RefusedTokenRequest, what: Asked, token: string | undefined): Promise<void> {
    const { authorization } = request;
    const misplaced = misplacedToken(request);
    const unknown = token === undefined ? undefined : await this.unknownToken(token);
    if (unknown?.launchId !== undefined) identifyLaunch({ id: unknown.launchId, clientId: unknown.clientId });
    else {
      const fault = sha256(misplaced?.code ?? authorization ?? what.type);
      await this.fileApart(fault, { authorization, address: request.target }, unknown?.clientId);
    }
    const template = token === undefined ? undefined : placeholderIn(token);
    if (misplaced) note(misplaced.code, what);
    else if (template !== undefined) note('gateway-token-placeholder', { ...what, template });
    else if (unknown) noteUnknown(unknown, what);
    else if (authorization !== undefined) {
      note('gateway-token-unreadable', { ...what, reason: headerFault(authorization) });
    } else {
      const { otherHeader: name, addressFault } = request;
      const found = [name === undefined ? undefined : `The header ${name} is not read.`, addressFault];
      note('gateway-token-missing', { ...what, found: found.filter(Boolean).join(' ') });
    }
  }

  /** `owner` is the client of what was sent, where that is known. */
  async fileApart(fault: string, request: CarriedRequest, owner?: string): Promise<void> {
    const named = owner ?? (await this.identifyClient(request));
    const own = launchIdOfDay(this.secrets, 'gateway', callerKey(), fault, named);
    identifyLaunch({ kind: 'unknown', clientId: owner });
    identifyLaunch({ id: this.stray.idFor('gateway', own) });
  }

  async identifyClient(request: CarriedRequest): Promise<string> {
    const { clientId, named } = await namedClient(request, this.clients);
    identifyLaunch({ clientId });
    return named;
  }

  private async unknownToken(token: string): Promise<UnknownToken> {
    // Anyone can send texts, and each is compared with all that its damages would undo.
    if (!this.stray.mayLookUp()) return { kind: 'unknown' };
    return this.tokens.describeUnknown(token).catch((err: unknown) => {
      log.warn({ err }, 'lookup for an unknown token failed');
      return { kind: 'unknown' };
    });
  }

  private refusedToken(token: string, proof: string | undefined) {
    return this.tokens.describeRefused(token, proof).catch((err: unknown) => {
      log.warn({ err }, 'launch lookup for a refused token failed');
      return undefined;
    });
  }

  private launchOf(grantId: string): Promise<string | undefined> {
    return this.tokens.launchOf(grantId).catch((err: unknown) => {
      log.warn({ err }, 'launch lookup for a refused request failed');
      return undefined;
    });
  }
}

/** Notes a token that has not expired, is for the right base, and was not accepted. */
function noteUnaccepted(found: RefusedToken, request: RefusedTokenRequest, what: Asked): UnfitScheme | undefined {
  if (found.end) note('gateway-access-had-ended', { ...what, ...describeEnd(found.end) });
  else if (found.isPaused) note('gateway-app-paused', what);
  else if (found.heldReason !== undefined) note('gateway-representation-held', { ...what, reason: found.heldReason });
  else if (found.isBound !== isProven(request)) {
    noteScheme(found, request, what);
    const { isBound } = found;
    const needed = isBound ? 'is bound to a key: it needs the scheme DPoP and a proof' : 'needs the scheme Bearer';
    return { sentence: `The access token ${needed}.`, isBound };
  } else noteInvalid(found, what);
  return undefined;
}

function noteInvalid({ client, account, lacksBinding, proofFault }: RefusedToken, what: Asked): void {
  if (client === 'disabled') note('gateway-client-disabled', what);
  else if (client === 'gone') note('gateway-client-gone', what);
  else if (lacksBinding) note('gateway-token-of-profile', what);
  else if (proofFault !== undefined) {
    note('gateway-proof-refused', { ...what, sentence: `The DPoP proof is not valid: ${proofFault}.` });
  } else if (account === 'gone') note('gateway-account-gone', what);
  else if (account === 'other-tenant') note('gateway-account-elsewhere', what);
  else note('gateway-token-ended', what);
}

/** Notes a token with another scheme than it needs, or with a proof too many or too few. */
function noteScheme({ isBound }: RefusedToken, request: RefusedTokenRequest, what: Asked): void {
  const hasProof = request.dpop !== undefined && request.dpop !== '';
  const proof = hasProof ? 'a DPoP proof' : 'no DPoP proof';
  if (!isBound) note('gateway-token-unbound', { ...what, sent: isProven(request) ? 'the scheme DPoP' : proof });
  else if (isProven(request)) note('gateway-proof-missing', what);
  else note('gateway-token-bound', { ...what, proof });
}

function isProven({ authorization = '' }: RefusedTokenRequest): boolean {
  return /^DPoP /i.test(authorization);
}

/** Notes a text that was sent as access token, and is not recorded here as one. */
function noteUnknown({ kind, fault = '', issuer = '' }: UnknownToken, what: Asked): void {
  if (kind === 'damaged') note('gateway-token-damaged', { ...what, damage: fault });
  else if (kind === 'changed') note('gateway-token-changed', { ...what, fault });
  else if (kind === 'foreign') note('gateway-token-foreign', { ...what, issuer });
  else if (kind === 'unknown') note('gateway-token-unknown', what);
  else note('gateway-token-other-kind', { ...what, sent: kind });
}

/** The text in the place of the token, also after a scheme that is written wrongly; undefined if there is none. */
function sentToken(authorization: string): string | undefined {
  return /^\s*(?:Bearer|DPoP)[\s:=]*(\S.*?)\s*$/is.exec(authorization)?.[1];
}

/** Why no token can be read from a header, in a clause. */
function headerFault(authorization: string): string {
  const [, scheme = ''] = /^\s*([!#$%&'*+.^_`|~\w-]*)/.exec(authorization) ?? [];
  if (/^(?:Bearer|DPoP)$/i.test(scheme)) {
    const rest = authorization.trim().slice(scheme.length);
    if (rest.trim() === '') return `there is no token after ${scheme}`;
    return /^ /.test(rest) ? `it has more than ${scheme}, a space and the token` : `no space follows ${scheme}`;
  }
  if (/^(?:Bearer|DPoP)/i.test(scheme)) return `no space follows ${scheme.slice(0, /^b/i.test(scheme) ? 6 : 4)}`;
  return /^\s*(?:Basic|Digest|Negotiate|NTLM|Token|JWT|OAuth)\s/i.test(authorization)
    ? `its scheme is ${scheme}`
    : 'it does not begin with a scheme';
}

/** A token of a request without an Authorization header, in the address or the form (RFC 6750 §2.2, §2.3). */
function misplacedToken({ authorization, target, posted }: RefusedTokenRequest) {
  if (authorization !== undefined) return undefined;
  const [, inAddress] = /[?&](?:access_token|token|bearer|authorization)=([^&#]*)/i.exec(target) ?? [];
  if (inAddress !== undefined) return { code: 'gateway-token-in-address', token: bare(inAddress) } as const;
  return posted === undefined ? undefined : ({ code: 'gateway-token-in-body', token: bare(posted) } as const);
}

/** The token of a text that may have the scheme in front. */
function bare(text: string): string {
  return sentToken(text) ?? text;
}
