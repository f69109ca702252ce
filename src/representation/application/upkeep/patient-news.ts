import { Injectable } from '@nestjs/common';
import type { ActingNews, EndedNews, FamilyNews } from '../../../contract/representation/news.js';
import { namedKinds } from '../../../contract/rules/scopes/represented-scopes.js';
import { UserDirectory, type UserFacts } from '../../../users/application/user-directory.js';
import { dayIn, ends, notPossible, stepsOn } from '../../domain/ages.js';
import { refusalOf } from '../../domain/decision.js';
import { DueRelationships } from '../../domain/due-relationships.js';
import { ownRecordsOf } from '../../domain/patient-facts.js';
import { mayBeNews, type News, newsKeys, newsOf, reachedAge } from '../../domain/patient-news.js';
import type { Relationship } from '../../domain/relationship.js';
import { Relationships } from '../../domain/relationships.js';
import { PatientRecords } from '../patient-records.js';
import { RepresentationRules } from '../representation-rules.js';

/** A relationship of which its patient is to be told. */
interface ToldRelationship {
  relationship: Relationship;
  news: News;
}

/** The end that is told: without its apps, which the grants know. */
export type EndedRelationship = Pick<Relationship, 'id' | 'accountId' | 'endedAt'>;

type Told = Pick<FamilyNews, 'firstName' | 'acts' | 'reached' | 'canInvite'> & {
  ended: (Omit<EndedNews, 'apps'> & { relationship: EndedRelationship })[];
  /** Names of those who act still, without those of whom the patient is told now. */
  stillActing: string[];
};

/** News that a page tells a patient once: who acts for a young patient, and that acting ends at an age. */
@Injectable()
export class PatientNews {
  constructor(
    private readonly relationships: Relationships,
    private readonly accounts: UserDirectory,
    private readonly records: PatientRecords,
    private readonly rules: RepresentationRules,
    private readonly due: DueRelationships,
  ) {}

  /** True if the user has to be told something. Users without a relationship cost one statement for each record. */
  async areDue(account: Pick<UserFacts, 'fhirUser' | 'claims'> | undefined): Promise<boolean> {
    return (await this.ofAccount(account)).length > 0;
  }

  async forPatient(accountId: string): Promise<Told> {
    const account = await this.accounts.findById(accountId);
    const [all, now] = [await this.ofAccount(account), new Date()];
    const acts = all.filter(({ news }) => news === 'acts').map(({ relationship }) => relationship);
    const ended = all.filter(({ news }) => news === 'ended').map(({ relationship }) => relationship);
    const [first] = all;
    if (!first) return { firstName: '', acts: [], ended: [], reached: null, canInvite: false, stillActing: [] };
    const { relationship } = first;
    const facts = await this.records.lastKnown(relationship, now);
    const birthDate = facts?.birthDate;
    const today = this.rules.onDay(relationship, birthDate, now);
    const reached = ended.flatMap((one) => {
      const { ages, day } = this.rules.onDay(one, birthDate, now);
      return reachedAge(ages, birthDate, day) ?? [];
    });
    return {
      firstName: facts?.firstName ?? '',
      acts: acts.map((one) => this.actingNews(one, birthDate, now)),
      ended: ended.map((one) => this.endedNews(one)),
      reached: reached.toSorted((one, other) => one.age - other.age)[0] ?? null,
      canInvite: this.canInvite(relationship.tenant, birthDate, today.day),
      stillActing: await this.stillActing(account, new Set(all.map((one) => one.relationship.id)), now),
    };
  }

  /** The page has told of these; those of other patients, and those of which there is no news, are left out. */
  async tell(accountId: string, ids: readonly string[]): Promise<void> {
    const account = await this.accounts.findById(accountId);
    for (const { relationship, news } of await this.ofAccount(account)) {
      if (ids.includes(relationship.id)) await this.due.tell(relationship.id, newsKeys[news], new Date());
    }
  }

  private async ofAccount(account: Pick<UserFacts, 'fhirUser' | 'claims'> | undefined): Promise<ToldRelationship[]> {
    if (!this.rules.isOn || !account) return [];
    const now = new Date();
    const all = await Promise.all(ownRecordsOf(account).map((key) => this.relationships.ofPatient(key)));
    const found = all.flat().filter((one) => mayBeNews(one, now));
    const news = await Promise.all(found.map((one) => this.newsOf(one, now)));
    return found.flatMap((relationship, index) => {
      const one = news[index];
      return one === undefined ? [] : [{ relationship, news: one }];
    });
  }

  private async newsOf(relationship: Relationship, now: Date): Promise<News | undefined> {
    // A sign-in does not wait for the FHIR server.
    const facts = await this.records.lastKnown(relationship, now);
    if (!facts) return undefined;
    const today = this.rules.onDay(relationship, facts.birthDate, now);
    const ownAccountFrom = this.rules.ownAccountFrom(relationship.tenant);
    const news = newsOf(relationship, { ...today, now, facts, ownAccountFrom });
    if (news === undefined || (await this.due.toldAt(relationship.id, newsKeys[news]))) return undefined;
    return news;
  }

  private async stillActing(account: UserFacts | undefined, told: ReadonlySet<string>, now: Date): Promise<string[]> {
    const all = await Promise.all(account ? ownRecordsOf(account).map((key) => this.relationships.ofPatient(key)) : []);
    const acting = all.flat().filter((one) => {
      const day = dayIn(now, this.rules.timeZone(one.tenant));
      return one.status === 'active' && refusalOf(one, day) === undefined && !told.has(one.id);
    });
    return [...new Set(acting.map(({ representativeName }) => representativeName))];
  }

  private actingNews(relationship: Relationship, birthDate: string | undefined, now: Date): ActingNews {
    const { id, basis, start, representativeName: name } = relationship;
    const today = this.rules.onDay(relationship, birthDate, now);
    const { present, limits } = this.rules.levelChoices(relationship, today);
    const levels = [...new Set([present, ...limits])].map((one) => this.rules.level(basis, one));
    return {
      ...{ id, name, relation: this.rules.relationWords(relationship).representative },
      since: start !== null && start > today.decidedOn ? start : today.decidedOn,
      // A level that is not configured any more permits nothing.
      kinds: levels.every((one) => one !== undefined) ? (namedKinds(levels) ?? null) : [],
    };
  }

  private endedNews(relationship: Relationship) {
    const { id, basis, tenant, level, representativeName } = relationship;
    const levels = [level, ...this.rules.ages(basis, tenant).flatMap((step) => step.level ?? [])];
    return {
      ...{ relationship, id, name: representativeName.split(' ')[0] ?? representativeName },
      relation: this.rules.relationWords(relationship).representative,
      wasFull: levels.every((one) => one === ends || one === notPossible || this.isFull(basis, one)),
    };
  }

  private isFull(basis: string, level: string): boolean {
    return this.rules.level(basis, level)?.kinds === 'full';
  }

  private canInvite(tenant: string | undefined, birthDate: string | undefined, day: string): boolean {
    return this.rules.bases.some(([basis]) => {
      if (!this.rules.isChosenByPatient(basis)) return false;
      const ages = this.rules.ages(basis, tenant);
      const steps = ages.length === 0 ? [] : (stepsOn(birthDate, ages, day) ?? []);
      return steps.every(({ level }) => level !== notPossible && level !== ends);
    });
  }
}
