import { Injectable } from '@nestjs/common';
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
  ) {}

  /** True if the app has access for a patient for whom the user acts. */
  async has(accountId: string, clientId: string): Promise<boolean> {
    const all = await this.apps.ofAccount(accountId);
    return all.some((one) => one.clientId === clientId && one.representation !== null);
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

  /** The relationships by which the account acts or acted for this patient. Throws `invalid` if tenants differ. */
  async idsFor(accountId: string, { patient, tenant }: NamedPatient) {
    const all = [...(await this.ofAccount(accountId))].filter(([, one]) => one.reference === patient);
    const ofTenant = all.filter(([, one]) => tenant === undefined || one.tenant === tenant);
    if (new Set(ofTenant.map(([, one]) => one.tenant)).size > 1) {
      throw Problem.invalid([{ field: 'tenant', messages: [message('value-invalid')] }]);
    }
    return ofTenant.map(([id]) => id);
  }
}
