import type Provider from 'oidc-provider';
import type { Grant } from 'oidc-provider';
import { overlap } from '../../../contract/rules/scopes/scope-choice.js';
import { covers, parseScope, type SmartScope, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import type { GrantExtras } from '../shared/engine-models.js';
import { addScopes } from './prompts.js';

/** A user's decision about one request. */
export interface Choice {
  /** All scopes that the page offered. */
  offered: string[];
  granted: string[];
}

/**
 * Revokes the scopes that a user leaves out on the consent page from earlier grants for the same client, so that an
 * earlier refresh token cannot bring them back (security O-11). Scopes that were not offered stay, and so do grants for
 * another FHIR base. An earlier grant that loses all its scopes, or its right to last, ends.
 */
export async function takeBack(
  provider: Provider,
  earlierGrants: string[],
  choice: Choice,
  of: { fhirBase: string; representation: string | undefined },
): Promise<void> {
  const { fhirBase } = of;
  for (const id of earlierGrants) {
    const grant = await provider.Grant.find(id);
    // A grant for one patient leaves the grants for another patient as they are.
    const { representation } = (grant ?? {}) as GrantExtras;
    if (!grant?.resources?.[fhirBase] || representation?.id !== of.representation) continue;
    const before = splitScopes(grant.getOIDCScope());
    const kept = before.filter((scope) => !isTakenBack(scope, choice));
    if (kept.length === before.length) continue;
    await narrowGrant(grant, kept, fhirBase);
  }
}

/**
 * Leaves a grant only these scopes: at once for its access tokens, and for its codes and refresh tokens when they are
 * used. The scopes that it loses count as left out, so that a refresh that repeats them is answered with the rest. A
 * grant that loses all its scopes, or its right to last, ends.
 */
export async function narrowGrant(grant: Grant, kept: readonly string[], fhirBase: string): Promise<void> {
  const before = splitScopes(grant.getOIDCScope());
  const lostDuration = before.includes('offline_access') && !kept.includes('offline_access');
  if (kept.length === 0 || lostDuration) return grant.destroy();
  const lost = before.filter((scope) => !kept.includes(scope));
  const narrowed: GrantExtras & object = { narrowed: true };
  Object.assign(grant, { openid: undefined, resources: undefined, ...narrowed });
  addScopes(grant, [...kept], fhirBase);
  grant.rejectResourceScope(fhirBase, lost.join(' '));
  await grant.save();
}

/**
 * A scope that is wider than the offered one is revoked too, when part of it was refused: an earlier token cannot be
 * narrowed.
 */
function isTakenBack(text: string, choice: Choice): boolean {
  const scope = parseScope(text);
  const granted = parsed(choice.granted);
  if (!scope || granted.some((one) => covers(one, scope))) return false;
  return parsed(choice.offered)
    .filter((one) => !granted.some((other) => covers(other, one)))
    .some((one) => overlap(one, scope));
}

function parsed(texts: string[]): SmartScope[] {
  return texts.map(parseScope).filter((scope) => scope !== undefined);
}
