import speakeasy from 'speakeasy';
import { usersChanged } from '../../../src/users/domain/user.js';
import { Agent, type Answer } from '../http/agent.js';
import { type TestPortal, tellNodes } from '../portal/portal.js';
import type { Credentials } from './people.js';

export interface EnabledTwoFactor {
  /** Base 32. */
  key: string;
  recoveryCodes: string[];
}

/** The code that an authenticator app shows now, or `stepsAhead` times 30 seconds later. */
export function authenticatorCode(key: string, stepsAhead = 0): string {
  const time = Date.now() / 1000 + stepsAhead * 30;
  return speakeasy.totp({ secret: key, encoding: 'base32', time });
}

/** Six digits that differ from all codes near the current time. */
export function wrongAuthenticatorCode(key: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((step) => authenticatorCode(key, step)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '666666';
}

export function login(agent: Agent, person: Credentials, more: object = {}): Promise<Answer> {
  return agent.post('/api/session/login', { username: person.email, password: person.password, ...more });
}

/** Signs in a user who has no second factor. */
export async function signInByPassword(portal: TestPortal, person: Credentials): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  expect((await login(agent, person)).json()).toEqual({ is2faEnabled: false });
  return agent;
}

/** A sign-in that waits for its second factor, at a node of the portal. */
export async function beginTwoFactorSignIn(portal: TestPortal, person: Credentials, node = 0): Promise<Agent> {
  const agent = new Agent(portal.issuer, portal.ports[node]);
  expect((await login(agent, person)).json()).toMatchObject({ is2faEnabled: true });
  return agent;
}

export function verifyCode(agent: Agent, verificationCode: string, more: object = {}): Promise<Answer> {
  return agent.post('/api/twofactor/verify', { verificationCode, ...more });
}

/** Turns on two-factor for the signed-in user. */
export async function enableTwoFactor(agent: Agent): Promise<EnabledTwoFactor> {
  const { sharedKey } = (await agent.get('/api/twofactor/enable')).json<{ sharedKey: string }>();
  const answer = await agent.post('/api/twofactor/enable', { verificationCode: authenticatorCode(sharedKey) });
  if (answer.status !== 200) throw new Error(`enabling answered ${answer.status}: ${answer.text}`);
  return { key: sharedKey, recoveryCodes: answer.json<{ recoveryCodes: string[] }>().recoveryCodes };
}

/** Changes the accounts as if minutes had passed since the last accepted code, so that the current code is new. */
export async function ageAcceptedCodes(portal: TestPortal): Promise<void> {
  await portal.query('UPDATE two_factor SET last_step = last_step - 10');
}

/** Changes accounts in the database by SQL, and notifies the nodes. */
export async function alterAccounts(portal: TestPortal, change: string): Promise<void> {
  await portal.query(change);
  await tellNodes(portal, usersChanged);
}

/** Signs in with password and code; an earlier use of the current code does not prevent it. */
export async function signInWithCode(
  portal: TestPortal,
  person: Credentials,
  { key }: Pick<EnabledTwoFactor, 'key'>,
): Promise<Agent> {
  await ageAcceptedCodes(portal);
  const agent = new Agent(portal.issuer);
  await login(agent, person);
  const answer = await verifyCode(agent, authenticatorCode(key));
  if (answer.status !== 204) throw new Error(`verifying answered ${answer.status}: ${answer.text}`);
  return agent;
}
