import type { SeenKinds } from '../../contract/audit/access-detail.js';
import type { RecordedAccess } from '../../contract/audit/fhir-audit-event.js';
import { type Message, type MessageCode, message } from '../../contract/messages/message.js';
import type { AccessVerb } from '../../contract/own-record/access-log.js';
import { csvHead, csvLine } from '../../contract/rules/csv.js';
import type { ExportedAccess } from './access-log.js';

/** The words of the reader's language. */
interface Words {
  render(message: Message): string;
  kindNames(kinds: readonly string[]): string[];
}

/** One access as a line of the table that patients download. */
export interface CsvAccess {
  at: Date;
  /** Null for an app of the patient, and for a service; without a name if the account was deleted. */
  person: { name: string | null } | null;
  /** Null, or without a name, if it is not registered any more. */
  app: { name: string | null } | null;
  verb: AccessVerb;
  kinds: SeenKinds;
  status: number;
  unattended: boolean;
  trial: boolean;
  export: boolean;
  reference: string | null;
}

const columns: readonly MessageCode[] = [
  'access-csv-time',
  'access-csv-person',
  'access-csv-app',
  'access-csv-action',
  'access-csv-kinds',
  'access-csv-entries',
  'access-csv-result',
  'access-csv-remarks',
  'access-csv-reference',
];
const verbs: Record<AccessVerb, MessageCode> = {
  saw: 'access-csv-saw',
  added: 'access-csv-added',
  changed: 'access-csv-changed',
  deleted: 'access-csv-deleted',
  asked: 'access-csv-asked',
};

export function accessCsvHead(words: Words): string {
  return csvHead(columns.map((code) => words.render({ code })));
}

/** Times, numbers and references are the same in every language, for programs that read the table. */
export function accessCsvLine({ at, person, app, verb, kinds, ...access }: CsvAccess, words: Words): string {
  const entries = Object.values(kinds).reduce((sum, number) => sum + number, 0);
  const remarks = [
    ...(access.unattended ? [message('access-csv-unattended')] : []),
    ...(access.trial ? [message('access-csv-trial')] : []),
    ...(access.export ? [message('access-csv-export')] : []),
  ];
  return csvLine([
    at.toISOString().slice(0, 19).replace('T', ' '),
    person && (person.name ?? words.render(message('access-csv-gone-person'))),
    app?.name ?? words.render(message('access-csv-gone-app')),
    words.render({ code: verbs[verb] }),
    words.kindNames(Object.keys(kinds)).join(', '),
    entries > 0 ? entries : '',
    words.render(resultOf(access.status)),
    remarks.map((remark) => words.render(remark)).join(', '),
    access.reference,
  ]);
}

function resultOf(status: number): Message {
  if (status < 400) return message('access-csv-answered');
  return status === 401 || status === 403 ? message('access-csv-refused') : message('access-csv-failed', { status });
}

/**
 * An access as the patient may have it: of several patients it names this one alone, and without the values of the
 * search, which may name others. The network address is that of the user or service.
 */
export function ownPartOf({ patient, detail, ...access }: ExportedAccess): RecordedAccess {
  const { recordedAt, userId, clientId, correlationId } = access;
  const { patients, seen, target, ...others } = detail;
  const isAlone = patients === undefined || patients.every((one) => one === patient);
  const kinds = seen?.[patients?.indexOf(patient) ?? -1];
  return {
    ...{ recordedAt, userId, clientId, correlationId },
    address: null,
    detail: {
      ...others,
      target: isAlone ? target : (target.split('?')[0] ?? ''),
      patient,
      ...(patients && { patients: [patient] }),
      ...(kinds && { seen: [kinds] }),
    },
  };
}
