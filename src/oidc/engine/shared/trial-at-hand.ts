import type { IncomingMessage } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Trial } from '../../domain/trial.js';

/** Members of models that belong to a trial. */
export interface TrialMember {
  trial?: Trial;
}

/** Member of grants and codes of a trial: its id. */
export interface TrialIdMember {
  trialId?: string;
}

/**
 * The trial that an authorization request belongs to. Its only source is the request that the portal itself has stored
 * at the start of the trial; no parameter makes a request one.
 */
export function trialOf({ oidc }: KoaContextWithOIDC): Trial | undefined {
  const { PushedAuthorizationRequest: stored, Interaction: interaction } = oidc?.entities ?? {};
  return ((stored ?? interaction) as TrialMember | undefined)?.trial;
}

const proven = new WeakMap<IncomingMessage, string>();

/**
 * Marks a token request that this process itself makes for a trial, in place of the client's credentials. A request
 * over the network is another object.
 */
export function proveTrial(request: IncomingMessage, trialId: string): void {
  proven.set(request, trialId);
}

/** Id of the trial that this process makes the token request for. */
export function trialProvenBy(request: IncomingMessage): string | undefined {
  return proven.get(request);
}
