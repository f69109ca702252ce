import type { Interaction } from '../../contract/audit/access-detail.js';
import { assertAsksAboutShown } from '../domain/acting/asked-patient.js';
import { binaryWith, isPostedContent } from '../domain/binary/posted-content.js';
import { wantedForm } from '../domain/binary/wanted-form.js';
import { assertConditional, conditionOf, isLimitedCondition } from '../domain/condition.js';
import { assertParameters, classify, type FhirRequest, isBinaryRead, pathOf } from '../domain/fhir-request.js';
import { assertDocref, docrefParameters, searchForDocref } from '../domain/operations/docref.js';
import { isCheckedOperation, parametersOf } from '../domain/operations/operation-parameters.js';
import type { Parameter } from '../domain/parameter.js';
import { everything, intersect, isUnlimited } from '../domain/permission.js';
import { type Place, pathOfPlace } from '../domain/references/addresses.js';
import { capabilitiesUnread, Refusal } from '../domain/refusal.js';
import { refusalOfRelatedType, relatedTypesOf } from '../domain/related-types.js';
import { assertAccepts, assertHeaders, assertNoOverride } from '../domain/request-headers.js';
import {
  assertCondition,
  assertKnown,
  assertNoPlace,
  assertSearch,
  namesFormat,
  readParameters,
} from '../domain/search-parameters.js';
import { assertSignIn, type SignIn, type StepUpRule } from '../domain/step-up.js';
import { batchElsewhere, unknownOperation, unknownType, withNearestType } from '../domain/unknown-names.js';
import type { VerifiedToken } from './access/authentication.js';
import type { AuthorizedRequest, LostFiles } from './access/authorized-request.js';
import type { BinaryAccess } from './binary/binary-access.js';
import { exportPlaceOf } from './server/export-stores.js';
import type { GatewayRequest } from './server/gateway-request.js';
import type { PagingLinks } from './server/paging-links.js';
import { readJson, readResource, readText, withBody } from './server/resource-body.js';
import type { ServerExchange } from './server/server-exchange.js';

/** The decision about a request so far. Until the scopes are read, nothing is permitted. */
type Decision = { -readonly [member in keyof AuthorizedRequest]: AuthorizedRequest[member] } & { signIn: SignIn };

/** One decision: adds what it found, and throws a {@link Refusal} when it does not permit the request. */
type Step = (decision: Decision, base: Base) => void | Promise<void>;

/** The FHIR base at which requests are decided. */
interface Base {
  exchange: ServerExchange;
  /** Names of operations that the other scopes limit well enough. */
  operationsWithoutScope: readonly string[];
  binaries: BinaryAccess;
  /** The demands of requests on the user's sign-in. */
  stepUp: readonly StepUpRule[];
}

/**
 * The decisions on a request with a valid token, in this order; docs/flows/gateway.md has the same table. Before them
 * stands which interaction the request is.
 */
const steps: Readonly<Record<'single' | 'operation' | 'partOfTransaction', readonly Step[]>> = {
  single: [
    checkHeaders,
    checkType,
    checkOperation,
    checkScopes,
    checkCondition,
    completeParameters,
    checkRelatedTypes,
    checkAsked,
    wrapContent,
    checkSignIn,
    chooseAccess,
    chooseLinkingTypes,
    chooseDocref,
    checkParametersKnown,
  ],
  /** `access/operations.ts`, which carries an operation out, decides about its answer. */
  operation: [checkHeaders, checkType, checkOperation, checkSignIn, completeParameters],
  partOfTransaction: [
    checkHeaders,
    checkTransaction,
    checkType,
    checkOperation,
    checkScopes,
    checkCondition,
    completeParameters,
    checkRelatedTypes,
    checkAsked,
    checkSignInOfPart,
    chooseAccess,
    checkParametersKnown,
  ],
};

function checkHeaders({ fhir, request: { method, headers } }: Decision): void {
  const interaction = fhir.operation === undefined ? fhir.interaction : 'operation';
  assertHeaders(interaction, method, headers, isPostedContent(fhir, headers));
  if (isBinaryRead(fhir)) wantedForm(headers, fhir.parameters);
  else if (!isForm(fhir, method) && !namesFormat(fhir.parameters)) assertAccepts(headers, fhir.interaction);
}

/** True if parameters are in the body, as in that of a form. */
function isForm({ interaction, operation }: FhirRequest, method: string): boolean {
  return interaction === 'search' && operation === undefined && method === 'POST';
}

/** Includes operations that are but another search. */
function checkOperation(decision: Decision, { exchange, operationsWithoutScope }: Base): void {
  const { fhir, token } = decision;
  const { operation } = fhir;
  if (operation === undefined) return;
  const isKnown = operation === 'docref' || isListed(fhir, exchange);
  if (exchange.status.resourceTypes() && !isKnown) {
    const ofType = exchange.status.operations().filter(({ type }) => type === null || type === fhir.type);
    throw unknownOperation(
      operation,
      ofType.map(({ name }) => name),
    );
  }
  const needsNoScope = operationsWithoutScope.includes(operation) && isCheckedOperation(fhir);
  decision.permissions = needsNoScope ? [everything] : token.toRun(fhir);
}

function isListed({ type, operation }: FhirRequest, { status }: ServerExchange): boolean {
  // An operation of all types may be listed for the whole server only.
  return status.operations().some((one) => one.name === operation && (one.type === null || one.type === type));
}

function checkScopes(decision: Decision): void {
  const { fhir, token, permissions: toRun } = decision;
  const permissions = token.forRequest(fhir);
  if (fhir.operation === undefined) {
    decision.permissions = permissions;
    return;
  }
  decision.permissions = intersect(permissions, toRun);
  // The scopes to read are for another patient than those to run it.
  if (decision.permissions.length === 0) throw token.missingScope(fhir.type, `$${fhir.operation}`);
}

/** Before the scopes: no scope opens a type that the server does not have. */
function checkType({ fhir: { type, interaction } }: Decision, { exchange: { status } }: Base): void {
  const served = status.resourceTypes();
  if (type === '*' || served?.includes(type) !== false) return;
  throw type === 'Bundle' && interaction === 'create' ? batchElsewhere() : unknownType(type, served);
}

function checkCondition(decision: Decision, { exchange }: Base): void {
  const { fhir, token, request } = decision;
  const condition = conditionOf(fhir, request.headers);
  if (!condition) return;
  const { status } = exchange;
  const served = status.resourceTypes() && {
    conditional: status.conditionalOn(fhir.type),
    searchParameters: status.searchParametersOf(fhir.type),
  };
  assertConditional(fhir, condition, token, served);
  decision.fhir = { ...fhir, condition: forServer(condition, exchange) };
}

/** A search or an operation by POST may have parameters in its address and in its body (FHIR R4 §3.1.1.1, §3.2.0.1). */
async function completeParameters(decision: Decision, { exchange }: Base): Promise<void> {
  const { fhir, request } = decision;
  const isSearch = fhir.interaction === 'search';
  const parameters = [...fhir.parameters];
  if (isForm(fhir, request.method)) {
    parameters.push(...readParameters(await readText(request, maxFormBytes)));
    assertSearch(fhir.type, parameters);
    if (!namesFormat(parameters)) assertAccepts(request.headers);
  } else if (isCheckedOperation(fhir) && request.method === 'POST') {
    // These change nothing, so that GET means the same, which every server has.
    const body = await exchange.readBody(request);
    parameters.push(...(body === '' ? [] : parametersOf(await readJson(body))));
    assertParameters(fhir, parameters);
    decision.request = { ...request, method: 'GET', body: nothing() };
  }
  const whole = forServer(parameters, exchange);
  // A further page has no parameters, but reaches what the search reaches that it belongs to.
  const relatedTypes = fhir.relatedTypes ?? (isSearch ? relatedTypesOf(fhir.type, whole) : []);
  decision.fhir = { ...fhir, parameters: whole, relatedTypes };
}

function checkRelatedTypes({ fhir, token, permissions }: Decision, { exchange: { status } }: Base): void {
  for (const related of fhir.relatedTypes ?? []) {
    try {
      token.assertPermitsRelated(related, permissions);
    } catch (error) {
      throw refusalOfRelatedType(error, fhir, related, status.resourceTypes());
    }
  }
}

/** A request must not ask about content that the representative's relationship keeps private. */
function checkAsked({ fhir, token }: Decision): void {
  const { limit } = token;
  if (!limit || fhir.page !== undefined) return;
  const asked = fhir.condition ?? (fhir.interaction === 'search' ? fhir.parameters : []);
  assertNoPlace(asked);
  token.assertOpensCategories(
    fhir.type,
    asked.flatMap(([name, value]) => (name === 'category' ? value : [])),
  );
  if (fhir.type === 'Patient') assertAsksAboutShown(asked, limit);
}

/** From here on a document that was sent in its own type is a Binary like any other. */
async function wrapContent(decision: Decision, { exchange }: Base): Promise<void> {
  const { fhir, request } = decision;
  if (!isPostedContent(fhir, request.headers)) return;
  const text = binaryWith(await exchange.readContent(request), fhir, request.headers);
  const headers = { ...request.headers, 'content-type': 'application/fhir+json' };
  decision.request = withBody({ ...request, headers }, text);
}

async function checkSignIn(decision: Decision, base: Base, isInTransaction = false): Promise<void> {
  const { fhir, signIn, request } = decision;
  if (base.stepUp.length === 0) return;
  const check = assertSignIn(fhir, signIn, base.stepUp, Date.now() / 1000, isInTransaction);
  if (check && fhir.interaction === 'create') {
    const text = await base.exchange.readBody(request);
    check(await readResource(base.exchange.forServer(text), fhir));
    decision.request = withBody(request, text);
    // Its condition may find a resource, which is answered.
    if (fhir.condition) decision.checkResource = check;
  } else decision.checkResource = check;
}

function checkSignInOfPart(decision: Decision, base: Base): Promise<void> {
  return checkSignIn(decision, base, true);
}

/** The answer to a search or an operation amid a transaction cannot be limited any more. */
function checkTransaction({ fhir, token }: Decision): void {
  const isOpen = isUnlimitedInTransaction(fhir) && token.permitsAll('*', 'rs') && !isCheckedOperation(fhir);
  if (isOpen || inTransactions.has(fhir.interaction)) return;
  throw new Refusal(403, 'not-supported', 'A transaction may read, create, update and delete, nothing else.');
}

/** True if the answer to this part of a transaction has resources of any type. */
export function isUnlimitedInTransaction({ interaction }: FhirRequest): boolean {
  return interaction === 'search' || interaction === 'operation';
}

/** Decides between unlimited and limited access; refuses nothing. */
function chooseAccess(decision: Decision): void {
  const { fhir, token, permissions } = decision;
  const reached = (fhir.relatedTypes ?? []).map(({ type, action }) => token.permissionsFor(type, action));
  const isUnchecked = decision.checkResource === undefined;
  decision.isLimited =
    !(isUnchecked && [permissions, ...reached].every(isUnlimited)) || isLimitedCondition(fhir, token);
  if (fhir.interaction === 'search') decision.permissions = token.forOneSearch(permissions);
}

/**
 * Where the server has no `$docref`, and where it could not be limited to categories, the documents that are there are
 * searched for.
 */
function chooseDocref(decision: Decision, { exchange }: Base): void {
  const { fhir, permissions } = decision;
  if (fhir.operation !== 'docref' || fhir.page !== undefined) return;
  assertDocref(fhir.parameters);
  if (isListed(fhir, exchange) && permissions.every(({ categories }) => categories.length === 0)) return;
  const { operation: _operation, ...search } = fhir;
  const { status } = exchange;
  const known = status.searchParametersOf(fhir.type);
  const parameters = searchForDocref(fhir.parameters, known);
  if (status.resourceTypes()) assertKnown(parameters, known);
  decision.fhir = { ...search, parameters };
}

/** Opening a document by a resource that links it takes the sign-in that reading that resource takes. */
function chooseLinkingTypes(decision: Decision, { stepUp }: Base): void {
  const { fhir, token, signIn, isLimited } = decision;
  if (!isLimited || !isBinaryRead(fhir)) return;
  const now = Date.now() / 1000;
  decision.linking = token.linkingBinaries().map(({ type, permissions }) => ({
    type,
    permissions,
    checkResource: assertSignIn({ ...fhir, type }, signIn, stepUp, now),
  }));
}

/** When the matches are limited, the server must know every condition: one that it ignores would widen the answer. */
function checkParametersKnown({ fhir, permissions }: Decision, { exchange: { status } }: Base): void {
  const isWithin = !isUnlimited(permissions) || fhir.inRecordOf !== undefined;
  if (!isWithin || fhir.interaction !== 'search' || !status.resourceTypes()) return;
  const ofOperation: Record<string, readonly string[]> = { lastn: ['max'], docref: docrefParameters };
  assertKnown(fhir.parameters, [...status.searchParametersOf(fhir.type), ...(ofOperation[fhir.operation ?? ''] ?? [])]);
}

/** The link to the list of lost files has their names. */
const mostNames = 30;
const maxFormBytes = 64 * 1024;
const inTransactions: ReadonlySet<Interaction> = new Set(['read', 'vread', 'create', 'update', 'delete']);

async function* nothing(): AsyncGenerator<Buffer> {}

function forServer(parameters: readonly Parameter[], exchange: ServerExchange): Parameter[] {
  return parameters.map(([name, value]) => [name, exchange.valueForServer(value)]);
}

/** Decides which requests are carried out, and within which limits. */
export class Decisions {
  constructor(
    private readonly base: Base,
    private readonly pages: PagingLinks,
  ) {}

  /**
   * Decides on a request of its own, or of a batch, which may have been classified before. Throws a {@link Refusal}
   * unless it is permitted.
   */
  async onRequest(request: GatewayRequest, token: VerifiedToken, classified?: FhirRequest): Promise<AuthorizedRequest> {
    const decision = this.begin(request, token, classified);
    return this.decide(decision, decision.fhir.interaction === 'operation' ? steps.operation : steps.single);
  }

  /** Decides on a part of a transaction. Throws a {@link Refusal} unless it is permitted. */
  async onPartOfTransaction(request: GatewayRequest, token: VerifiedToken): Promise<AuthorizedRequest> {
    return this.decide(this.begin(request, token), steps.partOfTransaction);
  }

  /**
   * Decides on the search of a reference by a search, which is held to what can be a condition of a change. `target` is
   * below the base. Throws a {@link Refusal} unless it is permitted.
   */
  async onReference(
    target: string,
    { cancellation }: GatewayRequest,
    token: VerifiedToken,
  ): Promise<AuthorizedRequest> {
    const { status } = this.base.exchange;
    const fhir = classify('GET', target);
    assertCondition(fhir.parameters);
    if (!status.resourceTypes()) throw capabilitiesUnread();
    assertKnown(fhir.parameters, status.searchParametersOf(fhir.type));
    return this.onRequest({ method: 'GET', target, headers: {}, body: nothing(), cancellation }, token, fhir);
  }

  /**
   * True if a read of this Binary would be permitted, as a request of its own. Of a token that permits all of them none
   * is asked for.
   */
  async canReadBinary(place: Place, request: GatewayRequest, token: VerifiedToken): Promise<boolean> {
    const { cancellation } = request;
    const read = { method: 'GET', target: `/${pathOfPlace(place)}`, headers: {}, body: nothing(), cancellation };
    try {
      const authorized = await this.onRequest(read, token);
      if (authorized.isLimited) await this.base.binaries.assertReadable(authorized);
      return true;
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return false;
      throw error;
    }
  }

  private begin(request: GatewayRequest, verified: VerifiedToken, classified?: FhirRequest): Decision {
    const { facts, permissions: token } = verified;
    const { method, target } = request;
    const { exchange } = this.base;
    assertNoOverride(request.headers);
    const decision: Decision = {
      request,
      token,
      signIn: facts,
      fhir: this.pages.requestOf(method, target, facts, Date.now()) ?? classified ?? this.classify(method, target),
      permissions: [],
      isLimited: true,
      canReadBinary: (place) => this.canReadBinary(place, request, verified),
      pageLink: (url, relation) =>
        relation === 'self'
          ? this.pages.selfFor(url, exchange.names, decision.fhir)
          : this.pages.linkFor(url, exchange.names, decision.fhir, facts, Date.now()),
      pageAfter: (page, skip, size) => this.pages.pageAfter({ ...decision.fhir, page, skip, size }, facts, Date.now()),
      exportLink: (url, exported) => {
        const place = exportPlaceOf(exchange, url, exported, pathOf(decision.fhir));
        return place && this.pages.exportLinkFor(exchange.names, { ...decision.fhir, ...place }, facts, Date.now());
      },
      lostFilesLink: (names) => {
        const lost: LostFiles = { names: names.slice(0, mostNames), more: Math.max(0, names.length - mostNames) };
        const list = { ...decision.fhir, exported: 'lost', page: JSON.stringify(lost) } as const;
        return this.pages.exportLinkFor(exchange.names, list, facts, Date.now()).link;
      },
    };
    return decision;
  }

  private classify(method: string, target: string): FhirRequest {
    try {
      return classify(method, target);
    } catch (error) {
      throw withNearestType(error, target, this.base.exchange.status.resourceTypes());
    }
  }

  private async decide(decision: Decision, steps: readonly Step[]): Promise<AuthorizedRequest> {
    for (const step of steps) {
      const pending = step(decision, this.base);
      if (pending) await pending;
    }
    return decision;
  }
}
