import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { AccessDetail } from '../../src/contract/audit/access-detail.js';
import { auditEventOf } from '../../src/contract/audit/fhir-audit-event.js';
import { noon, useAccessLogPortal } from '../support/portal/access-log-portal.js';
import { balpProfiles } from './balp-profiles.js';

const fhirBase = 'https://portal.example/fhir';

type Event = { meta?: { profile?: string[] }; [member: string]: unknown };

function event(detail: Partial<AccessDetail>, more: object = {}): Event {
  const access = {
    recordedAt: new Date('2026-01-02T03:04:05Z'),
    userId: 'u1',
    clientId: 'app',
    address: '10.0.0.7',
    correlationId: 'c1',
    detail: { method: 'GET', target: '/Observation/o1', status: 200, ...detail },
    ...more,
  };
  return auditEventOf(access, fhirBase, 'https://portal.example') as Event;
}

/** The errors of each event by HL7's validator; `ok` where there are none. */
async function validated(events: readonly object[]): Promise<string[]> {
  const quietly = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
  const child = spawn('java', ['-Xmx1g', quietly, '-cp', process.env.HAPI_CLASSPATH ?? '', 'ProfileValidator'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end([balpProfiles, ...events].map((one) => JSON.stringify(one)).join('\n'));
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return output.trim().split('\n');
}

const log = useAccessLogPortal();

const interactions = ['read', 'vread', 'search', 'create', 'update', 'patch', 'delete'] as const;
const others = ['history-instance', 'history-type', 'operation'] as const;
const isOfType = (interaction: string) => interaction === 'search' || interaction === 'history-type';
const users = [
  { fhirUser: `${fhirBase}/Practitioner/d1` },
  { userId: null },
  // Who acts for the patient: a resource of the server, none, or one that cannot be an agent.
  { fhirUser: `${fhirBase}/RelatedPerson/ana`, representation: 'r1' },
  { fhirUser: `${fhirBase}/Person/ana`, representation: 'r1' },
  { representation: 'r1' },
];

test('AuditEvents conform to FHIR and to the profile of BALP that they claim, and wrong ones do not', async () => {
  const good = [...interactions, ...others].flatMap((interaction) =>
    users.flatMap(({ userId = 'u1', ...detail }) =>
      [{}, { patients: ['p1'] }, { patients: ['p1', 'p2'] }].flatMap((about) =>
        [200, 404].map((status) => {
          const resource = isOfType(interaction) ? 'Observation' : 'Observation/o1';
          const patient = (about as { patients?: string[] }).patients?.at(-1);
          return event({ ...detail, ...about, interaction, resource, status }, { userId, patient });
        }),
      ),
    ),
  );
  const read = event({ interaction: 'read', resource: 'Observation/o1', patients: ['p1'] });
  const wrong = [
    { ...read, action: 'E' },
    { ...read, outcome: '4' },
    { ...read, agent: (read.agent as object[]).slice(1) },
    { ...read, entity: (read.entity as object[]).slice(1) },
    { ...event({ interaction: 'create', resource: 'Observation/o1' }), subtype: read.subtype },
    { ...read, recorded: 'yesterday' },
  ];
  const answers = await validated([...good, ...wrong]);
  expect(answers).toHaveLength(good.length + wrong.length);
  expect(answers.slice(0, good.length).filter((answer) => answer !== 'ok')).toEqual([]);
  expect(answers.slice(good.length).filter((answer) => answer === 'ok')).toEqual([]);
  expect(good.filter(({ meta }) => meta?.profile?.[0]?.includes('.Patient')).length).toBeGreaterThan(20);
}, 300_000);

test('The Bundle that a patient downloads, and each AuditEvent in it, conform', async () => {
  const target = '/Observation?patient=7,1';
  await log.given(
    ...[...interactions, ...others].flatMap((interaction, index) => [
      {
        at: noon(1, index),
        interaction,
        resource: isOfType(interaction) ? 'Observation' : 'Observation/o1',
        patients: ['1'],
        seen: [{ Observation: 1 }],
      },
      { at: noon(2, index), by: 'practitioner' as const, interaction, resource: 'Condition', status: 403 },
      {
        at: noon(3, index),
        by: 'service' as const,
        interaction,
        target,
        resource: 'Observation',
        patients: ['7', '1'],
      },
    ]),
  );
  const answer = await log.patient.get('/api/user/access-log/export?format=fhir');
  const bundle = answer.json<{ entry: { resource: object }[] }>();
  expect(bundle.entry).toHaveLength(30);
  const { entry: _, ...withoutEntries } = bundle;
  const wrong = { ...withoutEntries, type: 'heap' };
  const answers = await validated([bundle, ...bundle.entry.map(({ resource }) => resource), wrong]);
  expect(answers.at(-1)).not.toBe('ok');
  expect(answers.slice(0, -1).filter((one) => one !== 'ok')).toEqual([]);
}, 300_000);
