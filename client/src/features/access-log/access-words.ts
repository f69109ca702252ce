import type { SeenKinds } from '../../../../src/contract/audit/access-detail.js';
import type {
  AccessLogEntry,
  AccessVerb,
  NamedAccessor,
  Visit,
} from '../../../../src/contract/own-record/access-log.js';
import { longDate } from '../../shared/i18n/dates.js';
import { t } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { locale, plainList } from '../../shared/i18n/language.js';
import { levelInText } from '../../shared/levels/level-texts.js';
import { kindName } from '../../shared/scopes/scope-texts.js';

export const verbs = ['saw', 'added', 'changed', 'deleted', 'asked'] as const satisfies AccessVerb[];

/** Kinds that a sentence names; of further ones it tells the number. */
const named = 2;

/** The kinds with the most entries first. */
export function sortedKinds(kinds: SeenKinds): [kind: string, number: number][] {
  return Object.entries(kinds).sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1));
}

function kindsText(kinds: SeenKinds): string {
  const words = [...new Set(sortedKinds(kinds).map(([kind]) => kindName(kind)))];
  const rest = words.length - named;
  const parts = [...words.slice(0, named), ...(rest > 0 ? [t('accessLog.more', { count: rest })] : [])];
  return parts.length === 0 ? t('accessLog.yourData') : plainList(parts);
}

/** Describes an access in one or several short lines. */
export function linesOf(entry: AccessLogEntry, organization: string): string[] {
  if (entry.type === 'taken-back') {
    if (entry.what !== 'access') return [t(`accessLog.${entry.what}`)];
    return [entry.byPatient ? t('accessLog.takenBack') : t('accessLog.takenBackByOrganization', { organization })];
  }
  if (entry.type === 'decision') {
    const { what, by, level, levelKinds, representative: name } = entry;
    return [
      t(`accessLog.decided.${what}`, { level: level === null ? '' : levelInText(level, levelKinds) }),
      t(`accessLog.decidedBy.${by}`, { name: isolateName(name), organization }),
    ];
  }
  const { did, exportId } = entry;
  if (exportId !== null && did.saw) return [t('accessLog.export', { what: kindsText(did.saw) })];
  return verbs.flatMap((verb) => (did[verb] ? [t(`accessLog.${verb}`, { what: kindsText(did[verb]) })] : []));
}

/** True for a visit of another user than the patient: of staff, or of one who acts for the patient. */
export function isByPerson(entry: AccessLogEntry): entry is Visit {
  return entry.type === 'visit' && (entry.by === 'person' || entry.by === 'representative');
}

/** The app or the user, by whom the entries are distinguished. */
export function accessorName(entry: AccessLogEntry): string {
  if (entry.type === 'decision') {
    return t('accessLog.representative', { name: isolateName(entry.representative), relation: entry.relation });
  }
  if (!isByPerson(entry)) return appName(entry.app);
  const { person, relation } = entry;
  if (relation && person?.name) return t('accessLog.representative', { name: isolateName(person.name), relation });
  return person?.name ?? t('accessLog.gonePerson');
}

/** The name for the monogram: one that is not known any more has no letters. */
export function accessorSign(entry: AccessLogEntry): string {
  if (entry.type === 'decision') return entry.representative;
  const known = isByPerson(entry) ? entry.person : entry.app;
  return known?.name ?? '?';
}

export function appName(app: NamedAccessor | null): string {
  return app?.name ?? t('accessLog.goneApp');
}

/** Below the name: the kind of app, or the app of a person. */
export function accessorKind(entry: AccessLogEntry): string {
  if (entry.type === 'decision') return t('accessLog.shown.family');
  if (entry.type === 'taken-back' || entry.by === 'app') return t('accessLog.app');
  return entry.by === 'service' ? t('accessLog.service') : t('accessLog.withApp', { app: appIn(entry) });
}

export function appIn({ app }: Pick<Visit, 'app'>): string {
  return isolateName(appName(app));
}

export function isAnswered({ did }: Visit): boolean {
  return verbs.some((verb) => verb !== 'asked' && did[verb] !== undefined);
}

export function hasChanged({ did }: Visit): boolean {
  return did.added !== undefined || did.changed !== undefined || did.deleted !== undefined;
}

/** `9:41 AM to 9:42 AM`. */
export function spanText({ start, end }: Visit): string {
  const [from, to] = [longDate(start).time, longDate(end).time];
  return from === to ? from : t('accessLog.fromTo', { from, to });
}

/** The day as its heading names it: first a word for it, where the words of the last two days are the nearest. */
export function dayText(iso: string): { word: string; date: string } {
  const at = new Date(iso);
  const daysAgo = (days: number) => {
    const day = new Date();
    day.setDate(day.getDate() - days);
    return day.toDateString() === at.toDateString();
  };
  const weekday = () => new Intl.DateTimeFormat(locale(), { weekday: 'long' }).format(at);
  const word = daysAgo(0) ? t('accessLog.today') : daysAgo(1) ? t('accessLog.yesterday') : weekday();
  return { word, date: longDate(iso).date };
}
