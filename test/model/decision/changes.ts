/** Changes of a token to which only some resources are open: what is written stays inside of that. */
import { isLinkedBy } from './documents.js';
import { changesProtected } from './levels.js';
import { participantsOf } from './mixed-resources.js';
import { isOpen, limitedTo, shownOf } from './records.js';
import { refersInside, type Together } from './references.js';
import { isAll, opened, type Permission, toldUser } from './scopes.js';
import { searchInside } from './searches.js';
import { isChallenged, type SignInDecision } from './sign-in.js';
import { Refused, type Verdict } from './verdict.js';
import { type Asked, at, type Json, of, type Query, type Resource, type Server, type Token } from './world.js';

/** What is written together: nothing but this, or the parts of a transaction. */
export interface WrittenTogether extends Together {
  written: readonly Resource[];
}

interface Around {
  token: Token;
  /** Categories and codes that a level excludes; undefined where no account may act for a patient. */
  excluded: Parameters<typeof changesProtected>[2] | undefined;
  server: Server;
  together: WrittenTogether;
  signIn: SignInDecision;
  /** Decides on a read by the same token. */
  reads(asked: Asked): Verdict;
}

export class Change {
  constructor(
    private readonly asked: Asked,
    private readonly permissions: readonly Permission[],
    private readonly around: Around,
  ) {}

  verdict(): Verdict {
    const { interaction, type, body } = this.asked;
    if (interaction === 'create') {
      this.assertWritten(body);
      const { id: _id, ...fresh } = body as Json;
      return sent({ ...this.asked, body: fresh });
    }
    if (interaction === 'update' && this.makes()) {
      const current = this.ownOrMissing();
      this.assertWritten(body, current);
      if (!current && this.around.server.stored(type, this.asked.id ?? '')) throw new Refused('hidden', 404);
      this.assertNew(current);
      return this.bound(body, current);
    }
    const current = this.own();
    if (interaction === 'delete') return this.bound(undefined, current);
    const result = interaction === 'patch' ? patched(current, body) : body;
    this.assertWritten(result, current);
    this.assertNew(current);
    return this.bound(result, current);
  }

  /** Rule `update-creates`: an update that may only make changes nothing. */
  private assertNew(current: Resource | undefined): void {
    if (current && this.asked.onlyNew) throw new Refused('update-creates', 412);
  }

  /** Rule `update-creates`. */
  private makes(): boolean {
    const { type, ifMatch } = this.asked;
    return type !== 'Patient' && ifMatch === undefined && this.around.server.makesByUpdate(type);
  }

  private ownOrMissing(): Resource | undefined {
    try {
      return this.own();
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** The stored resource that may be changed: open, and the patient's alone (rules `hidden`, `shared-change`). */
  private own(): Resource {
    const { type, id = '' } = this.asked;
    const stored = this.around.server.stored(type, id);
    if (!stored) throw new Refused('hidden', 404);
    const own = shownOf(stored, this.permissions, this.around.token, this.around.server);
    if (own.what === 'whole' && isOpen(stored, this.permissions, this.around.server)) {
      this.assertSignedInFor(stored);
      return stored;
    }
    // Of a patient that is shown in part a change would take away what is not shown.
    if (own.what === 'part' && type === 'Patient') throw new Refused('contact-details', 403);
    const isShared = own.what !== 'nothing' && participantsOf(type) !== undefined;
    const reads = isShared
      ? shownOf(stored, opened(this.around.token, type, 'r'), this.around.token, this.around.server)
      : own;
    throw reads.what === 'nothing' || !isShared ? new Refused('hidden', 404) : new Refused('shared-change', 403);
  }

  /** Rules `change-inside` and `reference`. A change stays inside the permissions that open the resource as it is. */
  private assertWritten(body: unknown, current?: Resource): void {
    const { asked } = this;
    const { token, server, together } = this.around;
    const open = current ? this.permissions.filter((one) => isOpen(current, [one], server)) : this.permissions;
    this.assertBodyOf(body);
    this.assertSignedInFor(body);
    const judged = this.asLinked(body as Resource, open);
    if (!isOpen(judged, open, server)) throw new Refused('change-inside', 403);
    const patient = limitedTo(judged, open, server);
    if (patient === undefined) return;
    const { excluded } = this.around;
    if (current && excluded && changesProtected(current, body as Resource, excluded)) {
      throw new Refused('protected', 403);
    }
    const stored = current && isOpen(current, opened(token, asked.type, 'r'), server) ? current : undefined;
    const readsBinary = (address: string) => this.readsBinary(address);
    const record = { patient, acting: token.acting, user: toldUser(token), together, readsBinary };
    if (!refersInside(body, stored, record, server)) throw new Refused('reference', 403);
  }

  /** Rule `sign-in`: what is written, and what was there before. */
  private assertSignedInFor(resource: unknown): void {
    if (isChallenged(this.around.signIn, resource)) throw new Refused('sign-in', 401);
  }

  private assertBodyOf(body: unknown): void {
    const { type, id, interaction } = this.asked;
    if (of(body, 'resourceType') !== type || (interaction !== 'create' && of(body, 'id') !== id))
      throw new Refused('understood', 400);
  }

  /** A new Binary is that of the patient whose document links it in the same transaction. */
  private asLinked(body: Resource, open: readonly Permission[]): Resource {
    if (body.resourceType !== 'Binary' || body.securityContext !== undefined) return body;
    const { name } = this.asked;
    const linking = open.find(
      ({ patient }) =>
        name !== undefined &&
        patient !== undefined &&
        isLinkedBy(name, this.around.together.written, patient, this.around.server),
    );
    return linking ? { ...body, securityContext: { reference: `Patient/${linking.patient}` } } : body;
  }

  /** An address of a Binary takes the permission to read it: a file of others could be linked and opened. */
  private readsBinary(address: string): boolean {
    const [type = '', id = '', , version] = address.split('/');
    const interaction = version === undefined ? 'read' : 'vread';
    const read = { interaction, type, id, query: [], ...(version !== undefined && { version }) };
    const verdict = this.around.reads(read);
    const isOpenToAll =
      typeof verdict === 'object' &&
      'rule' in verdict &&
      verdict.rule === 'hidden' &&
      isAll(opened(this.around.token, type, 'r'));
    return isOpenToAll || (typeof verdict === 'object' && 'shown' in verdict);
  }

  /** A change names the version that was checked; the app may name it, too (FHIR R4 §3.1.0.5). */
  private bound(body: unknown, current: Resource | undefined): Verdict {
    const { ifMatch, interaction } = this.asked;
    const version = `W/"${at(current, ['meta', 'versionId'])[0]}"`;
    if (current && ifMatch !== undefined && ifMatch !== version) throw new Refused('change-inside', 412);
    return sent({
      ...this.asked,
      query: [],
      ...(body !== undefined && { body }),
      interaction: interaction === 'patch' ? 'update' : interaction,
    });
  }

  /** Rule `condition`: the gateway searches among what the token may search for, and changes the one match. */
  byCondition(query: Query): Verdict {
    const { interaction, type, body } = this.asked;
    const { token } = this.around;
    const match = this.found(query);
    if (interaction === 'create') return match ? { shown: [match] } : this.plain({}).verdict();
    if (interaction === 'update' && !match) {
      if (of(body, 'id') !== undefined) throw new Refused('condition', 412);
      return this.plain({ interaction: 'create' }, opened(token, type, 'c')).verdict();
    }
    if (!match && interaction === 'patch') throw new Refused('hidden', 404);
    if (!match) return 'done';
    const id = String(match.id);
    if (interaction !== 'update') return this.plain({ id }).verdict();
    if (of(body, 'id') !== undefined && of(body, 'id') !== id) throw new Refused('condition', 412);
    return this.plain({ id, body: { ...(body as Json), id } }).verdict();
  }

  /** The one match among what the token may search for. */
  found(query: Query): Resource | undefined {
    const { type } = this.asked;
    const { token, server } = this.around;
    const search = { type, query, reached: [], permissions: opened(token, type, 's'), signIn: this.around.signIn };
    const [match, ...others] = searchInside(search, token, server).shown;
    if (others.length > 0) throw new Refused('condition', 412);
    return match;
  }

  private plain(more: Partial<Asked>, permissions = this.permissions): Change {
    const { ifNoneExist: _condition, ...asked } = this.asked;
    return new Change({ ...asked, query: [], ...more }, permissions, this.around);
  }
}

const methods: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };

/** A change as it is sent to the server. */
export function sent({ interaction, type, id, query, body }: Asked): Verdict {
  const search =
    query.length > 0 ? `?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}` : '';
  const path = `/${type}${id === undefined ? '' : `/${id}`}${search}`;
  return { sent: { method: methods[interaction] ?? '', path, ...(body !== undefined && { body }) } };
}

/** A JSON Patch of additions and replacements at the top of a resource (RFC 6902). */
function patched(resource: Resource, patch: unknown): Resource {
  const result: Json = { ...resource };
  for (const { op, path, value } of patch as { op: string; path: string; value: unknown }[]) {
    const name = path.slice(1);
    if (op !== 'add' && !(name in result)) throw new Refused('understood', 422);
    if (op === 'test' && JSON.stringify(result[name]) !== JSON.stringify(value)) throw new Refused('understood', 422);
    if (op === 'remove') delete result[name];
    else result[name] = value;
  }
  return result as Resource;
}
