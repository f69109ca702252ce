import { type Launch, SmartApp } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { type Person, people } from '../../support/users/people.js';

const narrowApp = {
  ...publicApp,
  clientId: 'narrow-app',
  requireConsent: false,
  allowOfflineAccess: false,
  allowedSmartSubjects: ['patient'],
  allowedSmartActions: ['r', 's'],
  allowedSmartLegacyActions: ['read'],
  allowedResourceTypes: ['Observation', 'Patient'],
};
/** Needs no consent, so that a test sees the granted scopes at once. */
const quietApp = { ...publicApp, clientId: 'quiet-app', requireConsent: false };
const withoutRecord = people.otherPatient;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient, withoutRecord],
      clients: [publicApp, narrowApp, quietApp],
    },
  });
  await portal.query("UPDATE account SET claims = '[]' WHERE email = $1", [withoutRecord.email]);
});

afterAll(() => portal.close());

async function granted(
  scope: string,
  launch: Launch = {},
  person: Pick<Person, 'email' | 'password'> = people.patient,
) {
  return new SmartApp(portal, { client: quietApp, scope, ...launch }).tokens(person);
}

async function refusal(scope: string, launch: Launch = {}): Promise<string | null> {
  const answer = await new SmartApp(portal, { client: quietApp, scope, ...launch }).authorize();
  return new URL(answer.location ?? '').searchParams.get('error');
}

describe('The requested scope', () => {
  it('SMART scope-literal SMART scope-undefined A-14 is granted unchanged, without its unknown parts', async () => {
    const sound =
      'openid launch/patient patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory patient/Condition.read';
    const odd =
      'patient/../.. patient/*.cruds?_id=1;drop patient/*.sr PATIENT/*.rs patient/Observation.read?x=y made-up __x https://elsewhere.example/scope';
    const { scope } = await granted(`${odd} ${sound} ${odd}`);
    expect(scope).toBe(sound);
  });

  it('A-14 is refused when all of its parts are unknown', async () => {
    expect(await refusal('patient/../.. made-up patient/*.sr')).toBe('invalid_scope');
    expect(await refusal('')).toBe('invalid_scope');
  });

  it('A-14 is refused when it is too long', async () => {
    expect(await refusal('x '.repeat(5000))).toBe('invalid_scope');
  });

  it('A-15 never yields a system scope for a user', async () => {
    const { scope } = await granted('openid system/*.rs system/Patient.read patient/*.rs');
    expect(scope).toBe('openid patient/*.rs');
    expect(await refusal('system/*.rs')).toBe('invalid_scope');
  });

  it('A-29 yields a refresh token only when the client may have one', async () => {
    expect(await granted('openid patient/*.rs offline_access')).toHaveProperty('refresh_token');
    expect(await granted('openid patient/*.rs')).not.toHaveProperty('refresh_token');
    const narrow = await granted('openid patient/*.rs offline_access', { client: narrowApp });
    expect(narrow).not.toHaveProperty('refresh_token');
    expect(narrow.scope).not.toContain('offline_access');
  });

  it('A-29 offers offline_access on the consent page', async () => {
    const app = new SmartApp(portal);
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    const consent = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    expect(await app.offeredScopes(consent)).toContain('offline_access');
  });

  it('SMART scope-client-limits O-13 is limited to the client’s types and actions', async () => {
    const { scope } = await granted('openid patient/*.cruds patient/Condition.rs patient/*.read user/Patient.rs', {
      client: narrowApp,
    });
    expect(scope).toBe(
      'openid patient/Observation.rs patient/Patient.rs patient/Observation.read patient/Patient.read',
    );
  });

  it('O-14 yields no claim about a user whom the FHIR server does not know', async () => {
    const tokens = await granted('openid fhirUser profile patient/*.rs user/*.rs', {}, withoutRecord);
    expect(tokens.scope).toBe('openid profile');
    const app = new SmartApp(portal, { client: quietApp, scope: 'patient/*.rs user/*.rs' });
    expect((await app.complete(withoutRecord)).searchParams.get('error')).toBe('invalid_scope');
  });

  it('SMART scope-patient with a patient scope always yields a patient in context (SMART 2.2, launch context)', async () => {
    expect(await granted('patient/Observation.rs')).toMatchObject({ scope: 'patient/Observation.rs', patient: '1' });
  });
});
