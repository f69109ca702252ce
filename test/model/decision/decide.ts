/** The whole decision on a request with a valid token, in the order of its rules. */
import { Change, sent, type WrittenTogether } from './changes.js';
import { parameterForPatient } from './definitions.js';
import { documentInside, documentParameters, documentsOf, mayBeLinked } from './documents.js';
import { everythingInside, historyInside, readInside, readOutside } from './reads.js';
import { actingToken, protectedBy } from './relationships.js';
import {
  both,
  forOneSearch,
  isAll,
  opened,
  openedByScopes,
  openedToRun,
  opensAll,
  opensExport,
  type Permission,
  toldUser,
} from './scopes.js';
import {
  assertAsked,
  assertListed,
  assertOperationParameters,
  assertReached,
  assertTrimmed,
  isPlainCondition,
  reachedBy,
  searchInside,
} from './searches.js';
import { isChallenged, lettersOf, type SignInDecision, signInFor } from './sign-in.js';
import { withoutFound, withSearched, writtenIn } from './transactions.js';
import { assertBody, assertUnderstood, conditionOf, hasCondition, isOfNoType } from './understood.js';
import { Refused, type Verdict } from './verdict.js';
import {
  type Asked,
  letters,
  operationsOfRecord,
  type Reached,
  type Representation,
  type Resource,
  type Server,
  type StepUpRule,
  type Token,
} from './world.js';

export interface Situation {
  token: Token;
  server: Server;
  stepUp: readonly StepUpRule[];
  /** The operations that need no scope of their own, of those whose answers are limited to the other scopes. */
  operationsWithoutScope: readonly string[];
  /** Present where accounts may act for patients. */
  representation?: Representation;
}

/** Decides on a request. */
export function decide(asked: Asked, situation: Situation): Verdict {
  try {
    return decideFor(asked, { ...situation, token: actingToken(situation.token, situation.representation) });
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, rule: error.rule };
    throw error;
  }
}

function decideFor(asked: Asked, situation: Situation): Verdict {
  try {
    if (asked.interaction === 'batch')
      return { parts: (asked.parts ?? []).map((part) => partOfBatch(part, situation)) };
    if (asked.interaction === 'transaction') return transaction(asked, situation);
    return new Decision(asked, situation).verdict();
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, rule: error.rule };
    throw error;
  }
}

function partOfBatch(part: Asked, situation: Situation): Verdict {
  return isOfNoType(part) ? { status: 400, rule: 'together' } : decideFor(part, situation);
}

/**
 * Rules `condition` and `together`: what creates with a condition find is left out; each other part is decided like a
 * request of its own, then all are sent as one.
 */
function transaction({ parts: all = [] }: Asked, situation: Situation): Verdict {
  const names = all.flatMap(({ name }) => name ?? []);
  if (new Set(names).size < names.length) throw new Refused('together', 400);
  const left = withoutFound(all, (part) => new Decision(part, situation).lookUp());
  const parts = withSearched(left, (type, query) =>
    new Decision({ interaction: 'search', type, query }, situation).findOne(),
  );
  if (parts.length === 0 && all.length > 0) return 'done';
  const together = writtenIn(parts);
  for (const part of parts) new Decision(part, situation, together).assertPart();
  return { sent: { method: 'POST', path: '' } };
}

const alone = { byName: new Map(), byAddress: new Map(), written: [] as Resource[] };

class Decision {
  private readonly token: Token;
  private readonly server: Server;
  private reached: Reached[] = [];
  private permissions: readonly Permission[] = [];
  private signIn: SignInDecision;
  private isLimited = true;

  constructor(
    private asked: Asked,
    private readonly situation: Situation,
    private readonly together: WrittenTogether = alone,
  ) {
    this.token = situation.token;
    this.server = situation.server;
  }

  verdict(): Verdict {
    this.understand();
    if (this.asked.interaction === 'operation') return this.operation();
    this.permissions = this.permitted();
    this.assertCondition();
    if (this.asked.byPost && this.asked.operation === 'docref') assertOperationParameters(this.asked);
    else if (this.asked.byPost) this.reach();
    assertReached(this.reached, this.token, this.permissions);
    this.assertAsked();
    this.demandSignIn();
    this.chooseLimit();
    return this.isLimited ? this.inside() : this.outside();
  }

  /** A part of a transaction: what is read in it can be checked only when it is too late. */
  assertPart(): void {
    const { interaction } = this.asked;
    if (isOfNoType(this.asked)) throw new Refused('together', 400);
    this.understand();
    const isChange = ['create', 'update', 'delete'].includes(interaction);
    const isRead = interaction === 'read' || interaction === 'vread';
    if (!isChange && !isRead && !this.isOpenTogether()) throw new Refused('together', 403);
    this.decidePart();
    if (interaction === 'operation') this.assertRuns(this.permissions);
    if (!this.isLimited) this.assertNew();
    if (!this.isLimited) assertBody(this.asked);
    else if (!isChange || hasCondition(this.asked)) throw new Refused('together', 403);
    else this.change().verdict();
  }

  /** Searches and operations are for who may read everything, but for those that the gateway answers by itself. */
  private isOpenTogether(): boolean {
    const { interaction, operation = '', type } = this.asked;
    const isOther = operation !== 'export' && operationsOfRecord[operation] !== type;
    return ['search', 'operation'].includes(interaction) && this.opensEverything() && isOther;
  }

  /** What a create with a condition finds; undefined for a condition that is left to the server. */
  lookUp(): { match: Resource | undefined } | undefined {
    this.understand();
    this.decidePart();
    return this.isLimited ? { match: this.change().found(conditionOf(this.asked)) } : undefined;
  }

  /** Rule `condition`: the one resource that a reference by a search finds. */
  findOne(): Resource {
    const { type, query } = this.asked;
    this.understand();
    if (query.length === 0 || !query.every(isPlainCondition)) throw new Refused('understood', 400);
    assertListed(query, this.server.listed(type));
    this.permissions = this.permitted();
    this.assertAsked();
    this.demandSignIn();
    const permissions = opened(this.token, type, 's');
    const found = searchInside({ type, query, reached: [], permissions, signIn: this.signIn }, this.token, this.server);
    const [match, ...others] = found.shown;
    if (!match || others.length > 0) throw new Refused('condition', 412);
    return match;
  }

  private decidePart(): void {
    this.permissions = this.permitted();
    this.assertCondition();
    assertReached(this.reached, this.token, this.permissions);
    this.assertAsked();
    this.demandSignIn(true);
    this.chooseLimit();
  }

  /** Rule `update-creates`. */
  private assertNew(): void {
    const { type, id = '', onlyNew } = this.asked;
    if (onlyNew && this.server.stored(type, id)) throw new Refused('update-creates', 412);
  }

  private opensEverything(): boolean {
    return opensAll(this.token, '*', 'rs');
  }

  /** Rule `understood`. */
  private understand(): void {
    const { interaction, type, query, operation, byPost, inRecordOf } = this.asked;
    assertUnderstood(this.asked);
    // What is sent in the body is read after the scopes.
    if (interaction === 'search' && operation !== 'docref' && !byPost) this.reach();
    if (inRecordOf !== undefined)
      this.asked = { ...this.asked, query: [...query, [parameterForPatient(type), `Patient/${inRecordOf}`]] };
  }

  private reach(): void {
    this.reached = reachedBy(this.asked.type, this.asked.query);
  }

  /** The permissions on the type, by all rules of scopes. */
  private permitted(): readonly Permission[] {
    const { interaction, type, id, operation } = this.asked;
    this.assertServed();
    const toRun = operation === undefined ? undefined : this.toRun();
    const permissions = this.permittedByScopes(interaction, type, id);
    if (!toRun) return permissions;
    const inBoth = both(permissions, toRun);
    if (inBoth.length === 0) throw new Refused('operation', 403);
    return inBoth;
  }

  /** Rule `served-type`: no scope opens a type that the server does not have. */
  private assertServed(): void {
    const { type } = this.asked;
    if (type !== '*' && !this.server.types.includes(type)) throw new Refused('served-type', 404);
  }

  private permittedByScopes(interaction: string, type: string, id: string | undefined): readonly Permission[] {
    const isOwn = interaction === 'read' && toldUser(this.token) === `${type}/${id}`;
    // Rule `acting`: a patient who acts for another one does not read their own record by the same token.
    const { acting } = this.token;
    if (isOwn && !acting) return [{ categories: [] }];
    if (isOwn && acting && ['RelatedPerson', 'Person'].includes(type)) return [{ categories: [], acting }];
    const permissions = opened(this.token, type, letters[interaction] ?? '');
    const isDocument = type === 'Binary' && letters[interaction] === 'r' && interaction !== 'history-instance';
    if (permissions.length === 0 && !(isDocument && mayBeLinked(this.token))) {
      const isScoped = openedByScopes(this.token, type, letters[interaction] ?? '').length > 0;
      throw new Refused(isScoped ? 'kept-private' : 'scope-letter', 403);
    }
    const sends = type === 'Subscription' && ['c', 'u'].includes(letters[interaction] ?? '');
    if (sends && !this.opensEverything()) throw new Refused('subscription', 403);
    return permissions;
  }

  /** Rules `operation` and `operation-of-record`: the known operations need no scope of their own. */
  private toRun(): readonly Permission[] {
    const { type, operation = '' } = this.asked;
    if (!this.isServed(operation) && operation !== 'docref') throw new Refused('served-type', 404);
    const isLimited = operation === 'export' || operationsOfRecord[operation] === type;
    if (isLimited && this.situation.operationsWithoutScope.includes(operation)) return [{ categories: [] }];
    const permissions = openedToRun(this.token, type, operation);
    if (permissions.length === 0) throw new Refused('operation', 403);
    return permissions;
  }

  private isServed(operation: string): boolean {
    const { type } = this.asked;
    return this.server.operations.some((one) => one.name === operation && (one.type === null || one.type === type));
  }

  private assertAsked(): void {
    const { type, interaction, query } = this.asked;
    const asked = hasCondition(this.asked) ? conditionOf(this.asked) : interaction === 'search' ? query : [];
    assertAsked(type, asked, this.token);
  }

  /** Rule `condition`: it takes the letters of a search, and a server that carries it out where it is left to it. */
  private assertCondition(): void {
    if (!hasCondition(this.asked)) return;
    const { type, interaction, onlyNew } = this.asked;
    if (onlyNew) throw new Refused('understood', 400);
    if (!conditionOf(this.asked).every(isPlainCondition) || conditionOf(this.asked).length === 0)
      throw new Refused('understood', 400);
    const needed = lettersOf(this.asked);
    if ([...needed].some((letter) => opened(this.token, type, letter).length === 0))
      throw new Refused('condition', 403);
    const isLeftToServer = opensAll(this.token, type, needed);
    if (isLeftToServer && !this.server.conditional(type).includes(interaction)) throw new Refused('condition', 400);
    assertListed(conditionOf(this.asked), this.server.listed(type));
  }

  private demandSignIn(isPart = false): void {
    const { asked, reached, token, situation } = this;
    this.signIn = signInFor(asked, reached, token, situation.stepUp, isPart);
    if (this.signIn === 'challenge') throw new Refused('sign-in', 401);
    if (asked.interaction !== 'create' || this.signIn === undefined) return;
    assertBody(this.asked);
    if (isChallenged(this.signIn, asked.body)) throw new Refused('sign-in', 401);
    // A condition may find a resource, which is answered.
    if (!hasCondition(this.asked)) this.signIn = undefined;
  }

  /** Limited is what not all resources are open for: of the type, of the types that are reached, or by the sign-in. */
  private chooseLimit(): void {
    const { type, interaction, query } = this.asked;
    const types = this.reached.map((one) => opened(this.token, one.type, one.letter));
    const isOpenCondition = !hasCondition(this.asked) || opensAll(this.token, type, lettersOf(this.asked));
    this.isLimited = !(this.signIn === undefined && [this.permissions, ...types].every(isAll) && isOpenCondition);
    if (interaction === 'search') this.permissions = forOneSearch(this.permissions, this.token);
    if (this.asked.operation === 'docref') {
      const isRun = this.isServed('docref') && this.permissions.every(({ categories }) => categories.length === 0);
      this.asked = { ...this.asked, query: documentsOf(query, isRun, this.server.listed(type)) };
    }
    if (interaction !== 'search' || (isAll(this.permissions) && this.asked.inRecordOf === undefined)) return;
    const more: Record<string, string[]> = { lastn: ['max'], docref: documentParameters };
    assertListed(this.asked.query, [...this.server.listed(type), ...(more[this.asked.operation ?? ''] ?? [])]);
  }

  /** All resources are open: the server answers. */
  private outside(): Verdict {
    const answered = readOutside(this.asked, this.server);
    if (answered) return answered;
    assertBody(this.asked);
    this.assertNew();
    return sent(this.asked);
  }

  /** Some resources are open: each of them is checked. */
  private inside(): Verdict {
    const { interaction, type, query } = this.asked;
    if (interaction === 'search') {
      const { reached, permissions, signIn } = this;
      return searchInside({ type, query, reached, permissions, signIn }, this.token, this.server);
    }
    if (type === 'Binary' && (interaction === 'read' || interaction === 'vread'))
      return documentInside(this.asked, this.token, this.situation.stepUp, this.server);
    if (query.some(([name]) => name === '_elements' || name === '_summary')) assertTrimmed(query);
    if (hasCondition(this.asked)) return this.change().byCondition(conditionOf(this.asked));
    const limits = { token: this.token, permissions: this.permissions, signIn: this.signIn };
    if (interaction === 'read' || interaction === 'vread') return readInside(this.asked, limits, this.server);
    if (interaction.startsWith('history')) return historyInside(this.asked, limits, this.server);
    return this.change().verdict();
  }

  private change(): Change {
    const reads = (asked: Asked) => decideFor(asked, this.situation);
    const excluded = protectedBy(this.situation.representation);
    const around = { ...this.situation, together: this.together, signIn: this.signIn, reads, excluded };
    return new Change(this.asked, this.permissions, around);
  }

  /** Rules `operation`, `operation-of-record` and `export`. */
  private operation(): Verdict {
    const { type, operation = '' } = this.asked;
    this.assertServed();
    const runs = this.toRun();
    this.demandSignIn();
    if (this.asked.byPost) assertOperationParameters(this.asked);
    if (operation === 'export') {
      if (!opensExport(this.token, type)) throw new Refused('export', 403);
      return 'done';
    }
    if (operationsOfRecord[operation] === type) {
      const permissions = both(this.permittedByScopes('operation', 'Patient', undefined), runs);
      return everythingInside(this.asked, { token: this.token, permissions, runs }, this.server);
    }
    this.assertRuns(runs);
    return 'done';
  }

  /** Rule `operation`: by POST it may change something. */
  private assertRuns(runs: readonly Permission[]): void {
    const { type, byPost } = this.asked;
    if (!isAll(runs) || !opensAll(this.token, type, byPost ? 'cruds' : 'rs')) throw new Refused('operation', 403);
  }
}
