import { basicAuthorization, SmartApp } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const app = { ...publicApp, requireConsent: false, accessTokenType: 'Reference' };

let portal: TestPortal;
/** The answer of each part of the portal while a table is missing. */
const answers: Record<string, Answer> = {};

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.admin, people.patient], clients: [app, backendService] } });
  const smart = new SmartApp(portal, { client: app });
  const { access_token: accessToken, refresh_token: refreshToken = '' } = await smart.tokens(people.patient);
  const admin = new Agent(portal.issuer);
  const credentials = { username: people.admin.email, password: people.admin.password };
  await admin.post('/api/session/login', credentials);
  await portal.query('ALTER TABLE oidc_record RENAME TO oidc_record_away');
  const anyone = () => new Agent(portal.issuer);
  const service = { headers: basicAuthorization(backendService.clientId, sharedSecret) };
  const bearer = { headers: { authorization: `Bearer ${accessToken}` } };
  answers.code = await smart.exchange('some-code');
  answers.refresh = await smart.refresh(refreshToken);
  answers.namelessRefresh = await anyone().postForm('/connect/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
  });
  answers.introspection = await anyone().postForm('/connect/introspect', { token: 'some-token' }, service);
  answers.revocation = await anyone().postForm('/connect/revocation', { token: 'some-token' }, service);
  answers.userinfo = await anyone().get('/connect/userinfo', bearer);
  answers.authorization = await anyone().get(`/connect/authorize?${smart.query()}`, {
    headers: { accept: 'text/html' },
  });
  answers.gateway = await anyone().get('/fhir/Patient/1', bearer);
  answers.session = await admin.get('/api/session');
  answers.administration = await admin.get('/api/admin/dashboard');
  answers.signIn = await anyone().post('/api/session/login', credentials);
  answers.signOut = await admin.signOut();
});

afterAll(() => portal.close());

const sentence = ({ headers }: Answer) =>
  `Something went wrong. Please give this number to your administrator: ${headers['x-correlation-id']}`;

describe('N-07 An internal error', () => {
  it.each(['code', 'refresh', 'namelessRefresh', 'introspection', 'revocation', 'userinfo'])(
    'returns only the request id to an app (%s)',
    (name) => {
      const answer = answers[name] as Answer;
      expect([answer.status, answer.json()]).toEqual([
        500,
        {
          error: 'server_error',
          error_description: sentence(answer),
          error_uri: `${portal.issuer}/help/errors/server_error`,
        },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  it.each(['session', 'administration', 'signIn', 'signOut'])(
    'returns only the request id to the pages (%s)',
    (name) => {
      const answer = answers[name] as Answer;
      expect([answer.status, answer.json()]).toEqual([
        500,
        {
          errors: [{ messages: [sentence(answer)] }],
          title: 'Internal Server Error',
          statusMessage: 'Internal Server Error',
          message: sentence(answer),
          codes: [{ code: 'failure', params: { id: answer.headers['x-correlation-id'] } }],
        },
      ]);
    },
  );

  it('returns only the request id to an app at the FHIR base', () => {
    const answer = answers.gateway as Answer;
    expect([answer.status, answer.json()]).toEqual([
      500,
      {
        resourceType: 'OperationOutcome',
        issue: [{ severity: 'error', code: 'exception', diagnostics: sentence(answer) }],
      },
    ]);
  });

  it('shows the error page without details to a user of an app', () => {
    const answer = answers.authorization as Answer;
    expect([answer.status, answer.location]).toEqual([500, undefined]);
    expect(answer.text).toContain('<meta name="gatehouse-error" content="500">');
    expect(answer.text).not.toMatch(/oidc_record|relation|42P01|\.[jt]s:\d/);
  });

  it('has a different request id each time', () => {
    const numbers = Object.values(answers).map(({ headers }) => headers['x-correlation-id']);
    expect(new Set(numbers).size).toBe(Object.keys(answers).length);
  });
});
