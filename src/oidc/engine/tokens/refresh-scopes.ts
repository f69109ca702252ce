import Provider, { errors, type Grant, type RefreshToken } from 'oidc-provider';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { covers, parseScope, type SmartScope, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { note } from '../../../platform/activity/launch-notes.js';
import type { Config } from '../../../platform/config/config.js';
import type { UserDirectory } from '../../../users/application/user-directory.js';
import { shownAddress } from '../../domain/address-difference.js';
import type { Context } from '../../domain/launch.js';
import type { ScopeServers } from '../../domain/scope-narrowing.js';
import { allowedForClient, allowedForContext } from '../../domain/scope-request.js';
import { serversOfTokens } from '../authorization/scope-servers.js';
import { type GrantExtras, gatehouseClient } from '../shared/engine-models.js';

interface RefreshContext {
  /** Scopes of the refresh token. */
  granted: ReadonlySet<string>;
  /** Scopes that the user left out on the consent page. */
  declined: ReadonlySet<string>;
  settings: ClientSettings;
  servers: ScopeServers;
  context: Context;
}

/**
 * Scopes of a refresh: never more than those of the refresh token. Scopes that authorization ignored are ignored here
 * too, because libraries repeat the scopes of their authorization request: unknown scopes, scopes that the client may
 * not have, that do not apply to the account or its context, and that the user left out. A scope that was granted in
 * part (a wildcard, some actions, some categories) returns that part. Undefined when any other scope is requested that
 * was not granted (RFC 6749 §6).
 */
function refreshedScopes(asked: string, surroundings: RefreshContext): string[] | undefined {
  const { granted, declined, settings, servers, context } = surroundings;
  const given = new Set<string>();
  for (const text of splitScopes(asked)) {
    const scope = parseScope(text);
    if (!scope) continue;
    const parts = [...granted].filter((one) => isWithin(one, scope));
    for (const one of parts) given.add(one);
    if (parts.length > 0) continue;
    const possible = allowedForContext(allowedForClient([scope], settings, servers), context);
    if (possible.some((one) => !declined.has(one))) return undefined;
  }
  return [...given];
}

function isWithin(text: string, asked: SmartScope): boolean {
  const scope = parseScope(text);
  return scope !== undefined && covers(asked, scope);
}

/** The engine would use the token up before it refuses another `resource` (RFC 8707 §2.2). */
function assertResource({ resource: granted }: RefreshToken, sent: unknown): void {
  if (sent === undefined || sent === granted) return;
  noteOtherResource(sent, granted);
  throw new errors.InvalidTarget();
}

/** Notes that a token request names another FHIR base than its authorization. */
export function noteOtherResource(sent: unknown, granted: unknown): void {
  const shown = [sent].flat().map((resource) => shownAddress(String(resource)));
  note('token-resource', { sent: shown.join(', '), granted: String(granted) });
}

/** Makes the engine compare the result of {@link refreshedScopes} with the refresh token. */
export function installRefreshScopes(provider: Provider, accounts: UserDirectory, config: Config): void {
  const find = provider.RefreshToken.find.bind(provider.RefreshToken);
  Object.defineProperty(provider.RefreshToken, 'find', {
    configurable: true,
    async value(...of: Parameters<typeof find>): Promise<RefreshToken | undefined> {
      const found = (await find(...of)) as RefreshToken | undefined;
      const { oidc } = Provider.ctx ?? {};
      const asked = oidc?.route === 'token' ? oidc.params?.scope : undefined;
      const isUsable = found && !found.consumed && found.clientId === oidc?.client?.clientId;
      if (isUsable && oidc?.route === 'token') assertResource(found, oidc.params?.resource);
      if (!isUsable || !oidc || typeof asked !== 'string' || asked === '') return found;
      const granted = new Set(splitScopes(found.scope ?? ''));
      if (splitScopes(asked).every((scope) => granted.has(scope))) return found;
      const given = refreshedScopes(asked, {
        granted,
        settings: gatehouseClient(oidc.client).settings,
        servers: serversOfTokens(config),
        ...(await tokenContext(found)),
      });
      if (!given) throw new errors.InvalidScope('refresh token missing requested scopes', asked);
      if (given.length === 0) throw new errors.InvalidScope('No scopes found in request', asked);
      // Applies to this request alone; the parameter keeps its value, so that a repeated request is recognised.
      Object.defineProperty(oidc, 'requestParamScopes', { value: new Set(given) });
      return found;
    },
  });

  async function tokenContext({ grantId, accountId, resource }: RefreshToken) {
    const grant = grantId === undefined ? undefined : ((await provider.Grant.find(grantId)) as Grant & GrantExtras);
    const declined = grant?.getRejectedResourceScope(String(resource)) ?? '';
    const { fhirUser } = (await accounts.find(accountId)) ?? {};
    // Launch scopes describe the launch of an authorization, so one that was not granted discloses nothing.
    const context = {
      fhirUser,
      patient: grant?.launch?.patient,
      launched: false,
      resources: new Set<string>(),
      isEnforced: config.gateway.enabled,
    };
    return { declined: new Set(splitScopes(declined)), context };
  }
}
