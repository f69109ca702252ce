/** The facts of the sentence on the consent page that sums up a request: what accepting all of it grants. */
import { type AccessRow, type AccessRows, accessRows, type Reach, reaches, sees } from './access-rows.js';
import type { ChoosableScope } from './scope-choice.js';
import { parseScope, type ResourceScope } from './smart-scope.js';

/** A kind of data; `partly` where the app requested only a part of it. */
interface AskedKind {
  type: string;
  partly: boolean;
}

export const acts = ['see', 'add', 'change', 'delete'] as const;
export type Act = (typeof acts)[number];
export type AskedKinds = 'everything' | AskedKind[];

/** The access that is requested to the data of these patients. */
export type AskedOf = { reach: Reach } & Record<Act, AskedKinds>;

/** True if the letters of a scope (`cruds`) permit it. */
const permits: Record<Act, (actions: string) => boolean> = {
  see: sees,
  add: (actions) => actions.includes('c'),
  change: (actions) => actions.includes('u'),
  delete: (actions) => actions.includes('d'),
};

export interface AccessSummary {
  /** Only those with an access to data. */
  asked: AskedOf[];
  /** Number of operations and of scopes that only the server knows. */
  others: number;
  offline: boolean;
}

export function summaryOf(requested: readonly ChoosableScope[], ofOnePatient: boolean): AccessSummary {
  const rows = accessRows(requested, ofOnePatient);
  return {
    asked: reaches.map((reach) => askedOf(rows, reach)).filter((of) => acts.some((act) => of[act].length > 0)),
    others: rows.other.flatMap(({ scopes }) => scopes).length,
    offline: requested.some(({ value }) => value === 'offline_access'),
  };
}

function askedOf({ data }: AccessRows, reach: Reach): AskedOf {
  const all = data.filter(({ subject }) => 'reach' in subject && subject.reach === reach);
  const everything = all.find(({ subject }) => subject.is === 'everything');
  const kinds = everything ? everything.children.filter(({ subject }) => subject.is !== 'change') : all;
  const asked = (act: Act): AskedKinds => {
    const wanted = permits[act];
    const isWhole = resourcesIn(everything?.scopes ?? []).some(({ actions }) => wanted(actions));
    return isWhole ? 'everything' : kinds.flatMap((kind) => askedKind(kind, wanted));
  };
  return { reach, see: asked('see'), add: asked('add'), change: asked('change'), delete: asked('delete') };
}

/** By the scopes that were requested for the kind; by its leaves where a wildcard alone brought it. */
function askedKind({ scopes, leaves }: AccessRow, wanted: (actions: string) => boolean): AskedKind[] {
  const asked = [scopes, leaves].map((texts) => resourcesIn(texts).filter(({ actions }) => wanted(actions)));
  const [some = []] = asked.filter(({ length }) => length > 0);
  return some.slice(0, 1).map(({ type }) => ({ type, partly: some.every(({ query }) => query.length > 0) }));
}

/** The scopes of a row about data. */
const resourcesIn = (texts: readonly string[]) => texts.map((text) => parseScope(text) as ResourceScope);
