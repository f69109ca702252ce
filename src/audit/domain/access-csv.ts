import type { AccessVerb } from '../../contract/access-log.js';
import type { SeenKinds } from '../../contract/audit/access-detail.js';
import { describeScope } from '../../contract/rules/scopes/scope-description.js';

const verbs: Record<AccessVerb, string> = {
  saw: 'Saw',
  added: 'Added',
  changed: 'Changed',
  deleted: 'Deleted',
  asked: 'Asked for',
};

/** One access as a line of the table that patients download. */
export interface CsvAccess {
  at: Date;
  /** Null for an app of the patient, and for a service. */
  person: string | null;
  app: string;
  verb: AccessVerb;
  kinds: SeenKinds;
  status: number;
  unattended: boolean;
  export: boolean;
  reference: string | null;
}

/** With the mark by which spreadsheets know UTF-8. */
export const csvHead = `\uFEFF${lineOf(['Time (UTC)', 'Person', 'App', 'Action', 'Kinds of data', 'Entries', 'Result', 'Remarks', 'Reference'])}`;

export function csvLine({ at, person, app, verb, kinds, status, unattended, ...access }: CsvAccess): string {
  const named = Object.entries(kinds);
  const entries = named.reduce((sum, [, number]) => sum + number, 0);
  const remarks = [
    ...(unattended ? ['While you were not there'] : []),
    ...(access.export ? ['Part of an export'] : []),
  ];
  return lineOf([
    at.toISOString().slice(0, 19).replace('T', ' '),
    person ?? '',
    app,
    verbs[verb],
    named.map(([kind]) => kindName(kind)).join(', '),
    entries > 0 ? String(entries) : '',
    status < 400 ? 'Answered' : status === 401 || status === 403 ? 'Refused' : `Not answered (${status})`,
    remarks.join(', '),
    access.reference ?? '',
  ]);
}

/** The words of the consent page. */
function kindName(kind: string): string {
  const [type = '*', category] = kind.split('/');
  return describeScope(`patient/${type}.rs${category === undefined ? '' : `?category=${category}`}`).displayName;
}

/** RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function lineOf(cells: string[]): string {
  const quoted = cells.map((cell) => `"${(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`);
  return `${quoted.join(',')}\r\n`;
}
