import { note } from '../../../platform/activity/launch-notes.js';
import { followsProfile } from '../clients/security-profile.js';
import { gatehouseClient } from '../shared/engine-models.js';
import { grantOf, type RefusedGrant } from '../shared/token-grants.js';

/** Notes that a request has no DPoP proof (RFC 9449 §5), and needs one; false if it has one, or needs none. */
export function noteProofMissing({ ctx, found }: RefusedGrant): boolean {
  const { client, body } = ctx.oidc;
  if (!client || ctx.get('DPoP') !== '') return false;
  const { settings } = gatehouseClient(client);
  const isInBody = Object.keys(body ?? {}).some((name) => name.toLowerCase() === 'dpop');
  const place = isInBody ? 'It is in the body, and belongs into the header DPoP.' : '';
  if (followsProfile(settings)) note('dpop-of-profile');
  else if (settings.requireDpop) note('dpop-missing', { found: place });
  else if (found?.jkt) note('dpop-of-bound');
  else return false;
  return true;
}

/** Notes a proof by another key than the one that the code or token is bound to. */
export function noteOtherKey({ ctx, found, proofKey }: RefusedGrant): boolean {
  if (!found?.jkt || proofKey === undefined || proofKey === found.jkt) return false;
  note('dpop-key', { what: grantOf(ctx)?.presents?.name ?? 'code' });
  return true;
}
