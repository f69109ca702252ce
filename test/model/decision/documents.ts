/** Rule `document`: which Binary a token of one patient may read (decision 0096). */
import { directory, subjectElements } from './definitions.js';
import { isExcluded, isWithinLevels } from './levels.js';
import { isAbout, isOpen } from './records.js';
import { opened, type Permission } from './scopes.js';
import { assertListed } from './searches.js';
import { isChallenged, type SignInDecision, signInToLink } from './sign-in.js';
import { Refused, shown, type Verdict } from './verdict.js';
import {
  type Asked,
  at,
  local,
  of,
  type Query,
  type Resource,
  type Server,
  type StepUpRule,
  type Token,
} from './world.js';

/** Where the resources of a record link documents. */
export const attachments: Readonly<Record<string, readonly string[]>> = {
  DocumentReference: ['content', 'attachment'],
  DiagnosticReport: ['presentedForm'],
  Media: ['content'],
};

/** The types of which the token may read resources of one patient, and what the sign-in demands for each. */
interface Linking {
  type: string;
  permissions: Permission[];
  signIn: SignInDecision;
}

/** A read of a Binary that is refused only if no resource may link it either. */
export function mayBeLinked(token: Token): boolean {
  return Object.keys(attachments).some((type) => ofOnePatient(token, type).length > 0);
}

function ofOnePatient(token: Token, type: string): Permission[] {
  return opened(token, type, 'r').filter(({ patient }) => patient !== undefined);
}

/** The types that may link what is asked for. Throws the challenge of a type that demands another sign-in. */
function linkingFor(asked: Asked, token: Token, rules: readonly StepUpRule[]): Linking[] {
  return Object.keys(attachments).flatMap((type) => {
    const permissions = ofOnePatient(token, type);
    if (permissions.length === 0) return [];
    const signIn = signInToLink(asked, type, token, rules);
    if (signIn === 'challenge') throw new Refused('sign-in', 401);
    return [{ type, permissions, signIn }];
  });
}

/** A read of a Binary where only some are open. */
export function documentInside(asked: Asked, token: Token, rules: readonly StepUpRule[], server: Server): Verdict {
  const { type, id = '', version, query, known } = asked;
  const linking = linkingFor(asked, token, rules);
  if (query.length > 0) throw new Refused('trimmed', 403);
  const stored = version === undefined ? server.stored(type, id) : server.versions(type, id)[Number(version) - 1];
  if (!stored) throw new Refused('hidden', 404);
  if (version !== undefined && token.acting) assertCurrent(asked, linking, token, server);
  assertDocument(asked, stored, linking, token, server);
  return shown(stored, known);
}

/** Rule `current-version`: a version is as private as the current one, and of what was deleted none is shown. */
function assertCurrent(asked: Asked, linking: readonly Linking[], token: Token, server: Server): void {
  const current = server.stored(asked.type, asked.id ?? '');
  if (!current) throw new Refused('hidden', 404);
  const { version: _version, ...now } = asked;
  assertDocument({ ...now, interaction: 'read' }, current, linking, token, server);
}

/** Throws the refusal of a Binary that is not open, which is the one of a missing Binary. */
function assertDocument(
  asked: Asked,
  binary: Resource,
  linking: readonly Linking[],
  token: Token,
  server: Server,
): void {
  const permissions = opened(token, 'Binary', 'r');
  if (token.acting?.levels.some((level) => isExcluded(level, binary))) throw new Refused('hidden', 404);
  const [open] = permissions.filter((one) => isOpen(binary, [one], server));
  if (open) {
    assertNotPrivate(asked, binary, open.patient, token, server);
    return;
  }
  const patients = new Set(
    [...permissions, ...linking.flatMap((one) => one.permissions)].map(({ patient }) => patient),
  );
  for (const patient of patients) {
    if (patient !== undefined && isOpenTo(patient, asked, binary, linking, token, server)) return;
  }
  throw new Refused('hidden', 404);
}

function isOpenTo(
  patient: string,
  asked: Asked,
  binary: Resource,
  linking: readonly Linking[],
  token: Token,
  server: Server,
): boolean {
  const context = binary.securityContext;
  if (context !== undefined && !isAbout(binary, patient, server)) {
    const decided = byContext(context, patient, linking, token, server);
    if (decided) assertNotPrivate(asked, binary, patient, token, server);
    if (decided !== undefined) return decided;
  }
  return linking.some(({ type, permissions, signIn }) => {
    const own = permissions.filter((one) => one.patient === patient);
    const links = server
      .find(type, [['patient', `Patient/${patient}`]])
      .filter((one) => isOpen(one, own, server) && isLink(one, asked, binary, server));
    const [first] = links;
    if (first && isChallenged(signIn, first)) throw new Refused('sign-in', 401);
    return first !== undefined;
  });
}

/** Rule `level`: the content of a resource that is private is private, unless one that is not links it, too. */
function assertNotPrivate(
  asked: Asked,
  binary: Resource,
  patient: string | undefined,
  { acting }: Token,
  server: Server,
): void {
  if (!acting || patient === undefined) return;
  const links = Object.keys(attachments)
    .flatMap((type) => server.find(type, [['patient', `Patient/${patient}`]]))
    .filter((one) => isAbout(one, patient, server) && isLink(one, asked, binary, server));
  if (links.length > 0 && !links.some((one) => isWithinLevels(acting, one, 'r', server)))
    throw new Refused('hidden', 404);
}

/** The security context comes first; undefined if it leaves the decision to a link. */
function byContext(
  context: unknown,
  patient: string,
  linking: readonly Linking[],
  token: Token,
  server: Server,
): boolean | undefined {
  const reference = of(context, 'reference');
  const [, type, id] =
    /^([A-Z][A-Za-z]*)\/([A-Za-z0-9.-]+)(?:\/_history\/.+)?$/.exec(local(String(reference), server)) ?? [];
  if (type !== undefined && directory.includes(type)) return undefined;
  if (type === undefined || id === undefined || !subjectElements.has(type)) return false;
  const named = server.stored(type, id);
  if (!isAbout(named, patient, server)) return false;
  const reads = opened(token, type, 'r').filter((one) => one.patient === patient);
  if (!isOpen(named, reads, server)) return undefined;
  if (type in attachments) {
    if (isChallenged(linking.find((one) => one.type === type)?.signIn, named)) throw new Refused('sign-in', 401);
    return true;
  }
  // A scope for encounters is not one for the papers of a visit.
  const isScoped = opened(token, 'Binary', 'r').some((one) => one.patient === patient && one.categories.length === 0);
  return isScoped ? true : undefined;
}

/** A link with a version is to that version, one without to the current one. */
function isLink(resource: Resource, { version }: Asked, { id = '' }: Resource, server: Server): boolean {
  const versions = server.versions('Binary', id);
  // What was deleted has no current version.
  const current = server.isDeleted('Binary', id) ? undefined : String(versions.length);
  return at(resource, [...(attachments[resource.resourceType] ?? []), 'url'])
    .map((url) => local(String(url), server).split('/'))
    .some(
      ([type, own, , linked, ...more]) =>
        type === 'Binary' &&
        own === id &&
        more.length === 0 &&
        (linked ?? current) !== undefined &&
        (linked ?? current) === (version ?? current),
    );
}

/** True if one of these resources, of the patient alone, links what is written under this name. */
export function isLinkedBy(name: string, written: readonly Resource[], patient: string, server: Server): boolean {
  return written.some(
    (one) =>
      isAbout(one, patient, server) && at(one, [...(attachments[one.resourceType] ?? ['none']), 'url']).includes(name),
  );
}

/** Of `$docref` (US Core, OperationDefinition docref). */
export const documentParameters = ['patient', 'start', 'end', 'type', 'on-demand', 'profile'];

const dateTime = /^\d{4}(-\d\d(-\d\d(T.+)?)?)?$/;
const forms: Readonly<Record<string, RegExp>> = {
  patient: /^(?:Patient\/)?[A-Za-z0-9.-]+$/,
  start: dateTime,
  end: dateTime,
  'on-demand': /^(?:true|false)$/,
};

/** What `$docref` asks the server: it needs one patient. Where the server does not run it, it is a search. */
export function documentsOf(query: Query, isRun: boolean, listed: readonly string[]): Query {
  for (const [name, form] of Object.entries(forms)) {
    const values = query.filter(([own]) => own === name);
    const isThere = values.length === 1 || (values.length === 0 && name !== 'patient');
    if (!isThere || !values.every(([, value]) => form.test(value))) throw new Refused('understood', 400);
  }
  if (isRun) return query;
  const sorted: Query = listed.includes('date') ? [['_sort', '-date']] : [];
  const search = query.flatMap(([name, value]): Query => {
    if (name === 'start') return [['period', `ge${value}`]];
    if (name === 'end') return [['period', `le${value}`]];
    if (name === 'profile') return [['format', value]];
    if (name !== 'on-demand') return [[name, value]];
    if (value === 'true') throw new Refused('understood', 400);
    return [];
  });
  assertListed(search, listed);
  return [...search, ...sorted];
}
