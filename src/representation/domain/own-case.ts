import { isSameName } from '../../contract/rules/same-name.js';

/** The accounts and records of one user: a side of a relationship, or an administrator who decides. */
export interface Party {
  /** Ids of accounts. */
  accounts: readonly string[];
  /** Mail addresses. */
  addresses: readonly string[];
  /** `{Type}/{id}` on the FHIR server of the relationship. */
  records: readonly string[];
  names: readonly string[];
  /** `YYYY-MM-DD`, or a part of it; undefined if it is not known. */
  birthDate: string | undefined;
}

/**
 * True if both may be the same user: by account, mail address, record, or name with birth date. A birth date that is
 * not known does not tell two users of one name apart.
 */
export function mayBeSame(one: Party, other: Party): boolean {
  const address = (text: string) => text.trim().toLowerCase();
  const addresses = new Set(one.addresses.map(address));
  return (
    one.accounts.some((id) => other.accounts.includes(id)) ||
    other.addresses.some((text) => addresses.has(address(text))) ||
    one.records.some((record) => other.records.includes(record)) ||
    (one.names.some((name) => other.names.some((another) => isSameName(name, another))) && !areBornApart(one, other))
  );
}

function areBornApart({ birthDate: one }: Party, { birthDate: other }: Party): boolean {
  return one !== undefined && other !== undefined && !one.startsWith(other) && !other.startsWith(one);
}
