import type { InvitationWithCode } from '../../../src/contract/invitations.js';
import { managementScope } from '../../../src/oidc/domain/access-tokens.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { basicAuthorization } from '../apps/smart-app.js';
import { backendService, sharedSecret } from '../clients/clients.js';
import { Agent } from '../http/agent.js';
import { linkInMail, startMailSink } from '../mail-sink.js';
import { people } from '../users/people.js';
import { family, startFamilyPortal } from './family-portal.js';
import { aNewRelationship } from './relationship.js';

/** A service that may manage accounts and relationships. */
export const manager = {
  ...backendService,
  clientId: 'manager',
  clientName: 'Provisioning',
  clientType: 'ManagementApi',
};
/** A patient of a tenant, who acts for no patient. */
export const nora = {
  ...people.otherPatient,
  email: 'nora@example.org',
  fullName: 'Nora North',
  claims: [
    { name: 'fhirUser', value: 'Patient/nora' },
    { name: 'tenant', value: 'north' },
  ],
};

export const relationshipsPath = '/api/admin/representation';
export const invitationsPath = '/api/representation/invitations';
/** A proposal that is right; Ana may act for Leo. */
export const aProposal = { email: family.ana.email, patient: 'leo', basis: 'parental-responsibility', level: 'full' };
export const aRequest = (more: object = {}) => ({
  ...{ basis: 'parental-responsibility', patientName: 'Leo Duarte', birthDate: '2020-05-10', isTrue: true, files: [] },
  ...more,
});
export const longText = 'x'.repeat(10_000);
export const noId = 'ffffffff-0000-4000-8000-000000000000';
export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** An access token of the service {@link manager}, which the portal has. */
export async function managementToken(agent: Agent): Promise<string> {
  const answer = await agent.postForm(
    '/connect/token',
    { grant_type: 'client_credentials', scope: managementScope },
    { headers: basicAuthorization(manager.clientId, sharedSecret) },
  );
  return answer.json<{ access_token: string }>().access_token;
}

export type WrongInputPortal = Awaited<ReturnType<typeof startWrongInputPortal>>;

/**
 * A portal with what wrong calls may be about: Ana helps Noah (`helper`) and acts for Kim (`acted`) and Ben
 * (`suspended`); a proposal, a request and an invitation of Noah wait.
 */
export async function startWrongInputPortal() {
  const sink = await startMailSink();
  const portal = await startFamilyPortal({
    tenants: ['north'],
    config: {
      email: sink.config,
      users: [...Object.values(family), people.practitioner, nora],
      clients: [manager],
    },
  });
  for (const id of ['kim', 'ben', 'nora']) portal.has(id);
  portal.records.set('of-mia', {
    ...{ resourceType: 'RelatedPerson', id: 'of-mia', patient: { reference: 'Patient/mia' } },
  });
  const agents = await Promise.all([portal.as(family.admin), portal.as(family.ana), portal.as(family.noah)]);
  const [admin, ana, noah] = agents;
  const stranger = new Agent(portal.issuer);
  const token = await managementToken(stranger);
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const account = await portal.accountId(family.ana);
  const add = async (members: object) => (await relationships.add(aNewRelationship(account, members))).id;
  const chosen = { patient: '2', basis: 'voluntary', relation: 'helper', level: 'basics', end: inDays(10) };
  const [helper, acted, suspended] = [
    await add(chosen),
    await add({ patient: 'kim' }),
    await add({ patient: 'ben', status: 'suspended', reason: 'deleted' }),
  ];
  const proposed = await admin.post(relationshipsPath, { ...aProposal, patient: 'mia' });
  const asked = await noah.post('/api/requests', aRequest({ patientName: 'Max Reed' }));
  const invited = await noah.post(invitationsPath, { fullName: 'Tom', email: 'tom@example.org', level: 'basics' });
  const { t: secret } = linkInMail(await sink.to('tom@example.org'));
  return {
    ...portal,
    ...{ admin, ana, noah, stranger, token, helper, acted, suspended },
    proposal: proposed.json<{ id: string }>().id,
    asked: asked.json<{ id: string }>().id,
    invitation: { ...invited.json<InvitationWithCode>(), token: secret },
    async close() {
      await portal.close();
      await sink.stop();
    },
    /** Everything that a call could leave. */
    everything: () =>
      portal.query(
        `SELECT (SELECT json_agg(one ORDER BY id) FROM representation_relationship AS one) AS relationships,
                (SELECT json_agg(one ORDER BY id) FROM request AS one) AS requests,
                (SELECT json_agg(one ORDER BY id) FROM representation_invitation AS one) AS invitations,
                (SELECT json_agg(id ORDER BY id) FROM account) AS accounts,
                (SELECT json_agg(one) FROM representative_reference AS one) AS named,
                (SELECT count(*) FROM request_file) AS files`,
      ),
  };
}

interface Told {
  message: string;
  errors: { field?: string; messages: string[] }[];
  codes: { field?: string; code: string }[];
}

/** Sends what is wrong: the answer tells it in a sentence at its field, and nothing has changed. */
export async function expectTold(
  { everything }: WrongInputPortal,
  send: () => Promise<{ status: number; text: string; json<T>(): T }>,
  { status = 400, field, code }: { status?: number; field?: string | undefined; code?: string | undefined },
): Promise<void> {
  const before = await everything();
  const answer = await send();
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  const { message, errors, codes } = answer.json<Told>();
  const sentences = errors.flatMap(({ messages }) => messages);
  if (field === undefined) expect(message).toMatch(/^[A-Z].{8,}/);
  else {
    expect(errors.filter((one) => one.field !== field && !one.field?.startsWith(`${field}.`))).toEqual([]);
    expect(sentences.length).toBeGreaterThan(0);
  }
  for (const one of sentences) expect(one).toMatch(/^\p{Lu}.{8,}$/u);
  if (code !== undefined) expect(codes.map((one) => one.code)).toContain(code);
  expect(await everything()).toEqual(before);
}
