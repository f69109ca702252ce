import { type Acr, isAcrAtLeast } from '../../contract/rules/acr.js';
import { actionOf, type FhirRequest } from './fhir-request.js';
import { Refusal } from './refusal.js';

/** The demands of some requests on the user's sign-in (`gateway.stepUp`). */
export interface StepUpRule {
  /** Letters of scopes (`cruds`) that the rule is for. */
  actions: string;
  /** Resource types that the rule is for; `*` for all. */
  types: readonly string[];
  /** The weakest level. */
  acr?: Acr | undefined;
  /** Seconds since the sign-in. */
  maxAge?: number | undefined;
}

/** The sign-in that a token comes from. */
export interface SignIn {
  /** Absent in a token of a service. */
  accountId?: string | undefined;
  acr?: string | undefined;
  /** Seconds since 1970. */
  authTime?: number | undefined;
}

/**
 * Refuses a request whose user has to sign in more strongly, or again (RFC 9470 §3). A service has no user, and is not refused.
 * `now` is in seconds since 1970.
 */
export function assertSignIn(request: FhirRequest, signIn: SignIn, rules: readonly StepUpRule[], now: number): void {
  if (signIn.accountId === undefined) return;
  const due = rules.filter((rule) => appliesTo(rule, request));
  const isUnmet = due.some(
    ({ acr, maxAge }) =>
      (acr !== undefined && !isAcrAtLeast(signIn.acr, acr)) ||
      (maxAge !== undefined && !(now - (signIn.authTime ?? 0) <= maxAge)),
  );
  if (isUnmet) throw insufficient(due);
}

/** An operation answers with resources of any type, and so do the types that a search reaches beside its own. */
function appliesTo({ actions, types }: StepUpRule, { interaction, type, relatedTypes = [] }: FhirRequest): boolean {
  // A search may reach any type by a reference.
  const isOf = (name: string) => name === '*' || types.includes('*') || types.includes(name);
  if (interaction === 'operation') return /[rs]/.test(actions);
  if (relatedTypes.some((related) => actions.includes(related.action) && isOf(related.type))) return true;
  return actions.includes(actionOf[interaction]) && isOf(type);
}

/** Names all that is demanded, so that one further sign-in is enough. */
function insufficient(rules: readonly StepUpRule[]): Refusal {
  const needed = rules.reduce<Acr | undefined>(
    (strongest, { acr }) => (acr && !(strongest && isAcrAtLeast(strongest, acr)) ? acr : strongest),
    undefined,
  );
  const ages = rules.flatMap(({ maxAge }) => maxAge ?? []);
  const text = 'This needs a stronger or a newer sign-in of the user.';
  return new Refusal(
    401,
    'login',
    text,
    {},
    {
      error: 'insufficient_user_authentication',
      error_description: text,
      ...(needed && { acr_values: needed }),
      ...(ages.length > 0 && { max_age: String(Math.min(...ages)) }),
    },
  );
}
