import type { OwnRelationships } from '../../../src/contract/representation.js';
import type { OwnRequest, RequestFileView, RequestReview } from '../../../src/contract/requests.js';
import type { Agent, Answer } from '../http/agent.js';
import { type MailSink, startMailSink } from '../mail-sink.js';
import type { PortalOptions } from '../portal/portal.js';
import { type FamilyPortal, family, startFamilyPortal } from './family-portal.js';
import { manager } from './wrong-input.js';

/** An administrator who has the name of a user. */
export const anAdminNamedLikeAna = { ...family.admin, email: 'ana.admin@example.org', fullName: 'Ana Duarte' };

/** An administrator whose provider says which record is theirs: that of Ana. */
export const anAdminWithAnasRecord = { ...family.admin, email: 'cleo.admin@example.org', fullName: 'Cleo Admin' };

export interface RequestPortal extends FamilyPortal {
  sink: MailSink;
  agents: Record<'admin' | 'second' | 'ana' | 'noah', Agent>;
  /** Has a child named Leo Duarte; returns its record number. */
  aChild(patient?: object): string;
  /** Closes all requests, and forgets all limits. */
  forget(): Promise<void>;
}

/** A portal with two nodes in which users ask to act for children. */
export async function startRequestPortal(options: PortalOptions = {}): Promise<RequestPortal> {
  const sink = await startMailSink();
  const users = [...Object.values(family), anAdminNamedLikeAna, anAdminWithAnasRecord];
  const config = { email: sink.config, users, clients: [manager], ...options.config };
  const portal = await startFamilyPortal({ nodes: 2, ...options, config });
  const [admin, second, ana, noah] = await Promise.all([
    portal.as(family.admin),
    portal.as(family.secondAdmin, 1),
    portal.as(family.ana),
    portal.as(family.noah, 1),
  ]);
  let children = 0;
  return {
    ...portal,
    sink,
    agents: { admin, second, ana, noah },
    aChild(patient = {}) {
      children += 1;
      const number = `NB${1000 + children}`;
      const identifier = [{ system: 'urn:mrn', value: number }];
      portal.has(recordOf(number), { identifier, name: [{ given: ['Leo'], family: 'Duarte' }], ...patient });
      return number;
    },
    async forget() {
      await portal.query('DELETE FROM rate_limit');
      await portal.query(
        "UPDATE request SET status = 'cancelled', decided_at = now() WHERE status IN ('waiting', 'more-needed')",
      );
    },
    async close() {
      await portal.close();
      await sink.stop();
    },
  };
}

/** FHIR id of the child with this record number. */
export const recordOf = (number: string) => `child-${Number(number.slice(2)) - 1000}`;

export const ownRelationships = async (agent: Agent) =>
  (await agent.get('/api/representation')).json<OwnRelationships>();

/** The active relationships of a user for the child with this record number. */
export const active = async (agent: Agent, number: string) =>
  (await ownRelationships(agent)).lookedAfter.filter(
    ({ status, patient }) => status === 'active' && patient === recordOf(number),
  );

/** The first bytes of a PDF, with this text behind them. */
export const aPdf = (text = 'Birth certificate') => Buffer.from(`%PDF-1.7\n${text}`);

/** Sends a file as the page does. */
export function sendFile(agent: Agent, content: Buffer, name = 'certificate.pdf', more: object = {}): Promise<Answer> {
  const query = new URLSearchParams({ name, ...more });
  return agent.send(`/api/requests/files?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: content,
  });
}

/** Asks to act for a child with the record number `number`. */
export async function ask(agent: Agent, number: string, more: object = {}, files = [aPdf()]): Promise<OwnRequest> {
  const sent = await Promise.all(files.map((one) => sendFile(agent, one)));
  const answer = await agent.post('/api/requests', {
    ...{ basis: 'parental-responsibility', relation: 'mother', patientName: 'Leo Duarte', birthDate: '2020-05-10' },
    ...{ recordNumber: number, isTrue: true, files: sent.map((one) => one.json<RequestFileView>().id) },
    ...more,
  });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.json<OwnRequest>();
}

export const review = async (admin: Agent, id: string) =>
  (await admin.get(`/api/admin/requests/${id}`)).json<RequestReview>();

/** Opens each file, and decides as the page does. */
export async function decide(admin: Agent, id: string, more: object = {}): Promise<Answer> {
  const { version, files, comparison } = await review(admin, id);
  for (const file of files) await admin.get(`/api/admin/requests/${id}/files/${file.id}`);
  return admin.post(`/api/admin/requests/${id}/decision`, {
    ...{ decision: 'approve', note: 'Birth certificate seen', version, seen: files.map((file) => file.id) },
    ...{ patient: comparison?.patient, basis: 'parental-responsibility', level: 'full', relation: 'mother' },
    ...more,
  });
}
