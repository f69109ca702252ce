import { Injectable } from '@nestjs/common';
import { agesOn, dayIn } from '../domain/ages.js';
import type { PatientKey } from '../domain/patient-facts.js';
import { isHidden } from '../domain/relationship.js';
import { Relationships } from '../domain/relationships.js';
import { PatientRecords } from './patient-records.js';
import { RepresentationRules } from './representation-rules.js';

/** A user who acts or acted for a patient, as the patient's log names the user. */
export interface NamedRepresentative {
  name: string;
  /** The user's relation to the patient, such as `mother`. */
  relation: string;
  /** Names of the basis and of the level. */
  basis: string;
  level: string;
  /** Of a level of which single kinds were chosen. */
  kinds?: string[];
  /** The last day of it, `YYYY-MM-DD`. */
  end: string | null;
}

/** The users who act for patients, for the records of what they did. */
@Injectable()
export class NamedRepresentatives {
  constructor(
    private readonly relationships: Relationships,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
  ) {}

  /**
   * By the names that were stored with the relationship: those of one that has ended stay. `other`: id of another level
   * than it has now.
   */
  async find(relationship: string, other?: string): Promise<NamedRepresentative | undefined> {
    const found = await this.relationships.findById(relationship);
    if (!found) return undefined;
    const { basis, end, representativeName } = found;
    const level = other ?? found.level;
    return {
      name: representativeName,
      relation: this.rules.relationWords(found).representative,
      basis: this.rules.basis(basis)?.label ?? basis,
      ...this.rules.nameOfLevel(basis, level),
      end,
    };
  }

  /**
   * True if the patient is too young to see what was done for them (`representation.ownAccountFrom`). A patient without
   * a known birth date is not taken for a child.
   */
  async areHiddenFrom(patients: readonly PatientKey[]): Promise<boolean> {
    if (!this.rules.isOn) return false;
    const hidden = await Promise.all(patients.map((key) => this.isHiddenFrom(key)));
    return hidden.includes(true);
  }

  private async isHiddenFrom(key: PatientKey): Promise<boolean> {
    // Without relationships the record is not read.
    if ((await this.relationships.ofPatient(key)).length === 0) return false;
    const now = new Date();
    const answer = await this.records.forPatient(key, now);
    const birthDate = 'facts' in answer ? answer.facts.birthDate : undefined;
    const ages = agesOn(birthDate, dayIn(now, this.rules.timeZone(key.tenant)));
    return ages !== undefined && ages.least < this.rules.ownAccountFrom(key.tenant);
  }

  /** Ids of all relationships with these patients, also of those that were declined or have ended. */
  async idsFor(patients: readonly PatientKey[]): Promise<string[]> {
    if (!this.rules.isOn) return [];
    const all = await Promise.all(patients.map((key) => this.relationships.ofPatient(key)));
    return all.flat().map(({ id }) => id);
  }

  /** The relationships by which an account acts or acted for a patient, and which it may know of. */
  async idsOf(accountId: string, patient: string): Promise<{ id: string; tenant: string | undefined }[]> {
    const all = await this.relationships.ofAccount(accountId);
    return all.filter((one) => one.patient === patient && !isHidden(one)).map(({ id, tenant }) => ({ id, tenant }));
  }
}
