import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import type { Found } from '../../../oidc-store/infrastructure/oidc-record.js';

type ModelRead = 'Grant' | 'Interaction';

/**
 * Records that a request has read together with another one, or has locked, for the next lookup of the engine, which
 * comes right after it. A later lookup reads the record again.
 */
const ofRequests = new WeakMap<object, Map<string, Found>>();

export function keepRead(
  ctx: KoaContextWithOIDC,
  { model, id, found }: { model: ModelRead; id: string; found: Found },
): void {
  const kept = ofRequests.get(ctx) ?? new Map<string, Found>();
  ofRequests.set(ctx, kept.set(`${model} ${id}`, found));
}

/** As {@link takeRead}, for a check before the engine's lookup, which still finds it. */
export function peekRead(model: ModelRead, id: string): Found | undefined {
  const { ctx } = Provider;
  return ctx && ofRequests.get(ctx)?.get(`${model} ${id}`);
}

export function takeRead(model: string, id: string): Found | undefined {
  const { ctx } = Provider;
  const kept = ctx && ofRequests.get(ctx);
  const found = kept?.get(`${model} ${id}`);
  kept?.delete(`${model} ${id}`);
  return found;
}
