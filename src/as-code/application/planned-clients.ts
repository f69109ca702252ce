import { Injectable } from '@nestjs/common';
import { ClientsByFile, type PlannedClient } from '../../clients/application/clients-by-file.js';
import type { ClientForm, ClientSecretForm, ClientView } from '../../contract/clients/clients.js';
import { clientFields } from '../../contract/rules/clients/client-fields.js';
import { parsePublicJwk } from '../../contract/rules/clients/jwk.js';
import { nearest } from '../../contract/rules/nearest.js';
import { ManagedObjects } from '../../managed/application/managed-objects.js';
import type { Path } from '../domain/file-problems.js';
import { type Action, fieldChanges } from '../domain/plan.js';
import type { Entry, FileClient, FileContent } from './file-content.js';
import { attempted, type PlannedChange } from './planned-change.js';

interface Wanted {
  path: Path;
  planned: PlannedClient;
  /** Lower-case values of tags, with their ids. */
  tags: { names: string[]; ids: string[] };
  view: ClientView | undefined;
  mark: { enabled: boolean | null } | undefined;
  /** The state in the file, also of a client that was disabled by hand. */
  isEnabled: boolean;
  isStopped: boolean;
}

/** Clients, which are named by their client id. */
@Injectable()
export class PlannedClients {
  constructor(
    private readonly clients: ClientsByFile,
    private readonly managed: ManagedObjects,
  ) {}

  async plan(
    content: FileContent,
    { adopt, tagIds }: { adopt: boolean; tagIds: ReadonlyMap<string, string> },
  ): Promise<PlannedChange[]> {
    if (!content.clients) return [];
    const views = new Map((await this.clients.list()).map((view) => [view.clientId, view]));
    const marks = await this.managed.list('client');
    const named = content.clients.flatMap(({ value }) => views.get(nameOf(value))?.id ?? []);
    const stored = await this.clients.load(named);
    const seen = new Set<string>();
    const changes: PlannedChange[] = [];
    for (const entry of content.clients) {
      const name = nameOf(entry.value);
      if (seen.has(name)) content.add([...entry.path, 'clientId'], 'Another client of the file has this client id.');
      seen.add(name);
      const view = views.get(name);
      const mark = view && marks.get(view.id);
      const isEnabled = entry.value.request.enabled ?? true;
      const isStopped = view?.enabled === false && isEnabled && mark?.enabled === true;
      const request = isStopped ? { ...entry.value.request, enabled: false } : entry.value.request;
      const before = view && stored.get(view.id);
      const planned = attempted(content, entry.path, () => this.clients.plan(request, before));
      const tags = tagsOf(content, entry, tagIds);
      if (!planned || !tags) continue;
      changes.push(...this.changesOf({ path: entry.path, planned, tags, view, mark, isEnabled, isStopped }, adopt));
    }
    const left = [...views.values()].filter(({ id, clientId }) => marks.has(id) && !seen.has(clientId));
    const leftStored = await this.clients.load(left.map(({ id }) => id));
    for (const view of left) changes.push(...(await this.deletionOf(view, leftStored.get(view.id))));
    return changes;
  }

  private changesOf(wanted: Wanted, adopt: boolean): PlannedChange[] {
    const { path, planned, view, mark, isStopped } = wanted;
    const { before, after, forms } = planned;
    const name = forms.after.clientId;
    const id = view?.id ?? after?.id ?? '';
    const basis = [before?.id ?? null, before?.version ?? null, planned.secretHashes];
    const fields = this.fieldsOf(wanted);
    const change = { kind: 'client' as const, name, path, id, basis };
    const carryOut = () => this.carryOut(wanted);
    if (!before) return [{ ...change, action: 'create', fields, carryOut }];
    const stopped: PlannedChange[] = isStopped
      ? [{ ...change, action: 'stopped', fields: [], carryOut: () => Promise.resolve() }]
      : [];
    if (mark && fields.length === 0) return stopped;
    const action: Action = mark ? 'change' : adopt ? 'adopt' : 'adoption-needed';
    return [{ ...change, action, fields, carryOut }, ...stopped];
  }

  private async carryOut({ planned, tags, view, isEnabled }: Wanted): Promise<void> {
    if (!view) {
      await this.managed.mark('client', await this.clients.add(planned, tags.ids), isEnabled);
      return;
    }
    await this.clients.change(planned, hasSame(tags.names, namesOf(view)) ? undefined : tags.ids);
    await this.managed.mark('client', view.id, isEnabled);
  }

  private fieldsOf({ planned: { before, after, forms }, tags, view, mark, isEnabled }: Wanted) {
    const defaults = this.clients.defaultsOf(forms.after.clientType);
    const secretsBefore = forms.before?.clientSecrets ?? [];
    const fields = after ? fieldChanges(plainPart(forms.before ?? defaults), plainPart(forms.after)) : [];
    const secrets = after
      ? fieldChanges(
          { clientSecrets: secretTexts(secretsBefore, secretsBefore) },
          { clientSecrets: secretTexts(forms.after.clientSecrets, secretsBefore) },
        )
      : [];
    const tagChanges = hasSame(tags.names, namesOf(view))
      ? []
      : [{ field: 'clientTags', before: namesOf(view), after: tags.names }];
    // Both are disabled, but until now only by hand.
    const isDisabledNow = mark?.enabled === true && !isEnabled && before?.enabled === false;
    const disabling = isDisabledNow ? [{ field: 'enabled', before: 'disabled by hand', after: false }] : [];
    const all = [...fields, ...secrets, ...tagChanges, ...disabling];
    return before ? all : all.map(({ field, after: value }) => ({ field, after: value }));
  }

  private async deletionOf(view: ClientView, before: PlannedClient['before']): Promise<PlannedChange[]> {
    if (!before) return [];
    const impact = await this.clients.impactOf(view.id);
    const most = impact?.isAtLeast ? 'at least ' : '';
    const note = `ends the access of ${most}${impact?.people ?? 0} people and ${most}${impact?.tokens ?? 0} stored tokens`;
    const carryOut = () => this.clients.remove(before);
    return [
      {
        ...{ kind: 'client', name: view.clientId, action: 'delete', fields: [], note },
        ...{ path: ['clients'], id: view.id, basis: [view.id, view.version], carryOut },
      },
    ];
  }
}

function nameOf({ request }: FileClient): string {
  return request.clientId?.trim() ?? '';
}

/** The settings in the order of the form, without what is shown in words of its own. */
function plainPart(form: ClientForm): object {
  const fields = (Object.keys(clientFields) as (keyof ClientForm)[]).filter(
    (field) => field !== 'clientSecrets' && field !== 'clientTags',
  );
  return Object.fromEntries(fields.map((field) => [field, form[field]]));
}

function namesOf(view: ClientView | undefined): string[] {
  return (view?.clientTags ?? []).map(({ value }) => value.toLowerCase()).sort();
}

function hasSame(one: string[], other: string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function tagsOf(
  content: FileContent,
  { path, value }: Entry<FileClient>,
  tagIds: ReadonlyMap<string, string>,
): Wanted['tags'] | undefined {
  const names = [...new Set(value.tags.map((tag) => tag.trim().toLowerCase()))].sort();
  const unknown = names.filter((name) => !tagIds.has(name));
  for (const name of unknown) {
    const index = value.tags.findIndex((tag) => tag.trim().toLowerCase() === name);
    const meant = nearest(name, [...tagIds.keys()]);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    content.add([...path, 'clientTags', index], `There is no such tag.${hint}`);
  }
  return unknown.length > 0 ? undefined : { names, ids: names.flatMap((name) => tagIds.get(name) ?? []) };
}

/**
 * Secrets and keys in words, without a value; of those that are not among the stored ones it says that they are new.
 */
function secretTexts(secrets: readonly ClientSecretForm[], stored: readonly ClientSecretForm[]): string[] {
  return secrets.map((secret) => {
    const { id, secretType, description, expires } = secret;
    const before = stored.find((one) => one.id === id);
    const isReplaced = before && before.secret !== secret.secret && keyId(before) === keyId(secret);
    return [
      secretType === 'SharedSecret' ? 'SharedSecret' : `JWK ${secret.secretUrl ?? keyId(secret)}`,
      ...(description ? [JSON.stringify(description)] : []),
      ...(expires ? [`until ${new Date(expires).toISOString()}`] : []),
      ...(before ? [] : ['(new value)']),
      ...(isReplaced ? ['(other key)'] : []),
    ].join(' ');
  });
}

function keyId({ secret }: ClientSecretForm): string {
  const parsed = parsePublicJwk(secret ?? '');
  return 'jwk' in parsed ? parsed.jwk.kid : '';
}
