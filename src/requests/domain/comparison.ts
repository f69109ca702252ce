import type { ComparedItem, RecordComparison } from '../../contract/requests.js';
import { isSameName } from '../../contract/rules/same-name.js';

/** A Patient of the FHIR server, as far as it is compared. */
export interface PatientRecord {
  id: string;
  birthDate: string | undefined;
  /** All names, each in one text. */
  names: readonly string[];
  /** Values of all identifiers. */
  identifiers: readonly string[];
}

/** A patient as the user described them. */
export interface WrittenPatient {
  name: string;
  birthDate: string;
  recordNumber: string | null;
}

type Comparison = Pick<RecordComparison, 'result' | 'patient'> & {
  items: (ComparedItem & { item: 'record-number' | 'name' | 'birth-date' })[];
};

/**
 * Compares what a user wrote with the records that were found for it. One record has to fit; with a record number, one
 * that has the number and one other thing is a hit that differs. Anything else names no record.
 */
export function compare(written: WrittenPatient, records: readonly PatientRecord[]): Comparison {
  const compared = records.map((record) => ({ record, items: itemsOf(written, record) }));
  const isFit = ({ items }: (typeof compared)[number]) =>
    items.every(({ result }) => result === 'fits' || result === 'unsaid');
  const fitting = compared.filter(isFit);
  if (fitting.length > 1) return { result: 'several', patient: null, items: [] };
  const [fit] = fitting;
  if (fit) return { result: 'fits', patient: fit.record.id, items: fit.items };
  const hits = compared.filter(({ items }) => hasNumberAndOneOther(items));
  const [hit] = hits;
  if (!hit) return { result: 'none', patient: null, items: [] };
  if (hits.length > 1) return { result: 'several', patient: null, items: [] };
  return { result: 'differs', patient: hit.record.id, items: hit.items };
}

function hasNumberAndOneOther(items: Comparison['items']): boolean {
  const fits = (name: ComparedItem['item']) => items.some(({ item, result }) => item === name && result === 'fits');
  return fits('record-number') && (fits('name') || fits('birth-date'));
}

function itemsOf({ name, birthDate, recordNumber }: WrittenPatient, record: PatientRecord): Comparison['items'] {
  const hasNumber = record.identifiers.some((one) => isSameNumber(one, recordNumber ?? ''));
  const hasName = record.names.some((one) => isSameName(one, name));
  const hasBirthDate = record.birthDate === birthDate;
  return [
    {
      item: 'record-number',
      result: recordNumber === null ? 'unsaid' : hasNumber ? 'fits' : 'differs',
      asked: recordNumber,
      inRecord: null,
    },
    {
      item: 'name',
      result: hasName ? 'fits' : record.names.length === 0 ? 'missing' : 'differs',
      asked: name,
      inRecord: hasName ? null : (record.names[0] ?? null),
    },
    {
      item: 'birth-date',
      result: hasBirthDate ? 'fits' : record.birthDate === undefined ? 'missing' : 'differs',
      asked: birthDate,
      inRecord: hasBirthDate ? null : (record.birthDate ?? null),
    },
  ];
}

function isSameNumber(one: string, other: string): boolean {
  const plain = (text: string) => text.replaceAll(/[\s.\-/]/g, '').toUpperCase();
  return plain(one) !== '' && plain(one) === plain(other);
}
