import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { message } from '../../contract/messages/message.js';
import type { GrantedPatient } from '../../contract/own-record/grants.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { Problem } from '../../platform/errors.js';
import { OwnRelationshipList } from '../../representation/application/own-relationships.js';

/** The access of an app for one patient. */
interface Subject {
  clientId: string;
  /** Id of the relationship; null for the user's own record. */
  representation: string | null;
}

/** A patient as a call names one: `Patient/{id}`, and the tenant where there are several. */
export interface NamedPatient {
  patient: string;
  tenant?: string | undefined;
}

/** The patients for whom a user let apps in. */
@Injectable()
export class GrantedPatients {
  constructor(
    private readonly relationships: OwnRelationshipList,
    private readonly apps: GrantedApps,
    private readonly consents: ConsentDecisions,
  ) {}

  /** The accesses that an app has now, or gets without a question. */
  async accessesOf(accountId: string, clientId: string): Promise<Subject[]> {
    const [granted, decisions] = [await this.apps.ofAccount(accountId), await this.consents.ofAccount(accountId)];
    const inForce = decisions.filter((one) => one.isInForce(new Date()));
    return [...granted, ...inForce]
      .filter((one) => one.clientId === clientId)
      .map(({ representation }) => ({ clientId, representation: representation ?? null }));
  }

  /**
   * Why a call that found no access is refused: `conflict`, which names the patients, if it named none and the app has
   * access for others; else `not-found`.
   */
  async refusalOf(accountId: string, clientId: string, named: NamedPatient | undefined): Promise<Problem> {
    const [all, patients] = [await this.accessesOf(accountId, clientId), await this.ofAccount(accountId)];
    const others = this.subjectsOf(all).flatMap(({ representation }) => patients.get(representation) ?? []);
    if (named || others.length === 0) return new Problem('not-found', message('app-gone'));
    return new Problem('conflict', message('app-of-patients', { patients: others.map(shown).sort().join(', ') }));
  }

  /** By the id of the relationship. */
  async ofAccount(accountId: string): Promise<Map<string, GrantedPatient>> {
    const all = await this.relationships.patientsOf(accountId);
    return new Map(
      [...all].map(([id, { patient, tenant, name }]) => [id, { reference: `Patient/${patient}`, tenant, name }]),
    );
  }

  /** Those for patients for whom the user acts, each once. */
  subjectsOf(all: readonly Subject[]): { clientId: string; representation: string }[] {
    const keys = new Map<string, { clientId: string; representation: string }>();
    for (const { clientId, representation } of all) {
      if (representation) keys.set(`${representation} ${clientId}`, { clientId, representation });
    }
    return [...keys.values()];
  }

  /**
   * The patients of a call: null for the user's own record, else the relationships by which the account acts or acted
   * for this patient. Throws `invalid` if patients of several tenants have the id.
   */
  async idsFor(accountId: string, named: NamedPatient): Promise<(string | null)[]> {
    const all = await this.meantBy(accountId, named);
    if (new Set(all.map(({ tenant }) => tenant)).size > 1) {
      throw Problem.invalid([{ field: 'tenant', messages: [message('value-invalid')] }]);
    }
    return all.map(({ id }) => id);
  }

  /** As {@link idsFor}, with the tenants; of a user's own record that of the first one. */
  async meantBy(
    accountId: string,
    { patient, tenant }: NamedPatient,
  ): Promise<{ id: string | null; tenant: string | null }[]> {
    const isMeant = (one: { reference: string; tenant: string | null }) =>
      one.reference === patient && (tenant === undefined || one.tenant === tenant);
    const own = (await this.relationships.ownRecords(accountId))
      .map((one) => ({ reference: `Patient/${one.patient}`, tenant: one.tenant ?? null }))
      .find(isMeant);
    const others = [...(await this.ofAccount(accountId))].filter(([, one]) => isMeant(one));
    return [
      ...(own ? [{ id: null, tenant: own.tenant }] : []),
      ...others.map(([id, one]) => ({ id, tenant: one.tenant })),
    ];
  }
}

function shown({ name, reference, tenant }: GrantedPatient): string {
  return tenant === null ? `${name} (${reference})` : `${name} (${reference}, ${tenant})`;
}
