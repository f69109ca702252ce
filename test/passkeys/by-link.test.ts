import { Agent, type Answer } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { linkNoLongerValid, newPassword, password, useAccountLinks } from '../support/users/account-links.js';
import { login } from '../support/users/authenticator.js';
import {
  addPasskey,
  type Forgery,
  PasskeyDevice,
  passkeyOptions,
  signInByPasskey,
} from '../support/users/passkey-device.js';
import { forgedRegistrations, malformedRegistrations } from '../support/users/passkey-forgeries.js';

const links = useAccountLinks();
afterEach(() => links.portal.query('TRUNCATE passkey_challenge'));

type Purpose = 'activation' | 'password-reset';
interface Link {
  id: string;
  email: string;
  token: string;
  purpose: Purpose;
}

const nodeOf = (number = 0) => new Agent(links.portal.issuer, links.portal.ports[number]);
const atNode = (one: Agent, node: number) => {
  const other = nodeOf(node);
  for (const [name, value] of one.cookies) other.cookies.set(name, value);
  return other;
};
const invited = async (): Promise<Link> => ({ ...(await links.createInvitedUser()), purpose: 'activation' });
const forgotten = async (): Promise<Link> => {
  const { id, email } = await links.createActiveUser();
  return { id, email, token: await links.requestResetToken(email), purpose: 'password-reset' };
};
const both: [string, () => Promise<Link>][] = [
  ['an invitation', invited],
  ['a forgotten password', forgotten],
];
const begin = (agent: Agent, { id, token, purpose }: Link) =>
  agent.post(`/api/user/${id}/passkey/options`, { purpose, token });
const send = (agent: Agent, { id, token, purpose }: Link, response: unknown, more: object = {}) =>
  agent.post(`/api/user/${id}/passkey`, { purpose, token, response, ...more });
const made = async (agent: Agent, link: Link, device = new PasskeyDevice(agent.issuer), forged: Forgery = {}) => {
  const { id, token, purpose } = link;
  const options = await passkeyOptions(agent, `/api/user/${id}/passkey/options`, { purpose, token });
  return { device, response: device.register(options, forged) };
};
const countOf = async ({ id }: Link) =>
  (await links.portal.query('SELECT FROM passkey WHERE account_id = $1', [id])).length;
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).sort();
const signIns = async ({ email }: Link, word: string) => (await links.signIn(email, word)).status;

describe.each(both)('A link for %s', (_name, createLink) => {
  it('takes no passkey whose name cannot be stored', async () => {
    const link = await createLink();
    const { response } = await made(nodeOf(), link);
    const refused = await send(nodeOf(), link, response, { name: 'NUL \0' });
    expect([refused.status, errorsOf(refused)[0]?.field]).toEqual([400, 'name']);
    expect(await countOf(link)).toBe(0);
  });

  it('takes a passkey in place of a password: it signs in, and no password does', async () => {
    const link = await createLink();
    const agent = nodeOf();
    const { device, response } = await made(agent, link);
    expect((await send(agent, link, response, { name: 'My phone' })).status).toBe(204);
    expect((await agent.get('/api/session')).status).toBe(401);
    const signedIn = nodeOf(1);
    expect((await signInByPasskey(signedIn, device)).status).toBe(200);
    expect((await signedIn.get('/api/passkeys')).json()).toMatchObject({
      passkeys: [{ name: 'My phone' }],
      hasPassword: false,
    });
    expect(await signIns(link, password)).toBe(401);
    const again = await send(agent, link, response);
    expect([again.status, errorsOf(again)[0]?.messages]).toEqual([400, [linkNoLongerValid]]);
  });

  it('asks for the name and the address of the account, and stores nothing for the question', async () => {
    const link = await createLink();
    const { publicKey } = (await begin(nodeOf(), link)).json<{ publicKey: object }>();
    expect(publicKey).toMatchObject({
      user: { name: link.email, displayName: 'Ida Field' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(await links.portal.query('SELECT FROM passkey_challenge')).toEqual([]);
  });

  describe('with a wrong passkey', () => {
    let link: Link;
    beforeAll(async () => {
      link = await createLink();
    });

    it.each(forgedRegistrations)('refuses %s', async (_what, forged, reason) => {
      const agent = nodeOf();
      const { response } = await made(agent, link, new PasskeyDevice(agent.issuer), forged);
      const answer = await send(agent, link, response);
      expect([answer.status, errorsOf(answer)]).toEqual([400, [{ field: 'response', messages: [reason] }]]);
      expect(await countOf(link)).toBe(0);
    });

    it.each(malformedRegistrations)('refuses an answer that is %s', async (_what, response) => {
      expect((await send(nodeOf(), link, response)).status).toBe(400);
      expect(await countOf(link)).toBe(0);
    });

    it('stays valid for a right one', async () => {
      const agent = nodeOf();
      expect((await send(agent, link, (await made(agent, link)).response)).status).toBe(204);
    });
  });

  it('is good for one of two tabs, browsers and nodes that finish at once', async () => {
    const link = await createLink();
    const [one, other] = [nodeOf(0), nodeOf(1)];
    const first = await made(one, link);
    const second = await made(one, link);
    const third = await made(other, link);
    const answers = await Promise.all([
      send(one, link, first.response),
      send(atNode(one, 1), link, second.response),
      send(other, link, third.response),
      send(atNode(one, 1), link, first.response),
    ]);
    expect(statusesOf(answers)).toEqual([204, 400, 400, 400]);
    expect(await countOf(link)).toBe(1);
  });

  it('is good for a passkey or for a password, of two tabs that finish at once', async () => {
    const link = await createLink();
    const agent = nodeOf();
    const { response, device } = await made(agent, link);
    const answers = await Promise.all([
      send(agent, link, response),
      link.purpose === 'activation'
        ? links.activate(link.id, link.token, newPassword, 1)
        : links.reset(link.id, link.token, newPassword),
    ]);
    expect(statusesOf(answers)).toEqual([204, 400]);
    const byPasskey = (await signInByPasskey(nodeOf(), device)).status;
    expect([byPasskey, await signIns(link, newPassword)]).toEqual(answers[0]?.status === 204 ? [200, 401] : [400, 200]);
  });

  it('takes no ceremony of another browser, of another link, or of the account settings', async () => {
    const [link, other] = [await createLink(), await createLink()];
    const agent = nodeOf();
    const elsewhere = await made(nodeOf(), link);
    const ofOther = await made(agent, other);
    expect((await send(agent, link, elsewhere.response)).status).toBe(400);
    expect((await send(agent, link, ofOther.response)).status).toBe(400);
    expect((await send(agent, { ...other, token: link.token }, ofOther.response)).status).toBe(400);
    const { response } = await made(agent, link);
    expect((await send(agent, { ...link, id: other.id }, response)).status).toBe(400);
    expect(
      (
        await send(
          agent,
          { ...link, purpose: link.purpose === 'activation' ? 'password-reset' : 'activation' },
          response,
        )
      ).status,
    ).toBe(400);
    expect([await countOf(link), await countOf(other)]).toEqual([0, 0]);
  });

  it('gives no ceremony that adds a passkey in the settings of a session', async () => {
    const link = await createLink();
    const agent = await signedInElsewhere();
    const { response } = await made(agent, link);
    expect((await agent.post('/api/passkeys', { response })).status).toBe(400);
  });

  it('takes no credential that another account has, and stays valid', async () => {
    const link = await createLink();
    const agent = nodeOf();
    const { device } = await addPasskey(await signedInElsewhere());
    const { response } = await made(agent, link, device);
    expect((await send(agent, link, response)).status).toBe(409);
    expect((await send(agent, link, (await made(agent, link)).response)).status).toBe(204);
  });

  it('signs the user out who is signed in in the same browser, and adds nothing to their account', async () => {
    const link = await createLink();
    const agent = await signedInElsewhere();
    expect((await send(agent, link, (await made(agent, link)).response)).status).toBe(204);
    expect((await agent.get('/api/session')).status).toBe(401);
    expect(await countOf(link)).toBe(1);
  });

  it('is refused to calls of other pages, and with a wrong token like with that of an unknown account', async () => {
    const link = await createLink();
    const foreign = await nodeOf().post(
      `/api/user/${link.id}/passkey`,
      { purpose: link.purpose, token: link.token, response: {} },
      { headers: { origin: 'https://evil.example' } },
    );
    expect(foreign.status).toBe(403);
    const wrong = await begin(nodeOf(), { ...link, token: 'wrong' });
    const unknown = await begin(nodeOf(), { ...link, id: '00000000-0000-4000-8000-000000000000' });
    expect([wrong.status, wrong.text]).toEqual([400, unknown.text]);
    expect(errorsOf(wrong)[0]?.messages).toEqual([linkNoLongerValid]);
  });
});

let others = 0;
/** A browser in which another user, with a password, is signed in. */
async function signedInElsewhere(): Promise<Agent> {
  others += 1;
  const { email } = await links.createActiveUser();
  const agent = nodeOf(others % 2);
  expect((await login(agent, { email, password })).status).toBe(200);
  return agent;
}

describe('A link for a forgotten password of an account with a passkey', () => {
  const createOwner = async () => {
    const { id, email } = await links.createActiveUser();
    const agent = nodeOf();
    await login(agent, { email, password });
    const { device } = await addPasskey(agent);
    const codes = (await agent.post('/api/passkeys/recovery/codes', {})).json<{ recoveryCodes: string[] }>();
    await links.untilAllMailsAreSent();
    const token = await links.requestResetToken(email);
    return {
      link: { id, email, token, purpose: 'password-reset' as const },
      agent,
      device,
      codes: codes.recoveryCodes,
    };
  };

  it('takes another passkey only with a proof next to it; all sessions end, and the password too', async () => {
    const { link, agent: owner, device, codes } = await createOwner();
    const agent = nodeOf();
    const refused = await send(agent, link, (await made(agent, link)).response);
    expect([refused.status, errorsOf(refused)[0]?.field]).toEqual([400, 'recoveryCode']);
    expect((await send(agent, link, (await made(agent, link)).response, { recoveryCode: 'wrong' })).status).toBe(400);
    expect(await countOf(link)).toBe(1);
    const { device: another, response } = await made(agent, link);
    expect((await send(agent, link, response, { recoveryCode: codes[0] })).status).toBe(204);
    expect((await owner.get('/api/session')).status).toBe(401);
    expect(await signIns(link, password)).toBe(401);
    for (const one of [device, another]) expect((await signInByPasskey(nodeOf(), one)).status).toBe(200);
  });

  it('takes another passkey with the one of the account', async () => {
    const { link, device } = await createOwner();
    const agent = nodeOf();
    const proof = device.answer(
      await passkeyOptions(agent, `/api/user/forgot-password/${link.id}/passkey`, { token: link.token }),
    );
    const { response } = await made(agent, link);
    expect((await send(agent, link, response, { passkey: proof })).status).toBe(204);
    expect(await countOf(link)).toBe(2);
  });

  it('keeps link, code and password when the passkey is refused at the last moment', async () => {
    const { link, codes } = await createOwner();
    const agent = nodeOf();
    const taken = (await addPasskey(await signedInElsewhere())).device;
    const { response } = await made(agent, link, taken);
    expect((await send(agent, link, response, { recoveryCode: codes[0] })).status).toBe(409);
    expect(await signIns(link, password)).toBe(200);
    const body = { password: newPassword, token: link.token, recoveryCode: codes[0] };
    const reset = await agent.send(`/api/user/forgot-password/${link.id}/reset`, { method: 'PUT', body });
    expect(reset.status).toBe(204);
  });
});
