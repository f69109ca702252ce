import { Injectable } from '@nestjs/common';
import { RegisteredClients } from '../../clients/application/registered-clients.js';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import type { AccessReason } from '../../contract/own-record/access-log.js';
import { GrantedApps } from '../../oidc-store/infrastructure/granted-apps.js';
import { NamedRepresentatives } from '../../representation/application/named-representatives.js';
import { AccessLog, type LogPatient, type VisitKey } from '../domain/access-log.js';

const dayMs = 86_400_000;
/** From the record of a consent to the grant that follows from it, at most. */
const sameMs = 60_000;

/** Tells why an access was possible, as far as it is known. */
@Injectable()
export class AccessReasons {
  constructor(
    private readonly log: AccessLog,
    private readonly consents: ConsentDecisions,
    private readonly granted: GrantedApps,
    private readonly clients: RegisteredClients,
    private readonly representatives: NamedRepresentatives,
  ) {}

  async forVisit(patient: LogPatient, visit: VisitKey): Promise<AccessReason> {
    const { by, clientId, start } = visit;
    const { accountId } = patient;
    if (by === 'person') {
      const source = await this.log.patientSource(patient, visit);
      return source ? { kind: 'staff', source } : { kind: 'staff' };
    }
    if (by === 'representative') return this.ofRepresentative(patient, visit);
    if (by === 'service') return { kind: 'service' };
    if (clientId === undefined) return { kind: 'unknown' };
    // Of a user who acts for patients, the decision for this one.
    const representation = patient.onlyBy && (await this.log.representation(patient, visit));
    const at = await this.log.lastConsent({ accountId, clientId, representation }, start);
    if (at && representation !== undefined) return { kind: 'allowed', at: at.toISOString(), days: null };
    if (at) return { kind: 'allowed', at: at.toISOString(), days: await this.daysOf(accountId, clientId, at) };
    const client = await this.clients.findByClientId(clientId);
    return { kind: client?.settings.requireConsent === false ? 'not-asked' : 'unknown' };
  }

  /** Why the user could, and why the app could. */
  private async ofRepresentative(patient: LogPatient, visit: VisitKey): Promise<AccessReason> {
    const { clientId, personId, start } = visit;
    const id = await this.log.representation(patient, visit);
    const found = id === undefined ? undefined : await this.representatives.find(id);
    if (id === undefined || !found) return { kind: 'unknown' };
    const { name, basis, level, kinds, end } = found;
    const asked = clientId !== undefined && personId !== undefined;
    const at = asked
      ? await this.log.lastConsent({ accountId: personId, clientId, representation: id }, start)
      : undefined;
    const named = { name, basis, level, ...(kinds && { levelKinds: kinds }) };
    return { kind: 'represented', ...named, end, at: at?.toISOString() ?? null };
  }

  /** Days for which a consent is remembered, or otherwise for which the access lasts that followed from it. */
  private async daysOf(accountId: string, clientId: string, at: Date): Promise<number | null> {
    const isThen = (time: Date) => Math.abs(time.getTime() - at.getTime()) < sameMs;
    const decision = (await this.consents.ofAccount(accountId)).find(
      (one) => one.clientId === clientId && (one.representation ?? null) === null,
    );
    if (decision?.remembered && isThen(decision.grantedAt)) return daysBetween(decision.grantedAt, decision.expiresAt);
    const grant = (await this.granted.ofAccount(accountId)).find(
      (one) => one.clientId === clientId && one.representation === null,
    );
    return grant && isThen(grant.created) ? daysBetween(grant.created, grant.expires) : null;
  }
}

/** Null for less than a day, and for ever. */
function daysBetween(begin: Date, end: Date | null): number | null {
  const days = end === null ? 0 : Math.round((end.getTime() - begin.getTime()) / dayMs);
  return days > 0 ? days : null;
}
