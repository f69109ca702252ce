import Provider, { errors, type Grant, type RefreshToken } from 'oidc-provider';
import type { ClientSettings } from '../../contract/clients.js';
import { covers, parseScope, type SmartScope, splitScopes } from '../../contract/rules/smart-scope.js';
import type { Config } from '../../platform/config/config.js';
import type { UserDirectory } from '../../users/application/user-directory.js';
import { type GrantExtras, gatehouseClient } from './engine-models.js';
import type { Context } from './launch.js';
import { allowedForClient, allowedForContext } from './scope-request.js';

interface Surroundings {
  /** What the refresh token has. */
  granted: ReadonlySet<string>;
  /** What the person left out on the consent page. */
  declined: ReadonlySet<string>;
  settings: ClientSettings;
  specialScopes: readonly string[];
  context: Context;
}

/**
 * What a refresh gives of the scopes that it asks for: never more than the refresh token has. What authorization ignored
 * is ignored here too, because libraries repeat the scopes of their authorization request: what has no meaning, what the
 * client may not have, what the account or its context does not have, and what the person left out. A scope of which
 * authorization granted a part (a wildcard, some actions, some categories) gives that part. Undefined when anything else
 * is asked for that was not granted (RFC 6749 §6).
 */
export function refreshedScopes(asked: string, surroundings: Surroundings): string[] | undefined {
  const { granted, declined, settings, specialScopes, context } = surroundings;
  const given = new Set<string>();
  for (const text of splitScopes(asked)) {
    const scope = parseScope(text);
    if (!scope) continue;
    const parts = [...granted].filter((one) => isWithin(one, scope));
    for (const one of parts) given.add(one);
    if (parts.length > 0) continue;
    const possible = allowedForContext(allowedForClient([scope], settings, specialScopes), context);
    if (possible.some((one) => !declined.has(one))) return undefined;
  }
  return [...given];
}

function isWithin(text: string, asked: SmartScope): boolean {
  const scope = parseScope(text);
  return scope !== undefined && covers(asked, scope);
}

/** Lets the engine compare what is left after {@link refreshedScopes} with the refresh token. */
export function installRefreshScopes(provider: Provider, accounts: UserDirectory, config: Config): void {
  const find = provider.RefreshToken.find.bind(provider.RefreshToken);
  Object.defineProperty(provider.RefreshToken, 'find', {
    configurable: true,
    async value(...of: Parameters<typeof find>): Promise<RefreshToken | undefined> {
      const found = (await find(...of)) as RefreshToken | undefined;
      const { oidc } = Provider.ctx ?? {};
      const asked = oidc?.route === 'token' ? oidc.params?.scope : undefined;
      const isUsable = found && !found.consumed && found.clientId === oidc?.client?.clientId;
      if (!isUsable || !oidc || typeof asked !== 'string' || asked === '') return found;
      const granted = new Set(splitScopes(found.scope ?? ''));
      if (splitScopes(asked).every((scope) => granted.has(scope))) return found;
      const given = refreshedScopes(asked, {
        granted,
        settings: gatehouseClient(oidc.client).settings,
        specialScopes: config.fhir.specialScopes,
        ...(await circumstances(found)),
      });
      if (!given) throw new errors.InvalidScope('refresh token missing requested scopes', asked);
      if (given.length === 0) throw new errors.InvalidScope('No scopes found in request', asked);
      // Of this request alone; the parameter stays as it came, so that a repeated request is known as the same.
      Object.defineProperty(oidc, 'requestParamScopes', { value: new Set(given) });
      return found;
    },
  });

  async function circumstances({ grantId, accountId, resource }: RefreshToken) {
    const grant = grantId === undefined ? undefined : ((await provider.Grant.find(grantId)) as Grant & GrantExtras);
    const declined = grant?.getRejectedResourceScope(String(resource)) ?? '';
    const { fhirUser } = (await accounts.find(accountId)) ?? {};
    // Launch scopes tell what an authorization was opened for, so one that was not granted has nothing to tell.
    const context = { fhirUser, patient: grant?.launch?.patient, launched: false, resources: new Set<string>() };
    return { declined: new Set(splitScopes(declined)), context };
  }
}
