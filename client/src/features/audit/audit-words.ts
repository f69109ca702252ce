import '../clients/words/en.js';
import type { AuditEventView, AuditPerson, AuditRow } from '../../../../src/contract/audit.js';
import { parseLifetime } from '../../../../src/contract/rules/lifetime.js';
import { i18n, t } from '../../shared/i18n/i18n.js';
import { exactDuration, locale, numeral, plainList } from '../../shared/i18n/language.js';
import { moment } from '../../shared/launches/launch-facts.js';

const writes = ['create', 'update', 'patch'];

/** Describes an event in plain words. */
export function titleOf({ type, interaction, outcome }: AuditRow): string {
  const refused = `audit.refusedTypes.${type}`;
  if (outcome === 'failure' && i18n.exists(refused)) return i18n.t(refused as 'audit.title');
  if (type !== 'record.accessed' || interaction === null) return t(`audit.types.${type}`);
  if (interaction === 'delete') return t('audit.erased');
  return t(writes.includes(interaction ?? '') ? 'audit.wrote' : 'audit.read');
}

export function personName({ name }: AuditPerson): string {
  return name ?? t('audit.deleted');
}

/** Below the name of the user who acted: the role, and the app of an access. */
export function roleOf({ who, client, type }: AuditRow): string {
  const app = type === 'record.accessed' && client ? (client.name ?? client.id) : undefined;
  if (!who) return app ?? '';
  const role = who.userType ? t(`roles.${who.userType}`) : '';
  if (app === undefined) return role;
  return role === '' ? app : t('audit.withApp', { role, app });
}

/** The object of the event, and its id. */
export function objectOf(row: AuditRow): { name: string; id?: string } {
  const { person, patients, patientCount, client, subject, kinds } = row;
  const [patient] = patients;
  if (patient !== undefined) {
    const name =
      patientCount === 1
        ? t('audit.patient', { id: patient })
        : t('audit.morePatients', { id: patient, others: numeral(patientCount - 1) });
    return { name, ...(kinds.length > 0 && { id: plainList(kinds) }) };
  }
  if (row.type === 'record.accessed') return { name: plainList(kinds) || t('audit.systemWide') };
  if (person) return { name: personName(person), ...(person.name === null && { id: person.id }) };
  if (client) return client.name === null ? { name: client.id } : { name: client.name, id: client.id };
  if (subject !== null) return { name: subject };
  if (row.type.startsWith('audit.')) return { name: t('audit.theRecord') };
  return { name: t(row.who ? 'audit.ownAccount' : 'audit.systemWide') };
}

/** A day in words where it is near, with the time and its seconds. */
export function exactMoment(iso: string): string {
  const { day, time } = moment(iso);
  return `${day}, ${time}`;
}

/** The name of a member that changed. */
export function fieldName(field: string, { type }: Pick<AuditRow, 'type'>): string {
  const keys = [...(type.startsWith('client.') ? [`clients.fields.${field}`] : []), `audit.fields.${field}`];
  const known = keys.find((key) => i18n.exists(key));
  return known === undefined ? field : i18n.t(known as 'audit.title');
}

/** A value in words; undefined for one that is not there. */
export function valueText(field: string, value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return t(value ? 'audit.yes' : 'audit.no');
  if (typeof value === 'number') return new Intl.NumberFormat(locale()).format(value);
  if (typeof value === 'string') {
    const seconds = /Lifetime$/.test(field) ? parseLifetime(value) : undefined;
    return seconds ? exactDuration(seconds) : value;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    const texts = value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    // Addresses are long: each has a line.
    return texts.join(texts.some((text) => text.includes('://')) ? '\n' : ', ');
  }
  return JSON.stringify(value);
}

/** `9f2c 71ab … e4d0 6b18`. */
export function shortHash(hash: string): string {
  const four = (text: string) => text.replace(/(.{4})(?=.)/g, '$1 ');
  return hash.length > 20 ? `${four(hash.slice(0, 8))} … ${four(hash.slice(-8))}` : hash;
}

/** All that the panel says, as text. */
export function asText(entry: AuditEventView): string {
  const { name, id } = objectOf(entry);
  const lines = [
    `${t('audit.entry', { number: entry.id })}: ${titleOf(entry)}`,
    `${t('audit.when')}: ${entry.at}`,
    `${t('audit.who')}: ${entry.who ? `${personName(entry.who)} (${entry.who.id})` : t('audit.noPerson')}`,
    `${t('audit.on')}: ${id === undefined ? name : `${name} (${id})`}`,
    ...(entry.address === null ? [] : [`${t('audit.address')}: ${entry.address}`]),
    ...(entry.correlationId === null ? [] : [`${t('audit.correlationId')}: ${entry.correlationId}`]),
    ...(entry.launch === null ? [] : [`${t('audit.reference')}: ${entry.launch}`]),
    ...('hash' in entry.seal ? [`${t('audit.sealNumber')}: ${entry.seal.number} ${entry.seal.hash}`] : []),
    JSON.stringify(entry.detail, null, 2),
  ];
  return lines.join('\n');
}
