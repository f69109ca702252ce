import type { OwnData } from '../../src/contract/own-record/own-data.js';
import type { OwnRequest, OwnRequestList, RequestFileView, RequestList } from '../../src/contract/requests.js';
import { RequestFileStore } from '../../src/requests/application/request-file-store.js';
import type { Agent } from '../support/http/agent.js';
import {
  active,
  aPdf,
  ask,
  decide,
  type RequestPortal,
  recordOf,
  review,
  sendFile,
  startRequestPortal,
} from '../support/representation/asked.js';
import { family } from '../support/representation/family-portal.js';

let portal: RequestPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;

beforeAll(async () => {
  portal = await startRequestPortal();
  ({ admin, second, ana, noah } = portal.agents);
});

afterAll(() => portal.close());

beforeEach(() => portal.forget());

const list = async (agent: Agent) => (await agent.get('/api/admin/requests')).json<RequestList>();
const purge = () => portal.apps[0]?.get(RequestFileStore, { strict: false }).purge();

describe('A user', () => {
  it('asks for a child, is told to wait, and acts for the child after the approval', async () => {
    const number = portal.aChild();
    const request = await ask(ana, number);
    expect(request).toMatchObject({ status: 'waiting', patientName: 'Leo Duarte', relation: 'mother', note: null });
    expect(await active(ana, number)).toEqual([]);
    expect((await ana.get('/api/requests')).json<OwnRequestList>().requests[0]).toEqual(request);
    const [row] = (await list(admin)).requests;
    expect(row).toMatchObject({ id: request.id, askerName: 'Ana Duarte', basis: 'Parental responsibility' });
    const answer = await decide(admin, request.id, { end: '2033-05-09' });
    expect([answer.status, answer.json()]).toMatchObject([200, { status: 'approved', comparison: null }]);
    expect(await active(ana, number)).toMatchObject([{ level: { id: 'full' }, end: '2033-05-09', relation: 'child' }]);
    const { mail } = await portal.sink.to(family.ana.email);
    expect(mail.subject).toContain('answer to your request');
    expect(mail.text).not.toMatch(/Leo|NB\d/);
    expect((await ana.get(`/api/requests/${request.id}`)).status).toBe(404);
  });

  it.each([
    ['a number of no record', { recordNumber: 'NB-none' }],
    ['another name', { patientName: 'Mia Costa' }],
    ['another birth date', { birthDate: '2019-01-01' }],
    ['a record of their own', { recordNumber: '1', patientName: 'Ana Duarte', birthDate: '1990-01-01' }],
    ['a child that they act for already', {}],
  ])('gets the same answer for %s', async (_, more) => {
    const number = portal.aChild();
    const usual = await ask(noah, number);
    const first = await ask(ana, number);
    await decide(admin, first.id);
    const reads = portal.upstream.requests.length;
    const other = await ask(ana, number, more);
    expect(portal.upstream.requests.length).toBe(reads);
    expect(Object.keys(other)).toEqual(Object.keys(usual));
    const shape = ({ status, kind, note, decidedAt, basis, relation, dueAt, askedAt }: OwnRequest) => ({
      ...{ status, kind, note, decidedAt, basis, relation },
      hours: Math.round((Date.parse(dueAt) - Date.parse(askedAt)) / 3_600_000),
    });
    expect(shape(other)).toEqual(shape(usual));
  });

  it('gets the same answer above the limit of guesses, where nothing is compared', async () => {
    const number = portal.aChild();
    const answers = [];
    for (let asked = 0; asked < 6; asked += 1) {
      const { id, status } = await ask(ana, number, {}, []);
      answers.push([status, (await review(admin, id)).comparison?.result]);
      await ana.send(`/api/requests/${id}`, { method: 'DELETE' });
    }
    expect(answers).toEqual([...Array(5).fill(['waiting', 'fits']), ['waiting', 'not-compared']]);
  });

  it.each([
    ['basis', { basis: 'voluntary' }],
    ['relation', { relation: 'friend' }],
    ['birthDate', { birthDate: '2999-01-01' }],
    ['birthDate', { birthDate: 'yesterday' }],
    ['patientName', { patientName: ' ' }],
    ['isTrue', { isTrue: false }],
    ['tenant', { tenant: 'north' }],
    ['files', { files: ['4b3ad1b5-7c0e-4a64-9f3f-8f1e7f0b1a11'] }],
  ])('is told at the field of %s', async (field, more) => {
    const form = { basis: 'parental-responsibility', patientName: 'Leo', birthDate: '2020-05-10', isTrue: true };
    const answer = await ana.post('/api/requests', { ...form, files: [], ...more });
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field }] }]);
  });

  it('has five requests that wait at most', async () => {
    for (let asked = 0; asked < 5; asked += 1) await ask(ana, `NB${asked}`, {}, []);
    const form = { basis: 'parental-responsibility', patientName: 'Leo', birthDate: '2020-05-10', isTrue: true };
    expect((await ana.post('/api/requests', { ...form, files: [] })).status).toBe(409);
  });

  it('takes a request back, and its files are gone', async () => {
    const { id, files } = await ask(ana, portal.aChild());
    expect((await ana.send(`/api/requests/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await ana.get(`/api/requests/${id}`)).status).toBe(404);
    expect((await admin.get(`/api/admin/requests/${id}/files/${files[0]?.id}`)).status).toBe(404);
    expect((await decide(admin, id)).status).toBe(409);
  });

  it('does not see, change or take back a request of another user', async () => {
    const { id } = await ask(ana, portal.aChild());
    expect((await noah.get(`/api/requests/${id}`)).status).toBe(404);
    expect((await noah.post(`/api/requests/${id}/files`, { files: [] })).status).toBe(404);
    expect((await noah.send(`/api/requests/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('is told what is needed, and sends it', async () => {
    const number = portal.aChild();
    const { id } = await ask(ana, number);
    await decide(admin, id, { decision: 'more-needed', note: 'Please send your ID card' });
    expect((await ana.get(`/api/requests/${id}`)).json()).toMatchObject({
      status: 'more-needed',
      note: 'Please send your ID card',
    });
    const file = (await sendFile(ana, aPdf('ID card'), 'id.pdf', { label: 'ID card' })).json<RequestFileView>();
    const sent = await ana.post(`/api/requests/${id}/files`, { files: [file.id] });
    expect(sent.json()).toMatchObject({ status: 'waiting', files: [{}, { label: 'ID card' }] });
    expect((await decide(admin, id)).status).toBe(200);
    expect(await active(ana, number)).toHaveLength(1);
  });

  it('is declined with the reason, and may ask again', async () => {
    const number = portal.aChild();
    const { id } = await ask(ana, number);
    await decide(admin, id, { decision: 'decline', note: 'The certificate names another child' });
    expect((await ana.get(`/api/requests/${id}`)).json()).toMatchObject({
      status: 'declined',
      note: 'The certificate names another child',
    });
    expect((await ask(ana, number)).status).toBe('waiting');
  });

  it('asks for a change of what they may see', async () => {
    const number = portal.aChild();
    await decide(admin, (await ask(ana, number)).id);
    const [card] = await active(ana, number);
    const asked = { relationship: card?.id, statement: 'May I see the letters?' };
    const { id } = (await ana.post('/api/requests/change', asked)).json<OwnRequest>();
    expect(await review(admin, id)).toMatchObject({ kind: 'change', statement: 'May I see the letters?' });
    expect((await noah.post('/api/requests/change', asked)).status).toBe(404);
    expect((await decide(admin, id, { decision: 'decline', note: 'Not at this age' })).status).toBe(200);
    expect(await active(ana, number)).toHaveLength(1);
  });

  it('asks for the whole list of who has seen the record of a child, once, and reads the answer', async () => {
    const number = portal.aChild();
    await decide(admin, (await ask(ana, number)).id);
    const patient = recordOf(number);
    const whole = () => ana.post('/api/requests/accounting', { patient });
    const [first, again] = [(await whole()).json<OwnRequest>(), (await whole()).json<OwnRequest>()];
    expect(first).toMatchObject({ kind: 'accounting', status: 'waiting', patientName: 'Leo Duarte' });
    expect(again.id).toBe(first.id);
    for (const [agent, other] of [
      [noah, patient],
      [ana, '2'],
    ] as const) {
      expect((await agent.post('/api/requests/accounting', { patient: other })).status).toBe(404);
    }
    expect((await decide(admin, first.id, { note: 'Sent by post' })).status).toBe(200);
    const { requests } = (await ana.get('/api/requests')).json<OwnRequestList>();
    expect(requests[0]).toMatchObject({ id: first.id, status: 'approved', note: 'Sent by post' });
    await portal.query("UPDATE request SET decided_at = now() - interval '31 days' WHERE id = $1", [first.id]);
    expect((await ana.get(`/api/requests/${first.id}`)).status).toBe(404);
  });

  it('finds the requests in the file of the own data', async () => {
    const { reference } = await ask(ana, portal.aChild());
    const { address } = (await ana.post('/api/user/data', {})).json<{ address: string }>();
    const { requests } = (await ana.get(`/api${address}`)).json<OwnData>();
    const mine = requests?.find((one) => one.reference === reference);
    expect(mine).toMatchObject({ kind: 'act-for', status: 'waiting', files: [{ name: 'certificate.pdf' }] });
  });
});

describe('A file', () => {
  it.each([
    ['a page', Buffer.from('<html></html>')],
    ['a drawing named as a picture', Buffer.from('<svg onload="alert(1)"/>')],
    ['nothing', Buffer.alloc(0)],
    ['more than 10 MB', Buffer.concat([aPdf(), Buffer.alloc(10 * 1024 * 1024)])],
  ])('is refused at its row: %s', async (_, content) => {
    const answer = await sendFile(ana, content, 'certificate.pdf');
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field: 'file' }] }]);
  });

  it('is one of three for a request, also when ten are sent at the same time to two nodes', async () => {
    const other = await portal.as(family.ana, 1);
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, index) => sendFile(index % 2 ? ana : other, aPdf(`${index}`))),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(7).fill(400)]);
    for (const one of sent.filter(({ status }) => status === 201)) {
      const { id } = one.json<RequestFileView>();
      expect((await noah.send(`/api/requests/files/${id}`, { method: 'DELETE' })).status).toBe(404);
      expect((await ana.send(`/api/requests/files/${id}`, { method: 'DELETE' })).status).toBe(204);
    }
  });

  it('is not sent by a page of another origin, or as a form', async () => {
    const path = '/api/requests/files?name=a.pdf';
    const as = (headers: Record<string, string>) =>
      ana.send(path, { method: 'POST', body: aPdf().toString(), headers });
    expect((await as({ 'content-type': 'application/octet-stream', origin: 'https://evil.example' })).status).toBe(403);
    expect((await as({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await as({ 'content-type': 'application/json' })).status).toBe(415);
  });

  it('is encrypted at rest, opened as an attachment in a sandbox, and each opening is recorded', async () => {
    const { id, files } = await ask(ana, portal.aChild(), {}, [aPdf('Leo of the certificate')]);
    const file = files[0]?.id;
    const [stored] = await portal.query<{ content: Buffer }>('SELECT content FROM request_file WHERE id = $1', [file]);
    expect(stored?.content.includes('certificate')).toBe(false);
    const opened = await admin.get(`/api/admin/requests/${id}/files/${file}`);
    expect(opened.text).toBe('%PDF-1.7\nLeo of the certificate');
    expect(opened.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': "attachment; filename*=UTF-8''certificate.pdf",
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    await second.get(`/api/admin/requests/${id}/files/${file}`);
    await second.get(`/api/admin/requests/${id}/files/${file}`);
    const events = await portal.query<{ user_id: string }>(
      "SELECT user_id FROM audit_event WHERE type = 'request.file-opened' AND subject = $1",
      [id],
    );
    expect(events).toHaveLength(3);
    expect((await review(second, id)).files).toMatchObject([{ isOpened: true }]);
  });

  it('is opened inside of its own request alone, and by administrators alone', async () => {
    const one = await ask(ana, portal.aChild());
    const other = await ask(ana, portal.aChild());
    expect((await admin.get(`/api/admin/requests/${other.id}/files/${one.files[0]?.id}`)).status).toBe(404);
    expect((await ana.get(`/api/admin/requests/${one.id}/files/${one.files[0]?.id}`)).status).toBe(403);
  });

  it.each([
    ['seven days after the decision', "decided_at = now() - interval '8 days', status = 'declined'", 1],
    ['not six days after the decision', "decided_at = now() - interval '6 days', status = 'declined'", 0],
  ])('is removed %s, with a record', async (_, change, removed) => {
    const { id } = await ask(ana, portal.aChild());
    await portal.query(`UPDATE request SET ${change} WHERE id = $1`, [id]);
    await purge();
    const kept = await portal.query('SELECT FROM request_file WHERE request_id = $1 AND content IS NOT NULL', [id]);
    expect(kept).toHaveLength(1 - removed);
    const events = await portal.query("SELECT FROM audit_event WHERE type = 'request.files-removed' AND subject = $1", [
      id,
    ]);
    expect(events).toHaveLength(removed);
  });

  it('is removed 90 days after it was sent, though the request still waits', async () => {
    const { id } = await ask(ana, portal.aChild());
    await portal.query("UPDATE request_file SET added_at = now() - interval '91 days' WHERE request_id = $1", [id]);
    await purge();
    expect((await review(admin, id)).files).toMatchObject([{ isKept: false }]);
  });

  it('is removed after a day if the request was not sent', async () => {
    const { id } = (await sendFile(ana, aPdf())).json<RequestFileView>();
    await portal.query("UPDATE request_file SET added_at = now() - interval '25 hours' WHERE id = $1", [id]);
    await purge();
    expect(await portal.query('SELECT FROM request_file WHERE id = $1', [id])).toEqual([]);
  });
});
