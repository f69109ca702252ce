import { parse } from 'yaml';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { sendFhir } from '../support/fhir/scripted-server.js';
import { type AsCodePortal, startAsCodePortal } from '../support/portal/as-code-portal.js';
import { people } from '../support/users/people.js';

const births: Record<string, string | undefined> = { leo: '2020-05-10', teen: '2011-05-10', kim: '2019-01-01' };
let upstream: Upstream;
let portal: AsCodePortal;

beforeAll(async () => {
  upstream = await startUpstream(({ url = '' }, response) => {
    const id = url.split('/').at(-1) ?? '';
    if (!(id in births)) return sendFhir(response, { resourceType: 'OperationOutcome', issue: [] }, 404);
    const name = [{ text: `${id} Duarte` }];
    return sendFhir(response, { resourceType: 'Patient', id, birthDate: births[id], name });
  });
  portal = await startAsCodePortal({
    fhirServer: false,
    config: {
      users: [people.patient, people.otherPatient],
      fhir: { baseUrl: upstream.url },
      locale: { timeZone: 'Europe/Amsterdam' },
      representation: {},
    },
  });
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

const parent = { email: people.patient.email, basis: 'parental-responsibility', level: 'full' };
const file = (...relationships: object[]) => ({ version: 1, relationships });
const asked = { withRelationships: true };
const stored = () =>
  portal.query<object>(
    `SELECT patient, status, proposed_by ->> 'kind' AS kind, decided_by ->> 'id' AS decider
       FROM representation_relationship ORDER BY patient`,
  );

describe('A file with relationships', () => {
  it('is refused without --with-relationships', async () => {
    const problem = /relationships: Relationships need --with-relationships/;
    await expect(portal.plan(file({ ...parent, patient: 'leo' }))).rejects.toThrow(problem);
    await expect(portal.apply(file({ ...parent, patient: 'leo' }))).rejects.toThrow(problem);
    expect(await stored()).toEqual([]);
  });

  it('makes what the age table permits, and proposes the rest; the file is the decider', async () => {
    const content = file(
      { ...parent, patient: 'leo', relation: 'mother' },
      { ...parent, patient: 'teen', level: 'full Condition Appointment' },
      { ...parent, email: 'new@example.org', name: 'Rosa Lind', patient: 'leo' },
    );
    const plan = await portal.plan(content, asked);
    expect(plan).toContain('+ relationship amelia.ward@example.org for Patient/leo');
    expect(plan).toContain('Administrators decide. The age table gives less.');
    expect(await stored()).toEqual([]);
    await portal.apply(content, asked);
    const decider = expect.stringMatching(/^portal-\d+\.yaml$/);
    expect(await stored()).toEqual([
      { patient: 'leo', status: 'active', kind: 'file', decider },
      { patient: 'leo', status: 'active', kind: 'file', decider },
      { patient: 'teen', status: 'proposed', kind: 'file', decider: null },
    ]);
    expect(await portal.plan(content, asked)).toBe('No changes.');
  });

  it('changes and ends none that is there', async () => {
    expect(await portal.plan(file({ ...parent, patient: 'leo', level: 'basics', end: '2099-01-01' }), asked)).toBe(
      'No changes.',
    );
    expect(await portal.apply(file(), { ...asked, allowDelete: true })).toBe('No changes.');
    expect(await stored()).toHaveLength(3);
  });

  it.each([
    ['an unknown level', { level: 'everything' }, 'level'],
    ['an unknown kind', { level: 'full Everything' }, 'level: One of these kinds is not known'],
    ['a kind that the level does not have', { level: 'basics Claim' }, 'level: The rules'],
    ['no kind', { level: 'full ' }, 'level: Please choose one kind'],
    ['a patient that is not there', { patient: 'nothing' }, 'patient'],
    ['a period that is over', { end: '2020-01-01' }, 'end'],
    ['an address without account and name', { email: 'none@example.org' }, 'name'],
    ['another key', { until: '2030-01-01' }, 'until'],
    ['a wrong day', { end: 'soon' }, 'end'],
  ])('names %s at its place, and changes nothing', async (_, more, at) => {
    const content = file(
      { ...parent, email: people.otherPatient.email, patient: 'kim' },
      { ...parent, patient: 'kim', ...more },
    );
    await expect(portal.apply(content, asked)).rejects.toThrow(new RegExp(`relationships\\.1\\.${at}`));
    expect(await stored()).toHaveLength(3);
  });

  it('names a pair that is in it twice', async () => {
    const one = { ...parent, email: people.otherPatient.email, patient: 'kim' };
    await expect(portal.plan(file(one, one), asked)).rejects.toThrow('The file names this pair twice.');
  });

  it('is exported when it is asked for, and applied to another portal', async () => {
    expect(await portal.exported()).not.toContain('relationships');
    expect(await portal.exported({ withUsers: true })).not.toContain('relationships');
    const text = await portal.exported(asked);
    expect(parse(text).relationships).toMatchObject([
      { email: people.patient.email, patient: 'leo', basis: 'parental-responsibility', relation: 'mother' },
      { email: 'new@example.org', patient: 'leo' },
      { email: people.patient.email, patient: 'teen', level: 'full Appointment Condition' },
    ]);
    await portal.query('TRUNCATE representation_relationship CASCADE');
    await portal.apply({ version: 1, relationships: parse(text).relationships }, asked);
    expect(await stored()).toMatchObject([{ status: 'active' }, { status: 'active' }, { status: 'proposed' }]);
  });
});
