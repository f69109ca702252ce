import type { AccessLogPage, Visit } from '../../../src/contract/own-record/access-log.js';
import { makePseudoLanguages, type PseudoLanguages } from '../browser/pseudo-language.js';
import { publicApp } from '../clients/clients.js';
import { Agent } from '../http/agent.js';
import { login } from '../users/authenticator.js';
import { type Credentials, people } from '../users/people.js';
import { startPortal, type TestPortal } from './portal.js';
import { type GivenAccess, recordAccesses } from './recorded-accesses.js';

export const tenantPatient = {
  ...people.otherPatient,
  email: 'tia.north@example.org',
  claims: [
    { name: 'fhirUser', value: 'Patient/1' },
    { name: 'tenant', value: 'north' },
  ],
};

/** An access with the public app unless another one is named. */
export type Given = Omit<GivenAccess, 'app'> & { app?: string };

/** Noon UTC of a day. */
export const noon = (daysAgo: number, minutes = 0) => {
  const day = Math.floor(Date.now() / 86_400_000) - daysAgo;
  return new Date(day * 86_400_000 + (12 * 60 + minutes) * 60_000);
};

/** A portal and a patient who is signed in, for all tests of a file. Each test finds no accesses of earlier tests. */
class AccessLogPortal {
  portal!: TestPortal;
  patient!: Agent;
  private languages!: PseudoLanguages;
  /** The ids of accounts by their addresses. */
  readonly ids = new Map<string, string>();

  async start(): Promise<void> {
    this.languages = await makePseudoLanguages();
    this.portal = await startPortal({
      config: {
        languages: this.languages.config,
        users: [people.patient, people.otherPatient, people.practitioner, tenantPatient],
        clients: [publicApp, { ...publicApp, clientId: 'other-app', clientName: 'Other App' }],
        fhir: {
          tenants: [{ id: 'north', name: 'North', baseUrl: 'http://127.0.0.1:9', credentials: { type: 'none' } }],
        },
        audit: { reportAddress: 'privacy@example.org' },
      },
    });
    this.patient = await this.signedIn(people.patient);
    const rows = await this.portal.query<{ id: string; email: string }>('SELECT id, email FROM account');
    for (const { id, email } of rows) this.ids.set(email, id);
  }

  async stop(): Promise<void> {
    await this.portal.close();
    await this.languages.remove();
  }

  async forgetAccesses(): Promise<void> {
    await this.portal.query('ALTER TABLE audit_event DISABLE TRIGGER ALL');
    await this.portal.query("DELETE FROM audit_event WHERE type = 'record.accessed' OR type = 'app.revoked'");
    await this.portal.query('ALTER TABLE audit_event ENABLE TRIGGER ALL');
  }

  async signedIn(person: Credentials): Promise<Agent> {
    const agent = new Agent(this.portal.issuer);
    await login(agent, person);
    return agent;
  }

  given(...accesses: Given[]): Promise<void> {
    return recordAccesses(this.portal, people, ...accesses.map((one) => ({ app: publicApp.clientId, ...one })));
  }

  async read(query = '', agent = this.patient): Promise<AccessLogPage> {
    const answer = await agent.get(`/api/user/access-log${query}`);
    expect(answer.status).toBe(200);
    return answer.json<AccessLogPage>();
  }

  async visitsOf(query = '', agent = this.patient): Promise<Visit[]> {
    return (await this.read(query, agent)).entries as Visit[];
  }
}

export function useAccessLogPortal(): AccessLogPortal {
  const log = new AccessLogPortal();
  beforeAll(() => log.start());
  beforeEach(() => log.forgetAccesses());
  afterAll(() => log.stop());
  return log;
}
