import { Injectable } from '@nestjs/common';
import { ConsentDecisions } from '../../consent/application/consent-decisions.js';
import { referenceOf } from '../../contract/activity/reference.js';
import type { OwnData, OwnLaunch } from '../../contract/own-record/own-data.js';
import { describeScope } from '../../contract/rules/scopes/scope-description.js';
import { StandingAgreements } from '../../disclaimers/application/standing-agreements.js';
import { Grants } from '../../grants/application/grants.js';
import { Config } from '../../platform/config/config.js';
import { ownEvent } from '../domain/own-event.js';
import { OwnRecords, type RecordedLaunch } from '../domain/own-records.js';
import { type ActingFor, OwnAccountFacts } from './own-account-facts.js';

/**
 * The file with everything kept about a user. It is written piece by piece, with a part of the many rows in memory at a
 * time. It is put together from members that are named here, so that a new column is not in it by itself.
 */
@Injectable()
export class OwnDataFile {
  constructor(
    private readonly facts: OwnAccountFacts,
    private readonly grants: Grants,
    private readonly consents: ConsentDecisions,
    private readonly agreements: StandingAgreements,
    private readonly records: OwnRecords,
    private readonly config: Config,
  ) {}

  async *write(accountId: string, sessionUid: string): AsyncIterable<string> {
    const now = new Date();
    const { fhirUser, acting, ...facts } = await this.facts.ofAccount(accountId, sessionUid);
    const first: Omit<OwnData, 'requests' | 'receipts' | 'launches' | 'auditEvents'> = {
      format: 'gatehouse-own-data',
      version: 1,
      generatedAt: now.toISOString(),
      ...facts,
      apps: await this.apps(accountId),
      consents: await this.consentsOf(accountId, acting.patients),
      agreements: await this.agreementsOf(accountId),
    };
    yield JSON.stringify(first, null, 2).replace(/\n\}$/, '');
    if (this.config.representation) yield* list('requests', this.records.requests(accountId), (request) => request);
    yield* list('receipts', this.records.receipts(accountId), (receipt) => receipt);
    yield* list('launches', this.records.launches(accountId), ownLaunch);
    yield* list('auditEvents', this.records.events(accountId, now, acting.hidden), (event) =>
      ownEvent(event, fhirUser),
    );
    yield '\n}\n';
  }

  private async apps(accountId: string): Promise<OwnData['apps']> {
    const { clientsPermissions } = await this.grants.list(accountId);
    return clientsPermissions
      .filter(({ created }) => created !== null)
      .map(({ clientId, clientName, patient, identityScopes, apiGrantData, created, expires, lastUsed, pausedAt }) => ({
        clientId,
        clientName,
        ...(patient && { patient: patient.reference }),
        permissions: [...identityScopes, ...apiGrantData.map(({ scope }) => scope)].map(inWords),
        created,
        expires,
        lastUsed,
        pausedAt,
      }));
  }

  private async consentsOf(accountId: string, patients: ActingFor['patients']): Promise<OwnData['consents']> {
    const consents = await this.consents.ofAccount(accountId);
    return consents.map((one) => {
      const { clientId, scopes, declined, remembered, tenant, redirectHost, grantedAt, expiresAt } = one;
      const patient = one.representation === null ? undefined : patients.get(one.representation)?.patient;
      return {
        clientId,
        ...(patient !== undefined && { patient: `Patient/${patient}` }),
        granted: scopes.map(inWords),
        declined: declined.map(inWords),
        ...{ remembered, tenant, redirectHost },
        grantedAt: grantedAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
      };
    });
  }

  private async agreementsOf(accountId: string): Promise<OwnData['agreements']> {
    const agreements = await this.agreements.ofAccount(accountId);
    return agreements.map(({ subject: { disclaimerId, clientId, tenantId }, agreedAt, disclaimer }) => ({
      disclaimerId,
      clientId,
      tenantId,
      agreedAt: agreedAt.toISOString(),
      wording: disclaimer ? { description: disclaimer.description, html: disclaimer.html } : null,
    }));
  }
}

/** A further member of the object: a list whose items come in parts. */
async function* list<Row>(
  name: 'requests' | 'receipts' | 'launches' | 'auditEvents',
  parts: AsyncIterable<Row[]>,
  view: (row: Row) => NonNullable<OwnData[typeof name]>[number],
): AsyncIterable<string> {
  yield `,\n  "${name}": [`;
  let separator = '\n    ';
  for await (const rows of parts) {
    yield rows.map((row, at) => `${at === 0 ? separator : ',\n    '}${JSON.stringify(view(row))}`).join('');
    separator = ',\n    ';
  }
  yield '\n  ]';
}

function inWords(scope: string) {
  return { scope, ...describeScope(scope) };
}

function ownLaunch({ id, clientId, startedAt, lastAt, outcome, entries }: RecordedLaunch): OwnLaunch {
  return {
    reference: referenceOf(id),
    clientId,
    startedAt: startedAt.toISOString(),
    lastAt: lastAt.toISOString(),
    outcome,
    steps: Object.entries(entries)
      .map(([key, { at, count }]) => ({ code: key.split('\n', 1)[0] ?? '', at, count }))
      .sort((a, b) => a.at - b.at)
      .map((step) => ({ ...step, at: new Date(step.at).toISOString() })),
  };
}
