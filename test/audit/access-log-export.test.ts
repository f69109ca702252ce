/** The record of accesses as patients download it. */
import { mock } from 'node:test';
import type { AuditEvent, Bundle } from '@medplum/fhirtypes';
import { AccessLogExports } from '../../src/audit/application/access-log-exports.js';
import { publicApp } from '../support/clients/clients.js';
import { noon, useAccessLogPortal } from '../support/portal/access-log-portal.js';
import { until } from '../support/until.js';
import { people } from '../support/users/people.js';

const log = useAccessLogPortal();

describe('The exported log', () => {
  const exported = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await log.patient.get(`/api/user/access-log/export?${query}`, { headers });
    expect(answer.status).toBe(200);
    return answer;
  };

  it('is a table of single accesses', async () => {
    await log.given(
      { at: noon(1), patients: ['1'], seen: [{ 'Observation/laboratory': 12, Encounter: 1 }], launch: 'NB7Q4K2M2345' },
      { at: noon(2), status: 403, resource: 'Condition', unattended: true },
      { at: noon(3), by: 'service', app: 'gone', status: 502, export: 'e' },
    );
    const answer = await exported('format=csv');
    expect([answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      'text/csv; charset=utf-8',
      'attachment; filename="who-has-seen-my-record.csv"',
    ]);
    const at = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ');
    expect(answer.text).toBe(
      [
        '\uFEFF"Time (UTC)",Person,App,Action,"Kinds of data",Entries,Result,Remarks,Reference',
        `"${at(noon(1))}",,"${publicApp.clientName}",Saw,"Visits, Laboratory",13,Answered,,NB-7Q4K-2M`,
        `"${at(noon(2))}",,"${publicApp.clientName}","Asked for",Conditions,,Refused,"While you were not there",`,
        `"${at(noon(3))}",,"An app no longer registered","Asked for",Conditions,,"Not answered (502)","Part of an export",`,
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    ['of the page', 'format=csv&ui_locales=de-XA', {}],
    ['of the browser', 'format=csv', { 'accept-language': 'ar-XB, en;q=0.5' }],
  ])('is in the language %s, with times, numbers and references as in English', async (_, query, headers) => {
    await log.given(
      { at: noon(1), patients: ['1'], seen: [{ 'Observation/laboratory': 12 }], launch: 'NB7Q4K2M2345' },
      { at: noon(2), status: 403, by: 'deleted', app: 'gone', unattended: true, export: 'e' },
      ...(['create', 'update', 'delete'] as const).map((interaction, index) => ({ at: noon(3, index), interaction })),
      { at: noon(4), status: 502 },
    );
    const lines = (await exported(query, headers)).text.split('\r\n');
    const untranslated = lines.map((line) => line.replaceAll(/⟦[^⟦⟧]*⟧/g, '').replaceAll(publicApp.clientName, ''));
    expect(untranslated.filter((line) => /\p{L}/u.test(line))).toEqual([expect.stringMatching(/,NB-7Q4K-2M$/)]);
    expect(lines[0]).toMatch(/^\uFEFF"⟦Tïmé \(UTC\)[^⟧]*⟧","⟦Péršöñ/);
    expect(lines[1]).toMatch(/^"\d{4}-\d\d-\d\d 12:00:00",.*⟦Låböråtörý/);
    expect(lines[1]).toMatch(/⟧",12,"⟦Añšwéréd/);
  });

  it('quotes names that a spreadsheet would take for formulas', async () => {
    await log.given({ at: noon(1), app: '=cmd|x' }, { at: noon(1, 1), by: 'practitioner' });
    for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', 'a "quoted", name']) {
      await log.portal.query('UPDATE account SET full_name = $1 WHERE email = $2', [name, people.practitioner.email]);
      await log.portal.query("SELECT pg_notify('gatehouse_accounts', $1)", [log.ids.get(people.practitioner.email)]);
      const isFormula = /^[=+\-@]/.test(name);
      const cell = `"${isFormula ? "'" : ''}${name.replaceAll('"', '""')}"`;
      await until(async () => (await exported('format=csv')).text.includes(`,${cell},`));
    }
    await log.portal.query('UPDATE account SET full_name = $1 WHERE email = $2', [
      people.practitioner.fullName,
      people.practitioner.email,
    ]);
    await log.portal.query("SELECT pg_notify('gatehouse_accounts', $1)", [log.ids.get(people.practitioner.email)]);
  });

  it('is a Bundle of AuditEvents that name no other patient', async () => {
    await log.given(
      {
        at: noon(1),
        interaction: 'search',
        target: '/Condition?patient=1',
        resource: 'Condition',
        patients: ['1'],
        seen: [{ Condition: 2 }],
      },
      {
        at: noon(2),
        by: 'practitioner',
        interaction: 'search',
        target: '/Condition?patient=7,1',
        resource: 'Condition',
        patient: '7',
        patients: ['7', '1'],
        seen: [{ Condition: 1 }, { Condition: 2 }],
      },
    );
    const answer = await exported('format=fhir');
    expect(answer.headers['content-type']).toBe('application/fhir+json');
    const bundle = answer.json<Bundle<AuditEvent>>();
    expect([bundle.resourceType, bundle.type]).toEqual(['Bundle', 'collection']);
    const events = bundle.entry?.flatMap(({ resource }) => resource ?? []) ?? [];
    const patientsIn = ({ entity = [] }: AuditEvent) =>
      entity.flatMap(({ what }) => what?.reference ?? []).filter((one) => one.startsWith('Patient/'));
    const queries = events.map(({ entity = [] }) => entity.flatMap(({ query }) => (query ? atob(query) : [])));
    expect(events.map(patientsIn)).toEqual([['Patient/1'], ['Patient/1']]);
    expect(queries).toEqual([['/Condition?patient=1'], ['/Condition']]);
    expect((await exported('format=fhir&show=refused')).json<Bundle>().entry).toBeUndefined();
  });

  it('follows the filter, is complete however long it is, and is itself recorded', async () => {
    await log.portal.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
       SELECT now() - n * interval '20 minutes', 'record.accessed', 'success', $1, $2,
              jsonb_build_object('method', 'GET', 'target', '/Slot/' || n, 'status', 200, 'patient', '1')
         FROM generate_series(1, 3000) AS n`,
      [log.ids.get(people.patient.email), publicApp.clientId],
    );
    const before = await log.portal.query("SELECT id FROM audit_event WHERE type = 'access-log.exported'");
    const all = (await exported('format=csv')).text.trimEnd().split('\r\n');
    expect(all).toHaveLength(3001);
    const times = all.slice(1).map((line) => line.slice(0, 21));
    expect(times).toEqual([...new Set(times)].sort().reverse());
    expect((await exported('format=csv&clientId=other-app')).text.trimEnd().split('\r\n')).toHaveLength(1);
    const recorded = await log.portal.query<{ detail: object; user_id: string }>(
      "SELECT detail, user_id FROM audit_event WHERE type = 'access-log.exported' ORDER BY id",
    );
    expect(recorded.slice(before.length)).toEqual([
      { user_id: log.ids.get(people.patient.email), detail: { format: 'csv' } },
      { user_id: log.ids.get(people.patient.email), detail: { format: 'csv', clientId: 'other-app' } },
    ]);
  });

  it('ends when the caller disconnects', async () => {
    await log.portal.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, detail)
       SELECT now() - n * interval '1 minute', 'record.accessed', 'success', $1, $2,
              jsonb_build_object('method', 'GET', 'target', repeat('x', 900), 'status', 200, 'patient', '1', 'interaction', 'search')
         FROM generate_series(1, 30000) AS n`,
      [log.ids.get(people.patient.email), publicApp.clientId],
    );
    const { forAccount } = AccessLogExports.prototype;
    let [pieces, hasEnded] = [0, false];
    mock.method(
      AccessLogExports.prototype,
      'forAccount',
      async function* (this: AccessLogExports, ...of: Parameters<typeof forAccount>) {
        try {
          for await (const piece of forAccount.apply(this, of)) {
            pieces += 1;
            yield piece;
          }
        } finally {
          hasEnded = true;
        }
      },
    );
    const cookie = [...log.patient.cookies].map((one) => one.join('=')).join('; ');
    const leaving = new AbortController();
    const address = `${log.portal.issuer}/api/user/access-log/export?format=fhir`;
    const answer = await fetch(address, { headers: { cookie }, signal: leaving.signal });
    await answer.body?.getReader().read();
    leaving.abort();
    await until(() => hasEnded);
    expect(pieces).toBeLessThan(60);
  });
});
