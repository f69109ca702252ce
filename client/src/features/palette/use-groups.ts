import { useTranslation } from 'react-i18next';
import type { OpenedRows, PaletteMatches } from '../../../../src/contract/palette.js';
import { mostFound } from '../../../../src/contract/rules/lists.js';
import { useVerifyAuditMutation } from '../../api/audit.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import type { OpenedRow } from '../../shared/browser/opened-rows.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { offeredActions } from '../../shared/offered-actions.js';
import {
  actionEntries,
  clientEntry,
  documentEntries,
  type Entry,
  type EntryContext,
  pageEntries,
  recordEntry,
  redirectUriEntry,
  relatedEntries,
  selectionEntries,
  userEntry,
} from './entries.js';
import { useGoTo } from './use-go-to.js';
import './words/en.js';

export interface Group {
  key: string;
  title: string;
  /** Does not depend on the server's answer, nor does any group before it. */
  isKnown: boolean;
  entries: Entry[];
}

/**
 * The entries of the palette for these words; without words, the pages opened last and the actions for the selection.
 */
export function useGroups(
  words: readonly string[],
  matches: PaletteMatches | undefined,
  last: { order: readonly OpenedRow[]; rows: OpenedRows | undefined },
): Group[] {
  const { t } = useTranslation();
  const context: EntryContext = { t, goTo: useGoTo() };
  const { documentation } = useSettings();
  const [verify] = useVerifyAuditMutation();
  const offer = offeredActions();

  const group = (key: string, title: string, entries: Entry[], isKnown = false): Group => ({
    ...{ key, title, isKnown },
    entries: entries.slice(0, mostFound),
  });
  const fitting = (entries: Entry[]) =>
    entries.filter(({ title }) => words.every((word) => title.toLocaleLowerCase().includes(word)));
  const verifyAudit = async () => {
    const { error } = await verify();
    if (error) notifyFailure(error);
  };
  const selection = group('selection', offer?.title ?? '', fitting(selectionEntries(offer)), true);
  const actions = group('actions', t('palette.groups.actions'), fitting(actionEntries(context, verifyAudit)));
  if (words.length === 0) {
    const opened = group('opened', t('palette.groups.opened'), openedEntries(context, last));
    return [opened, selection, actions].filter(({ entries }) => entries.length > 0);
  }

  const { clients = [], redirectUris = [], users = [], records = [] } = matches ?? {};
  const [client = redirectUris[0]?.client] = clients;
  return [
    selection,
    group('pages', t('palette.groups.pages'), fitting(pageEntries(context)), true),
    group(
      'clients',
      t('palette.groups.clients'),
      clients.map((client) => clientEntry(context, client)),
    ),
    group(
      'redirectUris',
      t('palette.groups.redirectUris'),
      redirectUris.map((found) => redirectUriEntry(context, found)),
    ),
    group(
      'users',
      t('palette.groups.users'),
      users.map((user) => userEntry(context, user, users)),
    ),
    group(
      'records',
      t('palette.groups.records'),
      records.map((found) => recordEntry(context, found)),
    ),
    group(
      'related',
      client ? t('palette.groups.related', { name: isolateName(client.clientName || client.clientId) }) : '',
      client ? relatedEntries(context, client) : [],
    ),
    actions,
    group('documentation', t('palette.groups.documentation'), fitting(documentEntries(context, documentation.product))),
  ].filter(({ entries }) => entries.length > 0);
}

/** The clients and users that were opened last, as far as they exist. */
function openedEntries(
  context: EntryContext,
  { order, rows }: { order: readonly OpenedRow[]; rows: OpenedRows | undefined },
): Entry[] {
  return order.flatMap(({ as, id }) =>
    as === 'client'
      ? (rows?.clients ?? []).filter((one) => one.id === id).map((client) => clientEntry(context, client))
      : (rows?.users ?? []).filter((one) => one.id === id).map((user) => userEntry(context, user, rows?.users)),
  );
}
