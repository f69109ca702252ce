import { Agent } from '../support/http/agent.js';
import { BusyNode } from '../support/portal/busy-node.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInByPassword } from '../support/users/authenticator.js';
import { addPasskey, passkeyOptions } from '../support/users/passkey-device.js';
import { challengeOver } from '../support/users/passkey-forgeries.js';
import { people } from '../support/users/people.js';

const path = '/api/passkeys/sign-in';
const optionsPath = `${path}/options`;

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({ nodes: 2, config: { users: [people.patient] } });
});
afterAll(() => portal.close());

it('An answer of a passkey that a slow node checks late, after a later answer was accepted, is no sign of a copy', async () => {
  const { device } = await addPasskey(await signInByPassword(portal, people.patient), { counts: true });
  const [slow, quick] = portal.ports.map((port) => new Agent(portal.issuer, port)) as [Agent, Agent];
  const earlier = device.answer(await passkeyOptions(slow, optionsPath));
  const later = device.answer(await passkeyOptions(quick, optionsPath));
  const busy = new BusyNode(portal);
  const late = await busy.during(async () => {
    const answering = slow.post(path, { response: earlier });
    await busy.isWaitedFor();
    expect((await quick.post(path, { response: later })).status).toBe(200);
    return { answering };
  });
  const answer = await late.answering;
  expect([answer.status, answer.json<{ message: string }>().message]).toEqual([400, challengeOver]);
  expect((await quick.get('/api/passkeys')).json()).toMatchObject({ passkeys: [{ maybeCloned: false }] });
  expect(await portal.query("SELECT FROM audit_event WHERE detail ->> 'reason' = 'passkey-cloned'")).toEqual([]);
});
