/** Rule `sign-in`: requests that demand a stronger or newer sign-in of the user (decision 0084). */
import { hasCategory } from './codes.js';
import { type Asked, at, letters, of, type Reached, type StepUpRule, type Token } from './world.js';

/** From the weakest to the strongest; `phr` cannot be phished. */
const levels = ['aal1', 'aal2', 'phr'];

/** The letters that a request takes: one with a condition is a search as well, and an update by one may create. */
export function lettersOf({ interaction, id, ifNoneExist }: Asked): string {
  if (interaction === 'create') return ifNoneExist ? 'cs' : 'c';
  const byCondition: Record<string, string> = { update: 'cus', patch: 'us', delete: 'ds' };
  return (id === undefined ? byCondition[interaction] : undefined) ?? letters[interaction] ?? '';
}

function isMet({ acr, maxAge }: StepUpRule, token: Token): boolean {
  const isStrong = acr === undefined || levels.indexOf(token.acr ?? '') >= levels.indexOf(acr);
  const isNew = maxAge === undefined || (token.age ?? Number.POSITIVE_INFINITY) <= maxAge;
  return isStrong && isNew;
}

/** 'challenge', or the check that each resource has to pass because only its category tells; undefined for neither. */
export type SignInDecision = 'challenge' | { isChallenged(resource: unknown): boolean } | undefined;

/** A service has no user who could sign in. */
export function signInFor(
  asked: Asked,
  reached: readonly Reached[],
  token: Token,
  rules: readonly StepUpRule[],
  isPartOfTransaction = false,
): SignInDecision {
  if (token.user === undefined && token.acr === undefined) return undefined;
  const unmet = rules.filter((rule) => !isMet(rule, token));
  const reaches = unmet.map((rule) => reachOf(rule, asked, reached, isPartOfTransaction));
  if (reaches.includes('all')) return 'challenge';
  const kinds = reaches.flatMap((one) => (one === 'all' ? [] : one));
  if (kinds.length === 0) return undefined;
  return { isChallenged: (resource) => shownWith(resource).some((one) => kinds.some((kind) => isOfKind(one, kind))) };
}

/** Resources of a category; `contained` where they may be contained in resources of another type (decision 0118). */
interface Kind {
  category: string;
  contained?: string;
}

function isOfKind(resource: unknown, { category, contained }: Kind): boolean {
  const type = of(resource, 'resourceType');
  return hasCategory(resource, category) && (contained === undefined || type === undefined || type === contained);
}

/** What a resource contains is shown with it, and so are the entries of a stored Bundle. */
function shownWith(resource: unknown): unknown[] {
  const entries = of(resource, 'resourceType') === 'Bundle' ? at(resource, ['entry', 'resource']) : [];
  return [resource, ...entries].flatMap((one) => [one, ...at(one, ['contained'])]);
}

/** What a rule is for: all that is asked for, or resources of categories. */
function reachOf(
  { actions, types }: StepUpRule,
  asked: Asked,
  reached: readonly Reached[],
  isPart: boolean,
): 'all' | Kind[] {
  const places = types.map((text) => text.split('?category='));
  const rulesFor = (type: string) => places.filter(([own]) => own === '*' || type === '*' || own === type);
  const has = (own: string) => [...own].some((letter) => actions.includes(letter));
  const { type, interaction } = asked;
  const sends = type === 'Subscription' && ['create', 'update', 'patch'].includes(interaction);
  if (has('rs') && (interaction === 'operation' || sends)) return 'all';
  if (reached.some((one) => has(one.letter) && rulesFor(one.type).length > 0)) return 'all';
  // A patch is answered with all of the resource.
  const isPatchAsRead = interaction === 'patch' && !has(lettersOf(asked)) && has('r');
  if (!has(lettersOf(asked)) && !isPatchAsRead) return [];
  const found: Kind[] = [];
  for (const [, category] of rulesFor(type)) {
    if (category === undefined || !canCheck(asked, category, isPart, isPatchAsRead)) return 'all';
    found.push({ category });
  }
  for (const [contained = '', category] of places) {
    const containsNone = type === 'Binary' || type === '*';
    if (category === undefined || contained === '*' || contained === type || containsNone) continue;
    if (!canCheckContained(asked, isPart)) return 'all';
    found.push({ category, contained });
  }
  return found;
}

/** What is contained is seen everywhere but in the history of a type, and in what a transaction reads. */
function canCheckContained(asked: Asked, isPart: boolean): boolean {
  const { interaction } = asked;
  if (!isPart) return interaction !== 'history-type';
  const isWritten = ['create', 'update', 'delete'].includes(interaction);
  return isWritten && lettersOf(asked).length === 1;
}

/**
 * True if each resource is seen before it is answered or written, and a challenge tells nothing else: a search that
 * could find one of the category would answer by its challenge what was searched for.
 */
function canCheck(asked: Asked, category: string, isPart: boolean, isPatchAsRead: boolean): boolean {
  const { interaction, query } = asked;
  const hasCondition = lettersOf(asked).length > 1;
  if (query.some(([name]) => name === '_elements' || name === '_summary') || hasCondition) return false;
  if (interaction === 'create') return true;
  if (isPart) return false;
  if (interaction === 'read' || interaction === 'vread' || isPatchAsRead) return true;
  const code = (token: string) => token.replace(/^.*\|/, '').toLowerCase();
  const isOther = (value: string) =>
    value.split(',').every((one) => code(one) !== '' && !category.split(',').map(code).includes(code(one)));
  return interaction === 'search' && query.some(([name, value]) => name === 'category' && isOther(value));
}

/** Reading a document by a link takes the sign-in that reading the resource with the link takes (rule `document`). */
export function signInToLink(asked: Asked, type: string, token: Token, rules: readonly StepUpRule[]): SignInDecision {
  return signInFor({ ...asked, type }, [], token, rules);
}

export function isChallenged(decision: SignInDecision, resource: unknown): boolean {
  return typeof decision === 'object' && of(resource, 'resourceType') !== undefined && decision.isChallenged(resource);
}
