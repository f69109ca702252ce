import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { type AccessRow, type AccessRows, accessRows } from '../../../../src/contract/rules/scopes/access-rows.js';
import type { ScopeChoice, Selection } from '../../../../src/contract/rules/scopes/scope-choice.js';
import { parseScope } from '../../../../src/contract/rules/scopes/smart-scope.js';
import { t } from '../../shared/i18n/i18n.js';
import { translateScope } from '../../shared/scopes/scope-texts.js';
import { choiceOf, lockedIn } from './selection/selection.js';
import { ConsentWords, distinctTitles } from './words/consent-words.js';

/** The parts of one request that the page shows. */
export interface Asked {
  rows: AccessRows;
  words: ConsentWords;
  /** By the key of the row. */
  titles: ReadonlyMap<string, string>;
  choice: ScopeChoice;
  /** The scopes that are no choice. */
  locked: ReadonlySet<string>;
  sensitive: { whole: ReadonlySet<string>; partly: ReadonlySet<string> };
  t: TFunction;
}

/** The state that a row needs to be shown and ticked. */
export interface Choosing extends Asked {
  selection: Selection;
  technical: boolean;
  onSelect: (selection: Selection) => void;
}

export function useAsked(request: ConsentRequest): Asked {
  const { t } = useTranslation();
  return useMemo(() => {
    const rows = accessRows(request.apiScopes, request.ownRecord);
    const words = new ConsentWords(request);
    const { whole, partly } = request.sensitive;
    return {
      rows,
      words,
      titles: distinctTitles(words, [...rows.data, ...rows.other, ...rows.lasting]),
      choice: choiceOf(request),
      locked: lockedIn(request),
      sensitive: { whole: new Set(whole), partly: new Set(partly) },
      t,
    };
  }, [request, t]);
}

/** The kinds of data, without the row for all of them. */
export function kindsOf({ data }: AccessRows): AccessRow[] {
  return data.flatMap((row) =>
    row.subject.is === 'everything' ? row.children.filter(({ subject }) => subject.is !== 'change') : [row],
  );
}

/** Titles of what the user has not decided about before; of a kind that only its changes are new of, those. */
export function newsOf(
  { rows, titles }: Pick<Asked, 'rows' | 'titles'>,
  { newScopes, identityScopes }: ConsentRequest,
): string[] {
  const news = new Set(newScopes.filter((scope) => parseScope(scope)?.kind !== 'launch'));
  const titlesOf = (row: AccessRow, kind?: string): string[] => {
    const fresh = row.leaves.filter((leaf) => news.has(leaf));
    if (fresh.length === 0) return [];
    const below = row.children.filter(({ leaves }) => leaves.length > 0 && leaves.every((leaf) => news.has(leaf)));
    const isExplained = fresh.length < row.leaves.length && below.length > 0;
    const title = titles.get(row.key) ?? '';
    if (isExplained) return below.flatMap((child) => titlesOf(child, title));
    return [kind !== undefined && row.subject.is === 'change' ? t('consent.changesTo', { kind }) : title];
  };
  const identity = identityScopes
    .filter(({ value }) => news.has(value))
    .map(({ value }) => translateScope(value).displayName);
  return [...[...rows.data, ...rows.other, ...rows.lasting].flatMap((row) => titlesOf(row)), ...identity];
}
