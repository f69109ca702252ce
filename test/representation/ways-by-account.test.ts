/** Ways in by staff, for accounts in each state: what is answered, at which field, and which account acts then. */
import type { RelationshipImport } from '../../src/contract/representation/import.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import { Agent } from '../support/http/agent.js';
import { startMailSink } from '../support/mail-sink.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import {
  type FamilyPortal,
  family,
  makeRepresentative,
  startFamilyPortal,
} from '../support/representation/family-portal.js';
import { managementToken, manager, nora } from '../support/representation/wrong-input.js';
import { people } from '../support/users/people.js';

const basis = 'parental-responsibility';
const rosa = { ...people.otherPatient, email: 'rosa@example.org', fullName: 'Rosa Lind' };
const provided = 'grace.field@hospital.example';
let sink: Awaited<ReturnType<typeof startMailSink>>;
let provider: TestIdentityProvider;
let portal: FamilyPortal;
let admin: Agent;
let token: string;
let external: string;
let cases = 0;

beforeAll(async () => {
  [sink, provider] = await Promise.all([startMailSink(), startIdentityProvider()]);
  portal = await startFamilyPortal({
    tenants: ['north'],
    config: {
      email: sink.config,
      users: [...Object.values(family), people.practitioner, nora, rosa],
      clients: [manager],
      identityProviders: [provider.entry()],
    },
  });
  provider.trust(portal);
  admin = await portal.as(family.admin);
  token = await managementToken(new Agent(portal.issuer));
  await makeRepresentative(portal, rosa);
  await signInAtProvider(portal, provider, 'grace');
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1 AND is_external', [
    provided,
  ]);
  external = row?.id ?? '';
  const invited = {
    fullName: 'Ida New',
    email: 'ida@example.org',
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: 'Patient/ida' }],
  };
  const added = await admin.post('/api/admin/user', invited);
  expect([added.status, added.text]).toEqual([201, expect.any(String)]);
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sink.stop();
});

type Asked = Record<string, string | undefined>;

async function bySheet(asked: Asked, init: object = {}, by: Agent = admin): Promise<string> {
  const answer = await by.post(path, asked, init);
  const { codes = [], representativeName } = answer.json<
    { codes?: { field?: string; code: string }[] } & Partial<RelationshipView>
  >();
  if (answer.status === 201) return `proposed ${representativeName}`;
  return [
    answer.status,
    ...codes.map(({ field = '', code }) => `${field} ${code.replace('representation-', '')}`),
  ].join(' ');
}

const ways = {
  sheet: (asked: Asked) => bySheet(asked),
  token: (asked: Asked) => bySheet(asked, { headers: { authorization: `Bearer ${token}` } }, new Agent(portal.issuer)),
  async file({ email, fullName = '', patient, level, tenant = '' }: Asked): Promise<string> {
    const csv = `email,name,patient,basis,level,tenant\n${email},${fullName},${patient},${basis},${level},${tenant}\n`;
    const { lines, wrong } = (await admin.post(`${path}/import`, { csv, dryRun: false })).json<RelationshipImport>();
    const problems = wrong
      .flatMap((one) => one.problems)
      .map(({ column, messages }) => {
        const [first] = messages as { code?: string }[];
        return `${column} ${first?.code?.replace('representation-', '')}`;
      });
    return lines[0]?.becomes ?? problems.join(' ');
  },
};

/** The account, and what each way answers; a sheet and a management token answer the same. */
const rows: [state: string, asked: Asked, bySheetAndToken: string, byFile: string][] = [
  ['none', { email: 'none@example.org' }, '400 fullName account-unknown', 'name account-unknown'],
  ['none yet, with a name', { email: 'new@example.org', fullName: 'New User' }, 'proposed New User', 'active'],
  ['a patient', { email: family.ana.email }, 'proposed Ana Duarte', 'active'],
  ['one that only acts for others', { email: rosa.email }, 'proposed Rosa Lind', 'active'],
  ['one that is not activated', { email: 'ida@example.org' }, 'proposed Ida New', 'active'],
  [
    'one of another provider, by its address',
    { email: provided },
    '400 fullName account-unknown',
    'name account-unknown',
  ],
  ['an administrator', { email: family.admin.email }, '400 email second-account', 'email second-account'],
  ['a practitioner', { email: people.practitioner.email }, '400 email second-account', 'email second-account'],
  ['one of another hospital', { email: nora.email }, '400 tenant other-tenant', 'tenant other-tenant'],
  [
    'one of this hospital, for another',
    { email: family.ana.email, tenant: 'north' },
    '400 tenant other-tenant',
    'tenant other-tenant',
  ],
  ['the patient', { email: family.ana.email, patient: '1' }, '400 patient oneself', 'patient oneself'],
];

describe.each(rows)('For an account that is %s,', (_state, asked, expected, byFile) => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])('the %s answers', async (way) => {
    cases += 1;
    const patient = `case-${cases}`;
    portal.has(patient);
    const answer = await ways[way]({ patient, basis, level: 'full', ...asked });
    expect(answer).toBe(way === 'file' ? byFile : expected);
  });
});

it('An account of another provider is proposed by its id', async () => {
  portal.has('case-external');
  const asked = { account: external, patient: 'case-external', basis, level: 'full' };
  expect(await bySheet(asked)).toBe('proposed Grace Field');
});
