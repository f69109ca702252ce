import { Injectable } from '@nestjs/common';
import type { CauseCode } from '../../../contract/activity/catalogue.js';
import type { Detail } from '../../../contract/activity/cause.js';
import type { ClientSettings } from '../../../contract/clients/client-settings.js';
import { covers, parseScope, type SmartScope, splitScopes } from '../../../contract/rules/scopes/smart-scope.js';
import { note } from '../../../platform/activity/launch-notes.js';
import { Config } from '../../../platform/config/config.js';
import type { FhirBase } from '../../../platform/config/fhir-bases.js';
import {
  explainForClient,
  explainForService,
  explainLost,
  explainNoneLeft,
  type ScopeEntry,
  type ScopeVerdict,
  shownScope,
} from '../../domain/scope-explanation.js';
import { ServersOfScopes, serversOfTokens } from './scope-servers.js';

/** Entries of one request: its launch has others, too. Those beyond are counted. */
const mostEntries = 60;

/** A request's scopes as the app sent them. */
interface Requested {
  texts: readonly string[];
  settings: ClientSettings;
  base: FhirBase;
}

/** Notes which scopes of a request were kept, narrowed or dropped, and by which rule. */
@Injectable()
export class ScopeNotes {
  /** A service repeats its request: its entries are found once. Changed settings are another object. */
  private readonly ofServices = new WeakMap<
    ClientSettings,
    { asked: string; served: unknown; entries: ScopeEntry[] }
  >();

  constructor(
    private readonly servers: ServersOfScopes,
    private readonly config: Config,
  ) {}

  /** Notes the scopes of a request through a user's browser. */
  noteForClient(requested: Requested): void {
    const verdicts = explainForClient(requested.texts, requested.settings, this.servers.forRequest(requested.base));
    const changes = verdicts.flatMap(({ changes }) => changes);
    const entries = [...changes, ...withoutClaim(verdicts)];
    noteAll(entries);
    if (entries.length > 0) noteAll(keptAmong(verdicts), mostEntries - entries.length);
    note('scopes-kept', {
      asked: requested.texts.length,
      kept: verdicts.filter(({ granted }) => granted.length > 0).length,
    });
    if (requested.texts.length > 0 && verdicts.every(({ granted }) => granted.length === 0)) {
      note('scopes-none-left', explainNoneLeft(requested.texts.length, changes));
    }
  }

  /** Granted scopes that a token does not have, because an administrator has changed the client since. */
  noteForTokens(lost: readonly SmartScope[], settings: ClientSettings): void {
    noteAll(explainLost(lost, settings, serversOfTokens(this.config)));
  }

  /** Notes the scopes of a service's token request, and why none of them is left. */
  noteForService(asked: string, settings: ClientSettings, base: FhirBase, isNoneLeft: boolean): void {
    const servers = this.servers.forRequest(base);
    const { served } = servers;
    let known = this.ofServices.get(settings);
    if (known?.asked !== asked || known.served !== served) {
      const verdicts = explainForService(splitScopes(asked), settings, servers);
      known = { asked, served, entries: verdicts.flatMap(({ changes }) => changes) };
      this.ofServices.set(settings, known);
    }
    noteAll(known.entries);
    const texts = splitScopes(asked);
    if (isNoneLeft && texts.length > 0) note('scopes-none-left', explainNoneLeft(texts.length, known.entries));
    if (isNoneLeft && texts.length === 0) note('token-scopes-missing');
  }
}

/** Scopes that are granted and tell nothing. */
function withoutClaim(verdicts: readonly ScopeVerdict[]): ScopeEntry[] {
  if (verdicts.some(({ text }) => text === 'openid')) return [];
  return verdicts
    .filter(({ text, granted }) => text === 'fhirUser' && granted.length > 0)
    .map(({ text }) => ({ code: 'scope-fhir-user-alone', detail: { scope: shownScope(text) } }));
}

/** Notes entries about scopes; those beyond the limit are counted. */
export function noteAll(entries: readonly ScopeEntry[], limit = mostEntries): void {
  for (const { code, detail } of entries.slice(0, Math.max(limit, 0))) {
    (note as (code: CauseCode, detail: Detail) => void)(code, detail);
  }
  const more = entries.length - mostEntries;
  if (more > 0) note('scopes-more', { count: more });
}

/** The scopes that are granted as they were requested, and which of them another one covers. */
function keptAmong(verdicts: readonly ScopeVerdict[]): ScopeEntry[] {
  const kept = verdicts.filter(({ changes }) => changes.length === 0).slice(0, mostEntries);
  const parsed = kept.map(({ text }) => parseScope(text));
  return kept.map(({ text }, index): ScopeEntry => {
    const own = parsed[index];
    const wider = parsed.find((other) => own && other && other !== own && covers(other, own));
    const scope = shownScope(text);
    return wider
      ? { code: 'scope-covered', detail: { scope, by: shownScope(wider.text) } }
      : { code: 'scope-kept', detail: { scope } };
  });
}
