import type { ClientForm, ClientView } from '../../../../../../src/contract/clients/clients.js';
import type { ProblemItem } from '../../../../../../src/contract/problem.js';
import {
  type ClientField,
  type ClientSection,
  clientFields,
  defaultClientForm,
} from '../../../../../../src/contract/rules/clients/client-fields.js';

export const allFields = Object.keys(clientFields) as ClientField[];

/** The initial form of a stored client. */
export function draftOf(client: ClientView): ClientForm {
  const fields = Object.keys(defaultClientForm()) as ClientField[];
  return Object.fromEntries(fields.map((field) => [field, client[field]])) as unknown as ClientForm;
}

export const clientDraftName = (id: string) => `client:${id}`;

/** The draft as it may be stored. New secrets have to be entered again; keys under a URL are public. */
export function withoutSecrets(draft: ClientForm): ClientForm {
  return { ...draft, clientSecrets: draft.clientSecrets.map((one) => (one.secret ? { ...one, secret: '' } : one)) };
}

export function fieldOf({ field = '' }: ProblemItem): ClientField | undefined {
  const name = field.split('.', 1)[0] as ClientField;
  return name in clientFields ? name : undefined;
}

export function sectionOf(problem: ProblemItem): ClientSection | undefined {
  const field = fieldOf(problem);
  return field && clientFields[field].section;
}

/**
 * Problems of the tidied form, at the rows of the form as typed: empty rows of a list are dropped when it is tidied, so
 * `redirectUris.0` may be the second row.
 */
export function atTypedRows(problems: readonly ProblemItem[], draft: ClientForm): ProblemItem[] {
  return problems.map((problem) => {
    const field = fieldOf(problem);
    const [, index, ...rest] = problem.field?.split('.') ?? [];
    if (!field || index === undefined) return problem;
    const rows: unknown = draft[field];
    if (!Array.isArray(rows)) return problem;
    const kept = rows.flatMap((row, position) => (isEmpty(row) ? [] : [position]));
    return { ...problem, field: [field, kept[Number(index)] ?? index, ...rest].join('.') };
  });
}

function isEmpty(row: unknown): boolean {
  if (typeof row === 'string') return row.trim() === '';
  const { name, value } = row as { name?: unknown; value?: unknown };
  return typeof name === 'string' && typeof value === 'string' && `${name}${value}`.trim() === '';
}
