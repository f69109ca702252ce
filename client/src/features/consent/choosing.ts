import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConsentRequest, FineGrainedScope } from '../../../../src/contract/consent.js';
import {
  type AccessRow,
  type AccessRows,
  accessRows,
  rowOfScope,
} from '../../../../src/contract/rules/scopes/access-rows.js';
import type { ScopeChoice, Selection } from '../../../../src/contract/rules/scopes/scope-choice.js';
import { t } from '../../shared/i18n/i18n.js';
import { translateScope } from '../../shared/scopes/scope-texts.js';
import { choiceOf, isFact, lockedIn } from './selection/selection.js';
import { ConsentWords, distinctTitles } from './words/consent-words.js';

/** The parts of one request that the page shows. */
export interface Asked {
  rows: AccessRows;
  words: ConsentWords;
  /** By the key of the row. */
  titles: ReadonlyMap<string, string>;
  choice: ScopeChoice;
  /** The scopes that cannot be chosen. */
  locked: ReadonlySet<string>;
  sensitive: { whole: ReadonlySet<string>; partly: ReadonlySet<string> };
  /** The scopes of which a part may be kept private from a user who acts for a patient. */
  partlyPrivate: ReadonlySet<string>;
  /** The requested scopes that a scope on the page comes from, where it was not requested itself. */
  sources: ReadonlyMap<string, string[]>;
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
      partlyPrivate: new Set(request.acting?.partlyPrivate),
      sources: sourcesOf(request),
      t,
    };
  }, [request, t]);
}

/** True if a part of what the row grants may be kept private; not for a row whose parts say so themselves. */
export function isPartlyPrivate({ partlyPrivate }: Pick<Asked, 'partlyPrivate'>, row: AccessRow): boolean {
  return row.subject.is !== 'everything' && row.scopes.some((scope) => partlyPrivate.has(scope));
}

/** True if this holds for every kind: then it is said once. */
export function areAllPartlyPrivate(page: Pick<Asked, 'partlyPrivate' | 'rows'>): boolean {
  const kinds = kindsOf(page.rows);
  return kinds.length > 1 && kinds.every((row) => isPartlyPrivate(page, row));
}

/** The kinds of data, without the row for all of them. */
export function kindsOf({ data }: AccessRows): AccessRow[] {
  return data.flatMap((row) =>
    row.subject.is === 'everything' ? row.children.filter(({ subject }) => subject.is !== 'change') : [row],
  );
}

/** Titles of what the user has not decided about before; of a kind that only its changes are new of, those. */
export function newsOf(asked: Pick<Asked, 'rows' | 'titles'>, request: ConsentRequest): string[] {
  const news = new Set(request.newScopes);
  return titlesOf(asked, request, (row) => {
    const below = row.children.filter(({ leaves }) => leaves.length > 0 && leaves.every((leaf) => news.has(leaf)));
    return { leaves: news, below };
  });
}

/** Titles of what the earlier decision allowed, if it left out a part of what is asked for now. */
export function allowedBefore(asked: Pick<Asked, 'rows' | 'titles'>, request: ConsentRequest): string[] {
  if (request.leftOutBefore.length === 0) return [];
  const undecided = new Set([...request.leftOutBefore, ...request.newScopes]);
  const allowed = new Set([...choiceOf(request).allLeaves()].filter((leaf) => !undecided.has(leaf)));
  return titlesOf(asked, request, (row) => {
    const below = row.children.filter(({ subject, leaves }) =>
      subject.is === 'change'
        ? subject.type !== '*' && leaves.every((leaf) => allowed.has(leaf))
        : leaves.some((leaf) => allowed.has(leaf)),
    );
    const isCovered = (leaf: string) => !allowed.has(leaf) || below.some(({ leaves }) => leaves.includes(leaf));
    return { leaves: allowed, below: row.leaves.every(isCovered) ? below : [], inPart: true };
  });
}

/** `below`: the rows whose titles take the place of the title of a row that is not in `leaves` as a whole. */
type Division = (row: AccessRow) => { leaves: ReadonlySet<string>; below: AccessRow[]; inPart?: true };

/** Titles of the rows with one of these scopes, and of the identity scopes among them. */
function titlesOf(
  { rows, titles }: Pick<Asked, 'rows' | 'titles'>,
  { identityScopes }: Pick<ConsentRequest, 'identityScopes'>,
  divide: Division,
): string[] {
  const within = (row: AccessRow, kind?: string): string[] => {
    const { leaves, below, inPart } = divide(row);
    const count = row.leaves.filter((leaf) => leaves.has(leaf)).length;
    if (count === 0) return [];
    const isWhole = count === row.leaves.length;
    const title = titles.get(row.key) ?? '';
    if (!isWhole && below.length > 0) return below.flatMap((child) => within(child, title));
    if (kind !== undefined && row.subject.is === 'change') return [t('consent.changesTo', { kind })];
    return [inPart && !isWhole ? t('consent.asks.inPart', { what: title }) : title];
  };
  const identity = identityScopes
    .filter(({ value }) => !isFact(value) && divide(rowOfScope(value)).leaves.has(value))
    .map(({ value }) => translateScope(value).displayName);
  return [...[...rows.data, ...rows.other, ...rows.lasting].flatMap((row) => within(row)), ...identity];
}

/** The requested scopes that each scope on the page comes from, by the scope on the page; only where they differ. */
export function sourcesOf({ apiScopes }: Pick<ConsentRequest, 'apiScopes'>): ReadonlyMap<string, string[]> {
  const requested = new Set(apiScopes.map(({ value }) => value));
  const sources = new Map<string, string[]>();
  const walk = (source: string, scopes: FineGrainedScope[]): void => {
    for (const { value, fineGrainedScopes } of scopes) {
      const known = sources.get(value) ?? [];
      if (!requested.has(value) && !known.includes(source)) sources.set(value, [...known, source]);
      walk(source, fineGrainedScopes);
    }
  };
  for (const { value, fineGrainedScopes } of apiScopes) walk(value, fineGrainedScopes);
  return sources;
}
