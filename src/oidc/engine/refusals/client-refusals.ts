import { Injectable } from '@nestjs/common';
import type { errors, KoaContextWithOIDC } from 'oidc-provider';
import {
  RegisteredClients,
  type RegisteredCredentials,
  type Resembling,
} from '../../../clients/application/registered-clients.js';
import { inUtc } from '../../../contract/activity/cause.js';
import { placeholderIn } from '../../../contract/rules/damage.js';
import { identifyLaunch, note } from '../../../platform/activity/launch-notes.js';
import { plainName, similarName } from '../../domain/parameter-names.js';
import { namedClient } from '../../domain/refused/named-client.js';
import { notUtf8 } from '../shared/request-text.js';
import { assertionHeader, noteAssertion, otherIssuer } from './assertion-refusals.js';
import { basicFault } from './authorization-header.js';
import {
  carriedBy,
  dayOf,
  jwtFault,
  jwtParts,
  type Presented,
  presentedBy,
  subjectOf,
} from './presented-credentials.js';
import { VerificationKeys } from './verification-keys.js';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Notes why a client could not authenticate. Called for refused requests only. */
@Injectable()
export class ClientRefusals {
  constructor(
    private readonly clients: RegisteredClients,
    private readonly keys: VerificationKeys,
  ) {}

  /** Files a request to the client that it names where the engine has read none. */
  async identifyNamed(ctx: KoaContextWithOIDC): Promise<void> {
    if (presentedBy(ctx).clientId) return;
    const { clientId } = await namedClient(carriedBy(ctx), this.clients);
    identifyLaunch({ clientId });
  }

  /** False if the request has no fault of the client's credentials. */
  async note(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): Promise<boolean> {
    const presented = presentedBy(ctx);
    if (error.message !== 'invalid_client') return ctx.oidc.client === undefined && noteMalformed(ctx, presented);
    return this.noteUnauthenticated(ctx, presented);
  }

  private async noteUnauthenticated(ctx: KoaContextWithOIDC, presented: Presented): Promise<boolean> {
    const { clientId = '', secret, assertion } = presented;
    // The same work for every client id.
    const header = assertion === undefined ? undefined : assertionHeader(assertion);
    const kid = typeof header?.kid === 'string' ? header.kid : undefined;
    const registered = await this.clients.credentialsOf(clientId, { secret, kid });
    const resembling = await this.clients.resembling(clientId);
    const issuer = otherIssuer(assertion);
    const owner = secret === undefined ? undefined : await this.clients.otherOwnersOf({ secret }, clientId);
    const ofIssuer = issuer === undefined ? undefined : await this.clients.credentialsOf(issuer);
    if (owner !== undefined && registered?.presented === undefined) note('token-secret-of-other-client', { owner });
    if (assertion !== undefined && header && !registered)
      await this.keys.noteOwner({ text: assertion, header }, clientId);
    const swapped = secret === undefined ? undefined : await this.clients.credentialsOf(secret, { secret: clientId });
    if (secret !== undefined && swapped?.presented) {
      // The id of the request is the secret: it must not be recorded.
      identifyLaunch({ clientId: secret });
      note('token-credentials-swapped');
    } else if (ctx.status === 429) note('token-secrets-throttled', { seconds: ctx.response.get('Retry-After') });
    else if (!registered && issuer !== undefined && ofIssuer) {
      note('assertion-issuer', { iss: issuer, sub: clientId || 'missing', clientId: issuer });
    } else if (!registered) noteUnregistered(clientId, resembling);
    else if (!registered.enabled) note('token-client-disabled', { clientId });
    else if (registered.removed && isRemoved(registered, kid)) noteRemoved(registered, registered.removed, kid);
    else if (assertion !== undefined && hasKeys(registered)) {
      return noteAssertion(ctx, assertion, registered, this.keys);
    } else if (secret !== undefined && !registered.isPublic && !registered.isOfProfile) {
      return noteSecret(presented, registered);
    } else noteMethod(presented, registered);
    return true;
  }
}

/** True if the removed credential that was presented is none of the present ones again. */
function isRemoved({ credentials, presented }: RegisteredCredentials, kid: string | undefined): boolean {
  if (kid === undefined) return presented === undefined;
  // A key set that is read from an address may have it.
  return !credentials.some(({ jwk, url }) => url !== null || jwk?.kid === kid);
}

function noteRemoved(
  { credentials }: RegisteredCredentials,
  { description, removedAt }: NonNullable<RegisteredCredentials['removed']>,
  kid: string | undefined,
): void {
  const what = kid === undefined ? 'secret' : `key ${kid}`;
  const type = kid === undefined ? 'SharedSecret' : 'JWK';
  const known = credentials.filter((one) => one.secretType === type && one.isLive(new Date()));
  note('token-credential-removed', {
    what,
    description: description || 'none',
    removed: inUtc(removedAt),
    known: known.map(({ jwk, description: name }) => jwk?.kid ?? `‘${name ?? ''}’`).join(', ') || 'none',
  });
}

function noteClientMissing(ctx: KoaContextWithOIDC): void {
  const names = Object.keys({ ...ctx.query, ...ctx.oidc.body }).filter((name) => plainName.test(name));
  const unknown = names.filter((name) => !['grant_type', 'scope', 'code', 'token'].includes(name));
  const similar = ['client_id', 'client_secret', 'client_assertion'].flatMap((name) => {
    const meant = similarName(name, unknown) ?? unknown.find((one) => name === `client_${one}`);
    const isOther = meant === undefined || meant === 'client_assertion_type';
    return isOther ? [] : [`${meant}, perhaps for ${name}`];
  });
  note('token-client-missing', {
    sent: names.slice(0, 12).join(', ') || 'no parameter',
    found: similar.length > 0 ? `It has ${similar.join(' and ')}.` : '',
  });
}

/** True if an access token, which is of a user or a service, was sent in the place of the client's credentials. */
function isAccessToken(authorization: string | undefined): boolean {
  const [, text = ''] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  return jwtParts(text)?.typ === 'at+jwt';
}

/** True if a JWT with a subject was sent in the place of an access token. */
function isAssertion(authorization: string | undefined): boolean {
  const [, text] = /^bearer (\S+)$/i.exec(authorization ?? '') ?? [];
  return subjectOf(text) !== undefined;
}

function noteUnregistered(clientId: string, { nearest, damage, named }: Resembling): void {
  const template = placeholderIn(clientId);
  if (clientId.includes(notUtf8)) note('token-encoding', { parameter: 'client id' });
  else if (nearest !== undefined && damage !== undefined) note('token-client-damaged', { clientId, nearest, damage });
  else if (template !== undefined) note('token-client-placeholder', { template });
  else if (named !== undefined) note('token-client-named', { clientId, named });
  else if (nearest === undefined) note('token-client-unknown', { clientId });
  else note('token-client-misspelled', { clientId, nearest });
}

/** Faults that the engine refuses before it looks for the client. */
function noteMalformed(ctx: KoaContextWithOIDC, { used, hasCredentials, isTwice, named, proving }: Presented): boolean {
  const { client_assertion: assertion, client_assertion_type: type } = ctx.oidc.params ?? {};
  const { authorization } = ctx.headers;
  const fault = authorization === undefined ? undefined : basicFault(authorization);
  if (isTwice) note('token-authentication-twice', { used });
  else if (isAccessToken(authorization)) note('token-by-access-token');
  else if (isAssertion(authorization)) note('assertion-misplaced');
  else if (fault !== undefined) note('token-credentials-unreadable', { reason: fault });
  else if (!hasCredentials && !ctx.oidc.params?.client_id) noteClientMissing(ctx);
  else if (assertion !== undefined && subjectOf(String(assertion)) === undefined) {
    note('assertion-unreadable', { reason: jwtFault(String(assertion)) });
  } else if (assertion !== undefined && type !== assertionType) {
    // A text of another form may be a secret in the wrong place.
    const other = String(type).startsWith('urn:') ? String(type) : 'another text';
    note('assertion-type', { sent: type === undefined ? 'missing' : other, expected: assertionType });
  } else if (hasCredentials && named !== undefined && proving !== undefined && named !== proving) {
    note('token-client-differs', { named, proving });
  } else return false;
  return true;
}

/** False if the secret is right. */
function noteSecret(presented: Presented, registered: RegisteredCredentials): boolean {
  const now = new Date();
  const { secret = '', clientId } = presented;
  const own = registered.presented;
  if (own?.isLive(now)) return false;
  if (own?.expiresAt) {
    note('token-secret-expired', { secret: own.description ?? '', expired: dayOf(own.expiresAt) });
    return true;
  }
  const secrets = registered.credentials.filter(({ secretType }) => secretType === 'SharedSecret');
  const count = secrets.filter((one) => one.isLive(now)).length;
  if (secret.includes(notUtf8)) note('token-encoding', { parameter: 'secret' });
  else if (count === 0) noteMethod(presented, registered);
  else if (registered.damage !== undefined) note('token-secret-damaged', { damage: registered.damage });
  else if (secret === clientId) note('token-secret-is-id');
  else if (placeholderIn(secret) !== undefined) note('token-secret-placeholder');
  else note('token-secret-wrong', { count });
  return true;
}

function noteMethod(
  { used, hasCredentials }: Presented,
  { isPublic, isOfProfile, credentials }: RegisteredCredentials,
) {
  const live = credentials.filter((credential) => credential.isLive(new Date()));
  const methods = [
    ...(live.some(({ secretType }) => secretType === 'SharedSecret')
      ? ['client_secret_basic, client_secret_post']
      : []),
    ...(live.some(({ secretType }) => secretType === 'JWK') ? ['private_key_jwt'] : []),
  ];
  const registered = methods.join(', ');
  if (isPublic && !hasCredentials) note('introspection-by-public');
  else if (isPublic) note('token-credentials-of-public', { used });
  else if (methods.length === 0) note('token-credentials-ended', { used });
  else if (!hasCredentials) note('token-credentials-missing', { registered });
  else if (isOfProfile) note('token-authentication-profile', { used });
  else note('token-authentication-method', { used, registered });
}

function hasKeys({ credentials }: RegisteredCredentials): boolean {
  return credentials.some(({ secretType }) => secretType === 'JWK');
}
