import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Problem } from '../../platform/errors.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { mayBeSame, type Party } from '../domain/own-case.js';
import { ownRecordsOf, type PatientKey } from '../domain/patient-facts.js';
import type { Relationship } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import type { Decider } from './deciders.js';
import { PatientRecords } from './patient-records.js';

/** Both sides of a relationship, or of a request for one. */
export interface Sides {
  tenant: string | undefined;
  /** Id of the patient's record; undefined until one is known. */
  patient: string | undefined;
  patientName: string;
  /** As a user wrote it, where no record is known. */
  birthDate?: string | undefined;
  /** Account of the representative. */
  accountId: string | null;
  representativeName: string;
  /** `{Type}/{id}` of the representative. */
  relatedPerson?: string | null | undefined;
}

const recordClaim = 'fhirUser';

/** Which accounts are sides of a relationship. */
@Injectable()
export class RelationshipSides {
  constructor(
    private readonly accounts: UserDirectory,
    private readonly relationships: Relationships,
    private readonly records: PatientRecords,
  ) {}

  /** True if the patient's record is that of the account. */
  async isPatient(accountId: string, { tenant, patient }: PatientKey): Promise<boolean> {
    const account = await this.accounts.findById(accountId);
    return account ? ownRecordsOf(account).some((own) => own.tenant === tenant && own.patient === patient) : false;
  }

  /** An administrator decides about no relationship of which they are a side. Throws `forbidden`. */
  async assertOther(sides: Sides, { id, isService }: Decider): Promise<void> {
    // A client is no user; where two administrators have to decide, it is neither of them.
    if (isService || !(await this.isSide(sides, id))) return;
    throw new Problem('forbidden', message('representation-own-case'));
  }

  /** True if the administrator may be a side: by account, mail address, record, or name with birth date. */
  async isSide(sides: Sides, administrator: string): Promise<boolean> {
    const decider = await this.accounts.findById(administrator);
    if (!decider) return true;
    const own = partyOf([decider], { names: [], records: [], birthDate: claimOf(decider, 'birthdate') });
    const parties = await Promise.all([this.representative(sides), this.patient(sides)]);
    return parties.some((party) => mayBeSame(own, party));
  }

  private async representative({ tenant, accountId, representativeName, relatedPerson }: Sides): Promise<Party> {
    const account = accountId === null ? undefined : await this.accounts.findById(accountId);
    const references = account ? await this.relationships.referencesOf(account.id) : [];
    const named = references.filter((one) => one.tenant === tenant).map(({ reference }) => reference);
    const records = relatedPerson ? [...named, relatedPerson] : named;
    const own = account ? ownRecordsOf(account).find((one) => one.tenant === tenant) : undefined;
    const birthDate = own && (await this.factsOf(own))?.birthDate;
    return partyOf(account ? [account] : [], { names: [representativeName], records, birthDate });
  }

  private async patient({ tenant, patient, patientName, birthDate }: Sides): Promise<Party> {
    if (patient === undefined) return partyOf([], { names: [patientName], records: [], birthDate });
    const record = `Patient/${patient}`;
    const [accounts, facts] = await Promise.all([
      this.accounts.withRecord(record, tenant),
      this.factsOf({ tenant, patient }),
    ]);
    const names = [patientName, ...(facts ? [facts.name] : [])];
    return partyOf(accounts, { names, records: [record], birthDate: facts?.birthDate ?? birthDate });
  }

  private async factsOf(key: PatientKey) {
    const answer = await this.records.forPatient(key, new Date());
    return 'facts' in answer ? answer.facts : undefined;
  }
}

/** The sides of a stored relationship. */
export function sidesOf(relationship: Relationship): Sides {
  const { tenant, patient, patientName, accountId, representativeName, relatedPerson } = relationship;
  return { tenant, patient, patientName, accountId, representativeName, relatedPerson };
}

/** A party with what its accounts tell as well. An administrator's account has a record only where SSO names one. */
function partyOf(accounts: readonly UserFacts[], known: Pick<Party, 'names' | 'records' | 'birthDate'>): Party {
  return {
    accounts: accounts.map(({ id }) => id),
    addresses: accounts.flatMap(({ email }) => email ?? []),
    records: [...known.records, ...accounts.flatMap((account) => recordIn(account) ?? [])],
    names: [...known.names, ...accounts.map(({ fullName }) => fullName)],
    birthDate: known.birthDate,
  };
}

/** `{Type}/{id}` at the end of the claim, which may be an absolute URL. */
function recordIn(account: UserFacts): string | undefined {
  return /(?:^|\/)([A-Za-z]+\/[A-Za-z0-9.-]{1,64})$/.exec(claimOf(account, recordClaim) ?? '')?.[1];
}

function claimOf({ claims }: UserFacts, claim: string): string | undefined {
  return claims.find(({ name }) => name === claim)?.value;
}
