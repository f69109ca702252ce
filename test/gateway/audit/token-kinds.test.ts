import type { AccessDetail } from '../../../src/contract/audit/access-detail.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf, searchset, sendFhir } from '../../support/fhir/scripted-server.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const formats = ['Jwt', 'Reference'] as const;
const appOf = (accessTokenType: string) => ({
  ...publicApp,
  clientId: `app-${accessTokenType}`,
  requireConsent: false,
  accessTokenType,
});
const serviceOf = (accessTokenType: string) => ({
  ...backendService,
  clientId: `service-${accessTokenType}`,
  accessTokenType,
});
/** A user without another session. */
const userOf = (format: string) => ({ ...people.patient, email: `offline-${format.toLowerCase()}@example.org` });

let upstream: Upstream;
let portal: TestPortal;

beforeAll(async () => {
  upstream = await startUpstream((_request, response) =>
    sendFhir(response, searchset(['1', '2'].map((id) => observationOf(id)))),
  );
  portal = await startPortal({
    config: {
      fhir: { baseUrl: upstream.url },
      users: [people.patient, people.practitioner, ...formats.map(userOf)],
      clients: formats.flatMap((format) => [appOf(format), serviceOf(format)]),
    },
  });
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

/** Searches with a token; returns the record of that. */
async function recorded(token: string): Promise<AccessDetail> {
  const answer = await fetch(`${portal.fhirBase}/Observation?code=x`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.status).toBe(200);
  const [row] = await portal.query<{ detail: AccessDetail }>(
    "SELECT detail FROM audit_event WHERE type = 'record.accessed' AND correlation_id = $1",
    [answer.headers.get('x-correlation-id')],
  );
  if (!row) throw new Error('the access is not recorded');
  return row.detail;
}

const launches = async () => (await portal.query<{ id: string }>('SELECT id FROM launch')).map(({ id }) => id);
const observations = { Observation: 1 };

describe.each(formats)('an access with a token of the format %s', (format) => {
  const kinds = [
    ['a user', people.practitioner, 'openid fhirUser user/*.rs', ['1', '2']],
    ['a patient', people.patient, 'openid launch/patient patient/*.rs', ['1']],
  ] as const;

  test.each(kinds)(
    'of %s is recorded with the patients in the answer, and its launch',
    async (_who, person, scope, patients) => {
      const { access_token } = await new SmartApp(portal, { client: appOf(format), scope }).tokens(person);
      const detail = await recorded(access_token);
      expect([detail.patients, detail.seen]).toEqual([patients, patients.map(() => observations)]);
      await until(async () => (await launches()).includes(detail.launch ?? ''));
      expect(detail.unattended).toBeUndefined();
    },
  );

  test('of a service is recorded with the patients in the answer, and without a launch', async () => {
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const headers = basicAuthorization(serviceOf(format).clientId, sharedSecret);
    const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers });
    const detail = await recorded(answer.json<Tokens>().access_token);
    expect(detail).toMatchObject({ patients: ['1', '2'], seen: [observations, observations] });
    expect([detail.launch, detail.unattended]).toEqual([undefined, undefined]);
  });

  test('by offline access is unattended once the user has no session, also after a refresh', async () => {
    const scope = 'openid launch/patient patient/*.rs offline_access';
    const app = new SmartApp(portal, { client: appOf(format), scope });
    const { access_token, refresh_token = '' } = await app.tokens(userOf(format));
    expect((await recorded(access_token)).unattended).toBeUndefined();
    await app.browser.signOut();
    await until(async () => (await recorded(access_token)).unattended === true);
    const renewed = (await app.refresh(refresh_token)).json<Tokens>();
    expect((await recorded(renewed.access_token)).unattended).toBe(true);
  });
});
