/**
 * Conditional interactions: changes of the matches of a search, and creates unless it has a match (FHIR R4 §3.1.0.8.1,
 * §3.1.0.10.2, §3.1.0.12.1). Their answer reveals the matches, and a server that ignores the condition changes
 * something else, so they go to the server only where all of that is permitted and it declares support for both. With
 * fewer permissions the gateway searches itself.
 */

import type { Interaction } from '../../contract/audit/access-detail.js';
import { actionOf, type FhirRequest } from './fhir-request.js';
import type { Parameter } from './parameter.js';
import { capabilitiesUnread, Refusal } from './refusal.js';
import { makesOnly, type RequestHeaders } from './request-headers.js';
import { assertCondition, assertKnown, readParameters, withoutFormat } from './search-parameters.js';
import type { TokenPermissions } from './token-permissions.js';

/** The letters of the scopes that it takes. An update that finds nothing creates. */
const needed: Partial<Readonly<Record<Interaction, string>>> = {
  create: 'cs',
  update: 'cus',
  patch: 'us',
  delete: 'ds',
};

/** The letters of the scopes that a request takes. */
export function actionsOf({ interaction, condition }: Pick<FhirRequest, 'interaction' | 'condition'>): string {
  return (condition && needed[interaction]) ?? actionOf[interaction];
}

/** The FHIR server's support for conditional requests on a resource type. */
export interface ServedConditions {
  /** The interactions that it carries out conditionally. */
  conditional: readonly string[];
  searchParameters: readonly string[];
}

/** The condition of a request, if it has one. */
export function conditionOf(
  { interaction, id, parameters }: FhirRequest,
  headers: RequestHeaders,
): readonly Parameter[] | undefined {
  if (interaction === 'create') {
    const header = headers['if-none-exist'];
    if (header === undefined) return undefined;
    const fault = headerFault(header);
    if (fault !== undefined) throw unfitHeader(fault);
    const condition = readParameters(header);
    assertCondition(condition);
    return condition;
  }
  if (id !== undefined || needed[interaction] === undefined) return undefined;
  if (makesOnly(interaction, headers)) {
    throw new Refusal(400, 'not-supported', 'If-None-Match: * is for an update of one resource by its id.');
  }
  return withoutFormat(parameters);
}

/** Why a header has no condition, in a clause; undefined if it has one. */
function headerFault(header: string): string | undefined {
  const [place = '', query] = header.split('?', 2);
  if (query !== undefined && /^https?:|^\/?[A-Z]/.test(place)) return 'has an address in front of the condition';
  return withoutFormat(readParameters(header)).length === 0 ? 'has no condition' : undefined;
}

function unfitHeader(fault: string): Refusal {
  const refusal = new Refusal(400, 'invalid', 'If-None-Exist takes search parameters alone, such as identifier=….');
  const remedy = 'Have the app send what follows the ? of a search, such as identifier=…, in this header.';
  return refusal.because({
    code: 'gateway-request-form',
    detail: { fault: `its header If-None-Exist ${fault}`, remedy },
  });
}

/** True if the gateway itself has to find the condition's matches. */
export function isLimitedCondition({ interaction, type, condition }: FhirRequest, token: TokenPermissions): boolean {
  return condition !== undefined && !token.permitsAll(type, needed[interaction] ?? '');
}

/**
 * Throws a {@link Refusal} unless the token permits the condition, and the server supports it where it is left to the
 * server. `served` is undefined while that is not known.
 */
export function assertConditional(
  { interaction, type }: FhirRequest,
  condition: readonly Parameter[],
  token: TokenPermissions,
  served: ServedConditions | undefined,
): void {
  const levels = [...(needed[interaction] ?? '')].map((action) => token.level(type, action));
  if (levels.includes('none')) {
    throw new Refusal(
      403,
      'forbidden',
      'The access token does not allow this condition: it takes scopes to search, too.',
    );
  }
  if (!served) throw capabilitiesUnread();
  const { conditional, searchParameters } = served;
  if (levels.every((level) => level === 'all') && !conditional.includes(interaction)) {
    throw new Refusal(400, 'not-supported', `The FHIR server does not support a conditional ${interaction} here.`);
  }
  assertKnown(condition, searchParameters);
}
