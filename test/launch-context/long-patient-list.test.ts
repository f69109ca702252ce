import { setTimeout as sleep } from 'node:timers/promises';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { type LargeFhirServer, startLargeFhirServer } from '../support/fhir/large-fhir-server.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const client = { ...publicApp, requireConsent: false };
const ehr = { id: 'city-ehr', secret: 'the-secret-of-the-city-ehr' };
const stranger = {
  ...people.practitioner,
  email: 'new.here@example.org',
  claims: [{ name: 'fhirUser', value: 'Practitioner/new' }],
};
let largeServer: LargeFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  largeServer = await startLargeFhirServer();
});

afterAll(() => largeServer.close());

afterEach(() => {
  largeServer.ignoresConditions = false;
});

/** Starts the portal for the tests of this describe block. */
function usePortalWith(panel: string): void {
  beforeAll(async () => {
    portal = await startPortal({
      config: {
        fhir: { baseUrl: largeServer.url, panel },
        ehr: { callers: [ehr] },
        users: [people.practitioner, stranger],
        clients: [client],
      },
    });
    const status = portal.apps[0]?.get(FhirServerStatus, { strict: false });
    while (!status?.resourceTypes()) await sleep(50);
  });
  afterAll(() => portal.close());
}

const announce = (form: Record<string, string>) =>
  new Agent(portal.issuer).postForm('/connect/launchContext', form, {
    headers: basicAuthorization(ehr.id, ehr.secret),
  });

/** The result of an EHR launch for a practitioner. */
async function opened(form: Record<string, string>): Promise<Record<string, string | null>> {
  const { launchContextIdentifier: launch } = (await announce(form)).json<{ launchContextIdentifier: string }>();
  const app = new SmartApp(portal, { client, scope: 'openid launch patient/*.rs', parameters: { launch } });
  const landed = await app.complete(people.practitioner);
  const code = landed.searchParams.get('code');
  if (code === null) return { error: landed.searchParams.get('error') };
  return { patient: (await app.exchange(code)).json<Tokens>().patient ?? null };
}

function atChoice(person = people.practitioner): Promise<ContextChoice> {
  return ContextChoice.reach(portal, { client, scope: 'openid launch/patient patient/*.rs' }, person);
}

async function patients(choice: ContextChoice, query: Record<string, string> = {}) {
  const [kind] = await choice.contextTypes({ kind: 'Patient', ...query });
  return { ids: kind?.data.map(({ id }) => id.replace('Patient/p', '')) ?? [], next: kind?.next ?? null, kind };
}

describe('The search in 100,000 patients', () => {
  usePortalWith('all');

  it('returns a page at a time, from which each patient can be chosen', async () => {
    const choice = await atChoice();
    const first = await patients(choice);
    expect([first.ids.length, first.ids[0], first.kind?.searchable]).toEqual([50, '0', true]);
    const second = await patients(choice, { page: first.next ?? '' });
    expect([second.ids.length, second.ids[0]]).toEqual([50, '50']);
    expect((await choice.choose(['Patient/p150'])).status).toBe(400);
    await patients(choice, { page: second.next ?? '' });
    await patients(choice, { searchTerm: 'MR99999' });
    expect((await choice.choose(['Patient/p60'])).status).toBe(200);
    expect((await choice.tokens()).patient).toBe('p60');
  });

  it.each([
    ['fehbb', ['4711', ...Array.from({ length: 10 }, (_, last) => `4711${last}`)]],
    ['FEHBB ghbb', ['4711']],
    ['MR31415', ['31415']],
    ['Ghbb 2001-05-04', ['8711', '22711', '36711', '50711', '64711', '78711', '92711']],
    ['no-such-name', []],
    ['MR1,MR2', []],
    ['  ', Array.from({ length: 50 }, (_, number) => String(number))],
  ])('for %j is run by the FHIR server', async (searchTerm, expected) => {
    const { ids } = await patients(await atChoice(), { searchTerm });
    expect(ids.slice(0, expected.length + 1)).toEqual(expected);
  });

  it('can be repeated concurrently, and each result can be chosen', async () => {
    const choice = await atChoice();
    await Promise.all(
      ['MR1', 'MR22222', 'MR33333', 'MR44444', 'MR55555'].map((searchTerm) => patients(choice, { searchTerm })),
    );
    expect((await choice.choose(['Patient/p22222'])).status).toBe(200);
  });

  it('O-01 refuses a page of another user and a made-up address', async () => {
    const [choice, other] = [await atChoice(), await atChoice()];
    const { next } = await patients(other);
    for (const page of [next ?? '', '/Patient?_count=5', 'AAAA']) {
      expect((await choice.request({ kind: 'Patient', page })).status).toBe(400);
    }
  });

  it('is not needed by an EHR, which can launch with any patient where there is no panel', async () => {
    expect(await opened({ patient: 'p4711' })).toEqual({ patient: 'p4711' });
  });

  it.each<Record<string, string>>([
    { kind: 'Spaceship' },
    { kind: 'Encounter' },
    { searchTerm: 'x' },
    { page: 'x' },
    { kind: 'Patient', searchTerm: 'x'.repeat(201) },
    { kind: 'Patient', searchTerm: 'a\u0000' },
  ])('refuses %j', async (query) => {
    expect((await (await atChoice()).request(query)).status).toBe(400);
  });
});

describe('Further pages at another address of the FHIR server', () => {
  usePortalWith('all');
  afterEach(() => {
    largeServer.pagesAt = undefined;
  });

  it.each([
    ['the base that apps see', () => `${portal.issuer}/fhir`],
    ['the base by its path', () => '/r4'],
    ['the address of the server in capitals', () => largeServer.url.replace('http', 'HTTP')],
  ])('are opened at %s', async (_what, base) => {
    largeServer.pagesAt = base();
    const choice = await atChoice();
    const first = await patients(choice);
    const second = await patients(choice, { page: first.next ?? '' });
    expect([first.kind?.isCut, second.ids[0], second.kind?.isCut]).toEqual([false, '50', false]);
  });

  it('are told as missing at the address of another server', async () => {
    largeServer.pagesAt = 'https://fhir.other.example/r4';
    const { next, kind } = await patients(await atChoice());
    expect([next, kind?.isCut, kind?.data.length]).toEqual([null, true, 50]);
  });
});

describe.each([
  ['general-practitioner', ['0', '1000', '2000'], ['0']],
  ['care-team', ['7', '70'], ['7']],
  ['organization', ['0', '1', '2'], ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']],
])('With the patient panel %s, a practitioner', (panel, first, onFirstPage) => {
  usePortalWith(panel);

  it('is offered their own patients only', async () => {
    const choice = await atChoice();
    expect((await patients(choice)).ids.slice(0, first.length)).toEqual(first);
    expect((await patients(choice, { searchTerm: 'MR71' })).ids).toEqual([]);
    expect((await patients(await atChoice(stranger))).ids).toEqual([]);
  });

  it('is offered no other patient when the server ignores the condition', async () => {
    const choice = await atChoice();
    largeServer.ignoresConditions = true;
    expect((await patients(choice)).ids).toEqual(onFirstPage);
    expect((await choice.choose(['Patient/p49'])).status).toBe(400);
  });

  it('O-06 cannot be launched from an EHR with another patient', async () => {
    const own = `p${first[0]}`;
    expect(await opened({ patient: own })).toEqual({ patient: own });
    const refused = { error: 'invalid_request' };
    expect(await opened({ patient: 'p4711' })).toEqual(refused);
    expect(await opened({ patient: 'unknown' })).toEqual(refused);
    expect(await opened({ encounter: 'e1' })).toEqual(refused);
    largeServer.ignoresConditions = true;
    expect(await opened({ patient: 'p4711' })).toEqual(refused);
  });

  it('of another patient causes an error to the EHR, before the launch', async () => {
    const user = 'Practitioner/practitioner-1';
    const answers = [await announce({ user, patient: `p${first[0]}` }), await announce({ user, patient: 'p4711' })];
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[1]?.text).toContain('patient must be one that this user may choose');
  });
});
