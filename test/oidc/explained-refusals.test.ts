/** The client's switch 'Explain refusals to the app' (`explainRefusals`). */

import { ActivityLog } from '../../src/activity/application/activity-log.js';
import { type CauseCode, catalogue } from '../../src/contract/activity/catalogue.js';
import { type Detail, describeEntry } from '../../src/contract/activity/cause.js';
import { parseReference } from '../../src/contract/activity/reference.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { clientKinds } from '../support/clients/client-kinds.js';
import { backendService, publicApp, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

let portal: TestPortal;
let agent: Agent;
const explaining = { explainRefusals: true };
const apps = clientKinds.flatMap((kind) => [kind.client('explained', explaining), kind.client('quiet')]);
const service = { ...backendService, clientId: 'explained-service', ...explaining };
const consentingApp = { ...publicApp, clientId: 'consenting', requireConsent: true, ...explaining };

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [...apps, service, consentingApp] } });
  agent = new Agent(portal.issuer);
});
afterAll(() => portal.close());

const referenceOf = ({ headers }: Answer) => String(headers['x-launch-reference']);

/** The sentence for the app's developer that the record of the launch has, and what the answer has to say then. */
async function recorded(reference: string): Promise<string> {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  const [row] = await portal.query<{ cause: string; entries: Record<string, { detail?: Detail }> }>(
    "SELECT cause, entries FROM launch WHERE id LIKE $1 || '%'",
    [parseReference(reference)],
  );
  const { cause = '', entries = {} } = row ?? {};
  const { developer = '' } = describeEntry(catalogue[cause.split('\n')[0] as CauseCode], entries[cause]?.detail);
  expect(developer).not.toBe('');
  return `${developer.replaceAll('"', "'").replace(/\.*$/, '.')} Reference: ${reference}`;
}

const description = (answer: Answer) => answer.json<{ error_description: string }>().error_description;
const redirected = ({ location = '' }: Answer) => new URL(location).searchParams.get('error_description');
const posted = ({ text }: Answer) =>
  /name="error_description" value="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#39;', "'").replaceAll('&#38;', '&');

const elsewhere = { aud: 'https://elsewhere.test' };

describe.each(clientKinds)('A client whose refusals are explained ($name)', (kind) => {
  const explained = kind.client('explained', explaining);
  const quiet = kind.client('quiet');
  const refused = {
    'token request': ({ clientId }: { clientId: string }) =>
      kind.post(
        agent,
        '/connect/token',
        { clientId },
        { grant_type: 'authorization_code', code: 'none', redirect_uri: 'x:/' },
      ),
    'pushed request': ({ clientId }: { clientId: string }) =>
      kind.post(
        agent,
        '/connect/par',
        { clientId },
        { client_id: clientId, response_type: 'token', redirect_uri: publicApp.redirectUris[0] ?? '' },
      ),
  };
  const asked = (client: { clientId: string }, parameters: Record<string, string>) =>
    new SmartApp(portal, { client, parameters }).authorize();

  it.each(Object.entries(refused))('is told the cause in the answer to its %s', async (_, send) => {
    const answer = await send(explained);
    expect(answer.status).toBe(400);
    expect(description(answer)).toBe(await recorded(referenceOf(answer)));
    const plain = await send(quiet);
    expect(description(plain)).not.toBe(await recorded(referenceOf(plain)));
    expect(description(plain)).toMatch(/\. Reference: \S+$/);
  });

  it('is told the cause in the redirect of an authorization request', async () => {
    const answer = await asked(explained, elsewhere);
    expect(redirected(answer)).toBe(await recorded(referenceOf(answer)));
    const plain = await asked(quiet, elsewhere);
    expect(redirected(plain)).not.toBe(await recorded(referenceOf(plain)));
  });

  it('is told the cause in a form post', async () => {
    const answer = await asked(explained, { ...elsewhere, response_mode: 'form_post' });
    expect(posted(answer)).toBe(await recorded(referenceOf(answer)));
    const plain = await asked(quiet, { ...elsewhere, response_mode: 'form_post' });
    expect(posted(plain)).not.toBe(await recorded(referenceOf(plain)));
  });
});

it('A service is told the cause of a refusal, and which scopes were dropped', async () => {
  const headers = { authorization: `Basic ${btoa(`${service.clientId}:${sharedSecret}`)}` };
  const form = { grant_type: 'client_credentials', scope: 'nothing' };
  const answer = await agent.postForm('/connect/token', form, { headers });
  expect(answer.status).toBe(400);
  const cause = await recorded(referenceOf(answer));
  expect(description(answer)).toBe(cause.replace(' Reference:', ' Not granted: nothing. Reference:'));
});

it('A client is told which scopes of its authorization request were dropped', async () => {
  const asked = (clientId: string) =>
    new SmartApp(portal, { client: { clientId }, scope: 'nonsense other' }).authorize();
  expect(redirected(await asked(consentingApp.clientId))).toMatch(/\. Not granted: nonsense, other\. Reference: \S+$/);
  const quiet = redirected(await asked('quiet-public'));
  expect(quiet).toMatch(/\. Reference: \S+$/);
  expect(quiet).not.toContain('Not granted');
});

it('A client is told about a declined request that it was accepted itself', async () => {
  const app = new SmartApp(portal, { client: consentingApp });
  const at = await app.complete(people.patient, []);
  expect(at.searchParams.get('error')).toBe('access_denied');
  expect(at.searchParams.get('error_description')).toMatch(
    /^The user declined your request\. Your request itself was accepted\. Reference: \S+$/,
  );
});

it('An explanation has only the characters that a description may have, whatever the request contains', async () => {
  const answer = await new SmartApp(portal, {
    client: { clientId: apps[0]?.clientId ?? '' },
    parameters: { aud: 'https://ü"\\\u202e.test/"\\…', scope: 'openid pätient/"\\*.rs' },
  }).authorize();
  expect(redirected(answer)).toMatch(/^[ !#-[\]-~]+$/);
});

it('A limit keeps its own sentence', async () => {
  const headers = { authorization: `Basic ${btoa(`${service.clientId}:wrong`)}` };
  let answer: Answer;
  do answer = await agent.postForm('/connect/token', { grant_type: 'client_credentials' }, { headers });
  while (answer.status === 401);
  expect(answer.status).toBe(429);
  expect(description(answer)).toMatch(/^too many wrong secrets, please wait\. Reference: \S+$/);
});
