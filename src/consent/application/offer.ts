import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { ApiScope, FineGrainedScope, IdentityScope } from '../../contract/consent.js';
import { message } from '../../contract/messages/message.js';
import { patientScopeTypes, sharedTypes } from '../../contract/rules/scopes/patient-compartment.js';
import { leavesOf, ScopeChoice, type Selection } from '../../contract/rules/scopes/scope-choice.js';
import { describeScope, dividedScopes, fineGrainedScopes } from '../../contract/rules/scopes/scope-description.js';
import { noEffectOf } from '../../contract/rules/scopes/scope-effect.js';
import {
  parseScope,
  printScope,
  type ResourceScope,
  type SmartScope,
} from '../../contract/rules/scopes/smart-scope.js';
import type { UserType } from '../../contract/session.js';
import type { AuthorizingClient } from '../../oidc/domain/authorization.js';
import { allowedForClient, parseRequest } from '../../oidc/domain/scope-request.js';
import { Problem } from '../../platform/errors.js';
import type { AppConsent } from '../domain/app-consent.js';

/** The parts of a granted scope are possible where it is itself. */
const anyServer = { specialScopes: [], served: undefined };
/** More on one page could not be read; what is beyond stays one row, which hangs on those of the kinds. */
const mostKinds = 1_500;

interface Row {
  value: string;
  required: boolean;
  fineGrainedScopes: FineGrainedScope[];
}

/** The content of the consent page for one request. */
export class Offer {
  readonly identityScopes: IdentityScope[];
  readonly apiScopes: ApiScope[];
  /** True if the user has access to one record only. */
  readonly ownRecord: boolean;
  /** Rows of both kinds, in the order of the request. */
  private readonly rows: Row[];
  private readonly choice: ScopeChoice;
  private kindsLeft = mostKinds;

  constructor(
    scopes: string[],
    private readonly client: AuthorizingClient,
    private readonly kinds: Kinds,
  ) {
    this.ownRecord = kinds.ownRecord;
    const rows = scopes.map((text) => this.offeredScope(text, false));
    this.rows = rows;
    this.choice = new ScopeChoice(rows);
    this.lockWhatComesWithRequired();
    this.identityScopes = rows
      .filter(({ value }) => isIdentity(value))
      .map(({ fineGrainedScopes: _none, ...scope }) => scope);
    this.apiScopes = inReadingOrder(rows.filter(({ value }) => !isIdentity(value)));
  }

  /** All texts of the page: the rows and everything below them. */
  get texts(): string[] {
    return this.rows.flatMap(rowsWithin).map(({ value }) => value);
  }

  /**
   * The scopes, of those that can be ticked by themselves, that the user left out of this decision and may leave out
   * again.
   */
  leftOut(before: AppConsent): string[] {
    const required = new Set(this.rows.flatMap(rowsWithin).flatMap((row) => (row.required ? leavesOf(row) : [])));
    return before.leftOutOf(this.leaves.filter((leaf) => !required.has(leaf)));
  }

  /** The scopes that can be ticked by themselves. */
  get leaves(): string[] {
    return [...this.choice.allLeaves()];
  }

  /**
   * Returns the scopes that these ticks grant, in the order of the request. A ticked row stands for everything below
   * it, except for what another row leaves out. A choice with a scope that was not offered, or without a required one,
   * is refused as a whole.
   */
  grantedScopes(ticked: string[]): string[] {
    const texts = new Set(ticked);
    const possible = new Set(this.texts);
    const selection = this.choice.consistent(this.selectionOf(texts));
    const required = this.rows.flatMap(rowsWithin).filter((row) => row.required);
    const missing = required.some((row) => leavesOf(row).some((leaf) => !selection.has(leaf)));
    if (texts.size !== ticked.length || ticked.some((text) => !possible.has(text)) || missing) {
      throw new Problem('invalid', message('request-invalid'));
    }
    return this.choice.grantedScopes(selection);
  }

  private selectionOf(texts: ReadonlySet<string>): Selection {
    const unticked = new Set<string>();
    const walk = (row: Row): void => {
      if (texts.has(row.value)) return;
      if (row.fineGrainedScopes.length === 0) unticked.add(row.value);
      row.fineGrainedScopes.forEach(walk);
    };
    this.rows.forEach(walk);
    return new Set([...this.choice.allLeaves()].filter((leaf) => !unticked.has(leaf)));
  }

  private lockWhatComesWithRequired(): void {
    const rows = this.rows.flatMap(rowsWithin);
    const required = rows.filter((row) => row.required);
    const locked = this.choice.withTicked(new Set(), required, true);
    for (const row of rows) row.required = leavesOf(row).every((leaf) => locked.has(leaf));
  }

  private offeredScope(value: string, locked: boolean): ApiScope {
    const required = locked || isRequired(value, this.client.settings);
    const narrowerScopes = this.below(value).map((text) => this.offeredScope(text, required));
    return { value, ...describeScope(value), required, fineGrainedScopes: narrowerScopes };
  }

  private below(value: string): string[] {
    const scope = parseScope(value);
    if (scope?.kind !== 'resource') return [];
    if (scope.type !== '*') return finerOf(scope, this.client).filter((text) => this.kinds.isPermitted(text));
    const kinds = this.kinds.ofWildcard(scope);
    if (kinds.length > this.kindsLeft) return [];
    this.kindsLeft -= kinds.length;
    return kinds;
  }
}

function rowsWithin(row: Row): Row[] {
  return [row, ...row.fineGrainedScopes.flatMap(rowsWithin)];
}

function isIdentity(text: string): boolean {
  const kind: SmartScope['kind'] | undefined = parseScope(text)?.kind;
  return kind === 'identity' || kind === 'launch';
}

/** Scopes for the app's access come before those for its duration. */
function inReadingOrder<Scope extends { value: string }>(scopes: Scope[]): Scope[] {
  const lasting = ({ value }: Scope) => parseScope(value)?.kind === 'refresh';
  return [...scopes.filter((scope) => !lasting(scope)), ...scopes.filter(lasting)];
}

/** Without `openid` the app gets no identity of the user. */
export function isRequired(text: string, settings: Pick<ClientSettings, 'requiredScopes'>): boolean {
  return text === 'openid' || settings.requiredScopes.includes(text);
}

/** The categories of a kind; of one without categories, to see it and to change it. */
function finerOf(scope: ResourceScope, { settings }: AuthorizingClient): string[] {
  if (!settings.showFineGrainedScopes) return [];
  return [fineGrainedScopes(scope), dividedScopes(scope)].find((finer) => finer.length > 0 && isPossible(finer)) ?? [];

  /**
   * Categories are of version 2, although their parent may be of version 1: where the client may not have version 2, a
   * choice among them would have no effect.
   */
  function isPossible(finer: string[]): boolean {
    const allowed = new Set(allowedForClient(parseRequest(finer.join(' ')) ?? [], settings, anyServer));
    return finer.every((one) => allowed.has(one));
  }
}

/** The kinds of records that a wildcard stands for. */
export class Kinds {
  /** True if the user has access to one record only. */
  readonly ownRecord: boolean;

  /**
   * `served`: the types that the FHIR server lists; undefined until its CapabilityStatement was read. `isPermitted`
   * leaves out scopes that this user may not grant.
   */
  constructor(
    userType: UserType,
    private readonly served: string[] | undefined,
    readonly isPermitted: (text: string) => boolean = () => true,
  ) {
    this.ownRecord = userType === 'Patient';
  }

  /** A scope for each kind, by name; empty for what is not a wildcard. */
  ofWildcard(scope: SmartScope | undefined): string[] {
    if (scope?.kind !== 'resource' || scope.type !== '*') return [];
    const ofOnePatient = scope.subject === 'patient' || this.ownRecord;
    const types = [...new Set(this.served ?? patientScopeTypes)];
    return types
      .filter((type) => !ofOnePatient || patientScopeTypes.includes(type))
      .flatMap((type) => ofType(scope, type, ofOnePatient))
      .map((text) => ({ text, name: describeScope(text).displayName }))
      .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
      .map(({ text }) => text);
  }
}

/** Patients may not change resources that are visible to all. */
function ofType(scope: ResourceScope, type: string, ofOnePatient: boolean): string[] {
  const onlySeen = ofOnePatient && sharedTypes.includes(type);
  const actions = onlySeen ? scope.actions.replace(/[^rs]/g, '') : scope.actions;
  if (actions === '') return [];
  const text = printScope({ ...scope, type, actions });
  const parsed = parseScope(text);
  if (parsed?.kind !== 'resource') return [];
  // A condition that the gateway does not read hides what is wrong without it.
  const rules = [parsed, { ...parsed, query: [] }].map((one) => noEffectOf(one, {}, ofOnePatient)?.rule);
  return rules.includes('without-category') || rules.includes('actions-of-record') ? [] : [text];
}
