import { Injectable } from '@nestjs/common';
import { message } from '../../../contract/messages/message.js';
import type { ComingStep } from '../../../contract/representation/coming-step.js';
import { Problem } from '../../../platform/errors.js';
import { type Decision, decide } from '../../domain/decision.js';
import type { LevelRule } from '../../domain/level.js';
import { isHidden, type Relationship, relationshipGone } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { compareKinds } from '../../domain/scope-fit.js';
import { PatientRecords } from '../patient-records.js';
import { RepresentationRules } from '../representation-rules.js';
import { AppsOfRelationship } from './apps-of-relationship.js';

/** The changes for a representative at the next birthday that changes anything. */
@Injectable()
export class ComingSteps {
  constructor(
    private readonly relationships: Relationships,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly apps: AppsOfRelationship,
  ) {}

  /** Compares the rules, never what is in the record. Throws `not-found` where nothing is known to come. */
  async forRepresentative(accountId: string, id: string): Promise<ComingStep> {
    const relationship = await this.relationships.findById(id);
    if (relationship?.accountId !== accountId || isHidden(relationship) || relationship.status !== 'active') {
      throw relationshipGone();
    }
    const now = new Date();
    const record = await this.records.forPatient(relationship, now);
    if (!('facts' in record)) throw new Problem('unavailable', message('fhir-server-unavailable'));
    const { day, ages, birthDate } = this.rules.onDay(relationship, record.facts.birthDate, now);
    const next = this.rules.nextChange(relationship, birthDate, now);
    if (!next) throw relationshipGone();
    const { basis, patientName } = relationship;
    const survivesDeath = this.rules.basis(basis)?.afterDeath === 'continues';
    const on = (at: string) => decide(relationship, { day: at, ages, facts: record.facts, survivesDeath });
    const [present, coming] = [on(day), on(next.on)];
    const [before, then] = [this.levelsOf(relationship, present), this.levelsOf(relationship, coming)];
    const surely = this.levelsOf(relationship, on(next.surelyOn));
    return {
      name: patientName,
      relation: this.rules.relationWords(relationship).patient,
      age: next.step.from,
      on: next.on,
      surelyOn: next.surelyOn,
      bornOn: partOf(birthDate, next),
      birthDate: birthDate ?? null,
      takes: next.change === 'less',
      ends: !coming.permitted && coming.cause === 'age',
      needsAgreement: !coming.permitted && coming.cause === 'agreement',
      kinds: compareKinds({ now: before, later: then, surely }),
      apps: (await this.apps.fitsOf(relationship, then)).map(({ clientName, ends, lost }) => ({
        clientName,
        ends,
        lost,
      })),
    };
  }

  private levelsOf({ basis }: Relationship, decision: Decision): LevelRule[] {
    const ids = decision.permitted ? decision.levels : [];
    return ids.flatMap((level) => this.rules.level(basis, level) ?? []);
  }
}

function partOf(
  birthDate: string | undefined,
  { on, surelyOn }: { on: string; surelyOn: string },
): ComingStep['bornOn'] {
  if (on === surelyOn) return 'day';
  if (birthDate?.length === 4) return 'year';
  return birthDate?.length === 7 ? 'month' : '29 February';
}
