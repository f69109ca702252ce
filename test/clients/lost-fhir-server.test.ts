import type { IncomingMessage, ServerResponse } from 'node:http';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/client';
const secret = { secretType: 'SharedSecret', secret: 'correct horse', description: 'Production' };
const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [{ type: 'Patient' }, { type: 'Observation' }] }],
};
const forms = {
  StandaloneApp: {
    clientName: 'Heart Companion',
    redirectUris: ['https://app.example/callback'],
    clientSecrets: [secret],
  },
  BackendService: { clientName: 'Relay', clientSecrets: [secret] },
};

let behave: (request: IncomingMessage, response: ServerResponse) => void;
let upstream: Upstream;
let portal: AdminPortal;

const answerWell: typeof behave = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/fhir+json' }).end(JSON.stringify(statement));
};
const isAvailable = async () => {
  // The next check is due at once, instead of after seconds.
  await portal.query('UPDATE fhir_server_status SET next_check_at = now()');
  return (await portal.api.get('/api/admin/dashboard/firely-server-status').expect(200)).body.isFirelyServerAvailable;
};

beforeAll(async () => {
  behave = answerWell;
  upstream = await startUpstream((request, response) => behave(request, response));
  portal = await startAdminPortal({ fhirServer: false, config: { fhir: { baseUrl: upstream.url } } });
  await until(isAvailable);
  behave = (_request, response) => response.destroy();
  await until(async () => !(await isAvailable()));
});
afterAll(async () => {
  await portal.close();
  upstream.close();
});

it.each(Object.entries(forms))(
  'While the FHIR server is lost, a client is registered, changed and deleted by what is known of it (%s)',
  async (clientType, form) => {
    const asked = { ...form, clientType, clientId: `lost-${clientType.toLowerCase()}` };
    const { body: made } = await portal.api.post(path).send(asked).expect(201);
    const { body: whole } = await portal.api.get(`${path}/${made.id}`).expect(200);
    const { body: changed } = await portal.api
      .put(`${path}/${made.id}`)
      .send({ ...whole, clientName: 'Renamed' })
      .expect(200);
    expect(changed).toMatchObject({ clientName: 'Renamed', version: 2 });
    await portal.api.delete(`${path}/${made.id}`).expect((response) => expect(response.status).toBeLessThan(300));
  },
);

it('A day after its last CapabilityStatement nothing is validated against it, until it has been read again', async () => {
  const asked = { ...forms.StandaloneApp, clientType: 'StandaloneApp', clientId: 'later' };
  await portal.query(
    `UPDATE fhir_server_status SET loaded_at = now(),
       capabilities = jsonb_set(capabilities, '{readAt}', to_jsonb(to_char(now() - interval '25 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))`,
  );
  await until(async () => (await portal.api.post(path).send({ ...asked, clientName: '' })).status === 503);
  const { body } = await portal.api.post(path).send(asked).expect(503);
  expect(body.codes).toEqual([{ code: 'fhir-server-lost' }]);
  behave = answerWell;
  await until(isAvailable);
  await portal.api.post(path).send(asked).expect(201);
});
