import { errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import { accessTokenSeconds } from '../../../contract/rules/lifetime.js';
import { maxScopes, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { note } from '../../../platform/activity/launch-notes.js';
import type { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import { managementAudience, managementScope } from '../../domain/access-tokens.js';
import { audienceFault, shownAddress } from '../../domain/address-difference.js';
import { similarName } from '../../domain/parameter-names.js';
import { shownScope } from '../../domain/scope-explanation.js';
import { allowedForClient, needsAudience, parseRequest } from '../../domain/scope-request.js';
import { requestObjectOf, sentParameters } from '../clients/request-objects.js';
import { signingAlgorithmFor } from '../clients/security-profile.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { gatehouseClient } from '../shared/engine-models.js';
import type { RequestedBases } from '../shared/requested-base.js';
import { scopesOfRequest } from '../shared/standard-claims.js';
import { grantOf } from '../shared/token-grants.js';
import { trialOf } from '../shared/trial-at-hand.js';
import type { ScopeNotes } from './scope-notes.js';
import { type ServersOfScopes, serversOfTokens } from './scope-servers.js';

/** Told to a client that has sent scopes of which none is left. */
export const noneLeft = 'None of the requested scopes can be granted';
/** Told to a client that has sent none, and has no default (RFC 6749 §3.3). */
const noneSent = 'No scopes found in request';

/** The error of a request of which no scope is left. */
export function nothingGranted(asked: string): errors.InvalidScope {
  return new errors.InvalidScope(asked === '' ? noneSent : noneLeft, '');
}

/**
 * The engine's resource indicators. Clients and services get tokens for one FHIR base, which clients name by `aud` or
 * `resource` and services by `resource`, with the first base as the default; services that manage the portal get tokens
 * for its management calls. The scopes of a request are narrowed here to those that the client may have; the engine
 * then grants nothing beyond them. The token's scope contains all of them, identity and launch scopes included, because
 * SMART clients compare it with their request.
 */
export function scopeGrants(signingKeys: SigningKeys, bases: RequestedBases, surroundings: ScopeSurroundings) {
  const { config } = surroundings;
  const management = managementAudience(config.server.issuer);
  return {
    enabled: true,
    defaultResource: (ctx: KoaContextWithOIDC, client: object) =>
      gatehouseClient(client).type === 'ManagementApi'
        ? management
        : (bases.byAudience(namedIn(ctx)) ?? bases.ofRequest({})).url,
    useGrantedResource: () => true,
    getResourceServerInfo(
      ctx: KoaContextWithOIDC,
      resource: string,
      client: object,
    ): ResourceServer | Promise<ResourceServer> {
      const { settings, type } = gatehouseClient(client);
      const base = bases.byUrl(resource);
      const isTheirs = type === 'ManagementApi' ? resource === management : base !== undefined && isFor(settings, base);
      if (Array.isArray(ctx.oidc.params?.resource)) {
        note('parameter-repeated', { parameters: 'resource' });
        throw new errors.InvalidTarget('resource must not be provided twice');
      }
      if (!isTheirs) {
        const [first] = bases.all;
        if (base) note('tenant-not-allowed', { base: base.url });
        else note('resource-unknown', { sent: shownAddress(resource), base: first.url });
        throw new errors.InvalidTarget();
      }
      const scopes = base ? scopesOf(ctx, settings, { ...surroundings, base, bases }) : managementScopes(ctx);
      const isJwt = settings.accessTokenType === 'Jwt';
      const lifetime = accessTokenSeconds(settings);
      const server: ResourceServer = {
        scope: scopes.join(' '),
        audience: resource,
        accessTokenFormat: isJwt ? 'jwt' : 'opaque',
        accessTokenTTL: lifetime,
        jwt: { sign: { alg: signingAlgorithmFor(settings, config.keys.accessTokenAlgorithm) } },
      };
      if (!isJwt || signingKeys.areKeptFor(lifetime)) return server;
      return signingKeys.keepFor(lifetime).then(() => server);
    },
  };
}

type Settings = ReturnType<typeof gatehouseClient>['settings'];

/** True if the client may have data of this base. */
export function isFor({ allowedTenants }: Settings, { tenant }: FhirBase): boolean {
  return allowedTenants.length === 0 || (tenant !== undefined && allowedTenants.includes(tenant.id));
}

/** The parts of the portal on which the scopes of tokens depend. */
interface ScopeSurroundings {
  config: Config;
  notes: ScopeNotes;
  servers: ServersOfScopes;
}

interface GrantContext extends ScopeSurroundings {
  base: FhirBase;
  bases: RequestedBases;
}

function scopesOf(ctx: KoaContextWithOIDC, settings: Settings, surroundings: GrantContext): string[] {
  const { base, bases, notes, servers } = surroundings;
  const { oidc } = ctx;
  if (oidc.route === 'token') {
    const grant = grantOf(ctx);
    if (!grant) throw new Error(`the scopes of the grant ${oidc.params?.grant_type} are not known`);
    return grant.scopes(ctx, settings, base);
  }
  const isRequest = oidc.route === 'authorization' || oidc.route === 'pushed_authorization_request';
  const sent = isRequest ? orDefault(sentScope(ctx), settings) : oidc.params?.scope?.toString();
  const implied = isRequest ? scopesOfRequest(oidc.params?.claims) : [];
  const text = [sent ?? '', ...implied].join(' ');
  const asked = parseRequest(text);
  if (!asked) {
    note('scopes-too-many', { maximum: maxScopes });
    throw new errors.InvalidScope('too many scopes', '');
  }
  if (isRequest) {
    const isPushed = oidc.entities.PushedAuthorizationRequest !== undefined && trialOf(ctx) === undefined;
    // The scopes of a pushed request were noted at the push.
    if (!isPushed) notes.noteForClient({ texts: splitScopes(text), settings, base });
    assertOneBase(ctx, bases);
    if (needsAudience(asked)) assertAudience(ctx, base, bases);
    const allowed = allowedForClient(asked, settings, servers.forRequest(base));
    if (allowed.length === 0) throw nothingGranted(text.trim());
    if (oidc.params) oidc.params.scope = allowed.join(' ');
    return allowed;
  }
  return asked.map(({ text }) => text);
}

/** A service that manages the portal gets no FHIR data, whatever its stored settings are. */
function managementScopes({ oidc }: KoaContextWithOIDC): string[] {
  const asked = oidc.params?.scope?.toString() ?? '';
  if (!splitScopes(asked).includes(managementScope)) {
    note('scopes-of-management', {
      scope: managementScope,
      asked: splitScopes(asked).map(shownScope).join(' ') || 'no scope',
    });
    throw nothingGranted(asked);
  }
  if (oidc.params) oidc.params.scope = managementScope;
  return [managementScope];
}

/**
 * The scope as the client sent it, in the URL, in the body, signed or pushed before: by now the engine has dropped
 * `offline_access`, unless the client requested `prompt=consent`, which SMART clients never do.
 */
function sentScope(ctx: KoaContextWithOIDC): string | undefined {
  const object = requestObjectOf(ctx);
  const sent = (object ?? sentParameters(ctx)).scope;
  return typeof sent === 'string' ? sent : undefined;
}

/** The scopes of a request without any are those that its client has by default (RFC 6749 §3.3). */
export function orDefault(sent: string | undefined, { defaultScopes }: Settings): string {
  if (sent) return sent;
  if (defaultScopes.length > 0) note('scopes-default', { scopes: defaultScopes.map(shownScope).join(' ') });
  return defaultScopes.join(' ');
}

/**
 * The granted scopes that the client may still have: narrowed again, so that a scope that an administrator removed from
 * the client is missing in the next token.
 */
export function scopesStillAllowed(
  source: { scope?: string } | undefined,
  settings: Settings,
  config: Config,
  notes: ScopeNotes,
): string[] {
  const granted = parseRequest(source?.scope) ?? [];
  const allowed = new Set(allowedForClient(granted, settings, serversOfTokens(config)));
  const lost = granted.filter((scope) => !allowed.has(scope.text));
  if (lost.length > 0) notes.noteForTokens(lost, settings);
  return [...allowed];
}

/**
 * Name of the FHIR base in the request: `aud` or `resource`; in a JWT `resource` alone, as `aud` has another meaning
 * there. The engine does not know `aud`: it would read that of a request object as the same parameter.
 */
function namedIn(ctx: KoaContextWithOIDC): unknown {
  const object = requestObjectOf(ctx);
  if (object) return object.resource;
  const { aud, resource } = sentParameters(ctx);
  if (Array.isArray(aud)) throw new errors.InvalidRequest('aud must not be provided twice');
  return aud || resource;
}

/** Throws if `aud` and `resource` name two FHIR bases. */
function assertOneBase(ctx: KoaContextWithOIDC, bases: RequestedBases): void {
  const { aud, resource } = requestObjectOf(ctx) ? {} : sentParameters(ctx);
  if (typeof aud !== 'string' || aud === '' || typeof resource !== 'string' || resource === '') return;
  const base = bases.byAudience(resource);
  // One that names no base is told as such.
  if (base === undefined || bases.byAudience(aud) === undefined || base === bases.byAudience(aud)) return;
  note('aud-resource-differ', { aud: shownAddress(aud), resource: shownAddress(resource) });
  throw new errors.InvalidRequest('aud and resource must be the URL of the same FHIR base');
}

/** Throws on a wrong `aud`. One slash more or less at the end is the only tolerance (SMART 2.2 app-launch, `aud`). */
function assertAudience(ctx: KoaContextWithOIDC, { url }: FhirBase, bases: RequestedBases): void {
  const named = namedIn(ctx);
  if (typeof named === 'string' && named.replace(/\/$/, '') === url) return;
  const parameter = requestObjectOf(ctx) ? 'resource' : 'aud';
  if (typeof named !== 'string' || named === '') {
    const similar = parameter === 'aud' ? similarName('aud', Object.keys(sentParameters(ctx))) : undefined;
    if (similar === undefined) note('aud-missing', { parameter, base: url });
    else note('parameter-misnamed', { parameter, similar });
  } else {
    const { code, ...fault } = audienceFault(named, bases.all);
    note(code, { parameter, sent: shownAddress(named), ...fault });
  }
  throw new errors.InvalidRequest(`${parameter} must be the URL of a FHIR base of ours`);
}
