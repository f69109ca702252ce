import { type Acr, isAcrAtLeast } from '../../contract/rules/acr.js';
import { hasCategory } from '../../contract/rules/resources/codes.js';
import { listOf, member } from '../../contract/rules/resources/elements.js';
import { actionsOf } from './condition.js';
import type { FhirRequest } from './fhir-request.js';
import { Refusal } from './refusal.js';
import { trims } from './search-parameters.js';
import { hasDataSent } from './token-permissions.js';

/** The demands of some requests on the user's sign-in (`gateway.stepUp`). */
export interface StepUpRule {
  /** Letters of scopes (`cruds`) that the rule is for. */
  actions: string;
  /**
   * Resource types that the rule is for; `*` for all, `Type?category=value` for those of a category, spelled as in a
   * scope.
   */
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

/** Refuses a resource of a category that demands more of the sign-in, by a thrown {@link Refusal}. */
export type ResourceCheck = (resource: unknown) => void;

/**
 * Refuses a request whose user has to sign in more strongly, or again (RFC 9470 §3). A service has no user, and is not
 * refused. Where it depends on the categories of resources, returns the check that each of them has to pass before any
 * of the answer leaves. `now` is in seconds since 1970.
 */
export function assertSignIn(
  request: FhirRequest,
  signIn: SignIn,
  rules: readonly StepUpRule[],
  now: number,
  isInTransaction = false,
): ResourceCheck | undefined {
  if (signIn.accountId === undefined) return undefined;
  const isUnmet = ({ acr, maxAge }: StepUpRule) =>
    (acr !== undefined && !isAcrAtLeast(signIn.acr, acr)) ||
    (maxAge !== undefined && !(now - (signIn.authTime ?? 0) <= maxAge));
  const held = rules.map((rule) => ({ rule, reach: reachOf(rule, request, isInTransaction) }));
  const due = held.filter(({ reach }) => reach === 'whole').map(({ rule }) => rule);
  if (due.some(isUnmet)) throw insufficientSignIn(due);
  const byCategory = held.flatMap(({ rule, reach }) => (reach === 'whole' ? [] : [{ rule, kinds: reach }]));
  if (!byCategory.some(({ rule, kinds }) => kinds.length > 0 && isUnmet(rule))) return undefined;
  return (resource) => {
    const shown = shownWith(resource);
    const demanding = byCategory
      .filter(({ kinds }) => kinds.some((kind) => shown.some((one) => isOfKind(one, kind))))
      .map(({ rule }) => rule);
    if (demanding.some(isUnmet)) throw insufficientSignIn([...due, ...demanding]);
  };
}

/** Resources of a category that a rule is for. */
interface Kind {
  category: string;
  /** Where another type is asked for, which may contain them. */
  contained?: string;
}

function isOfKind(resource: unknown, { category, contained }: Kind): boolean {
  const type = member(resource, 'resourceType');
  const isOfType = contained === undefined || typeof type !== 'string' || type === contained;
  return isOfType && hasCategory(resource, category);
}

/** A resource and all that is shown with it: what it contains, and the entries of a stored Bundle. */
function shownWith(resource: unknown): object[] {
  const entries = member(resource, 'resourceType') === 'Bundle' ? listOf(member(resource, 'entry')) : [];
  return [resource, ...entries.map((entry) => member(entry, 'resource'))]
    .flatMap((one) => [one, ...listOf(member(one, 'contained'))])
    .filter((one): one is object => typeof one === 'object' && one !== null);
}

/**
 * `whole` if the rule is for whatever the request is about; otherwise the resources for which it is. An operation
 * answers with resources of any type, a Subscription has them sent, and a search reaches types besides its own.
 */
function reachOf({ actions, types }: StepUpRule, request: FhirRequest, isInTransaction: boolean): 'whole' | Kind[] {
  const { type, relatedTypes = [] } = request;
  const places = types.map((text) => text.split('?category=') as [name: string, category?: string]);
  // A search may reach any type by a reference.
  const isFor = (name: string) => places.filter(([of]) => of === '*' || name === '*' || of === name);
  if ((request.interaction === 'operation' || hasDataSent(request)) && /[rs]/.test(actions)) return 'whole';
  if (relatedTypes.some((related) => actions.includes(related.action) && isFor(related.type).length > 0))
    return 'whole';
  const own = actionsOf(request);
  const isPatch = request.interaction === 'patch';
  // A patch is answered with all of the resource, and its tests ask about that.
  if (![...own, ...(isPatch ? 'r' : '')].some((action) => actions.includes(action))) return [];
  const isRead = !(isPatch && [...own].some((action) => actions.includes(action)));
  const kinds: Kind[] = [];
  for (const [, category] of isFor(type)) {
    // Resources that a transaction finds can be checked only when it is too late.
    const isAlone = !isInTransaction || request.interaction === 'create';
    if (category === undefined || !isAlone || !canCheckResources(request, category, isRead)) return 'whole';
    kinds.push({ category });
  }
  for (const [contained, category] of places) {
    if (category === undefined || contained === '*' || contained === type || withoutContained.has(type)) continue;
    if (!canCheckContained(request, isInTransaction)) return 'whole';
    kinds.push({ category, contained });
  }
  return kinds;
}

/** The types that contain no other resources. */
const withoutContained: ReadonlySet<string> = new Set(['Binary', 'Parameters', '*']);

/**
 * True if what a resource of another type contains is noticed. A refusal tells only that it is contained: a search
 * finds nothing by that, except by a chain, which names its type.
 */
function canCheckContained({ interaction, condition }: FhirRequest, isInTransaction: boolean): boolean {
  if (!isInTransaction) return interaction !== 'history-type';
  return condition === undefined && writtenInTransactions.has(interaction);
}

const writtenInTransactions: ReadonlySet<string> = new Set(['create', 'update', 'delete']);

/**
 * True if a resource of this category is noticed before it is answered or written, and the refusal tells nothing else
 * about it. A search that could find one tells by its refusal what was searched for; a change is about what was there
 * before as well. `isRead` is false for a patch that is held to the rule as a change.
 */
function canCheckResources(request: FhirRequest, category: string, isRead: boolean): boolean {
  const { interaction, condition, page, parameters } = request;
  // Without its category a resource cannot be checked.
  if (condition !== undefined || trims(parameters)) return false;
  switch (interaction) {
    case 'read':
    case 'vread':
    case 'create':
      return true;
    case 'patch':
      return isRead;
    case 'search':
      // A further page belongs to a search that was decided.
      return page !== undefined || parameters.some(([name, value]) => name === 'category' && isOther(value, category));
    default:
      return false;
  }
}

/** True if a search by this value asks for other categories only. Servers may compare codes without their case. */
function isOther(value: string, category: string): boolean {
  const codes = new Set(category.split(',').map(codeOf));
  return !value.includes('\\') && value.split(',').every((token) => codeOf(token) !== '' && !codes.has(codeOf(token)));
}

const codeOf = (token: string): string => token.slice(token.lastIndexOf('|') + 1).toLowerCase();

/** Names all that is demanded, so that one further sign-in is enough. */
function insufficientSignIn(rules: readonly StepUpRule[]): Refusal {
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
