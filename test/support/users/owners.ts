import { Agent } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';
import type { TestIdentityProvider } from '../providers/identity-provider.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  type EnabledTwoFactor,
  enableTwoFactor,
  login,
  verifyCode,
} from './authenticator.js';
import { addPasskey, confirmByPasskey, type PasskeyDevice, signInByPasskey } from './passkey-device.js';
import { type Person, people } from './people.js';

/** A kind of account that its user may export and delete. */
export interface OwnerKind {
  kind: string;
  /** Null for a user of the provider. */
  person: Person | null;
  /** At the provider; empty for an account with a password. */
  subject: string;
  email: string;
  fullName: string;
  area: '/user' | '/admin';
  hasTwoFactor: boolean;
  /** The account has a passkey, and its password was removed. */
  hasPasskeyAlone: boolean;
  /** The account has a passkey and a password. */
  hasPasskeyAsWell?: boolean;
}

const local = (kind: string, person: Person, factors: '' | 'two-factor' | 'passkey' | 'all' = ''): OwnerKind => {
  const email = `${factors || 'own'}.${person.email}`;
  const area = person.userType === 'Admin' ? '/admin' : '/user';
  return {
    kind,
    person: { ...person, email },
    subject: '',
    email,
    fullName: person.fullName,
    area,
    hasTwoFactor: factors === 'two-factor' || factors === 'all',
    hasPasskeyAlone: factors === 'passkey',
    hasPasskeyAsWell: factors === 'all',
  };
};
const external = (subject: string, fullName: string, hasTwoFactor: boolean): OwnerKind => ({
  kind: `a user of another provider${hasTwoFactor ? ' with two-factor authentication' : ''}`,
  person: null,
  subject,
  email: `${fullName.toLowerCase().replace(' ', '.')}@hospital.example`,
  fullName,
  area: '/user',
  hasTwoFactor,
  hasPasskeyAlone: false,
});

/** All kinds of accounts, each an account of its own. */
export const ownerKinds: readonly OwnerKind[] = [
  local('a patient', people.patient),
  local('a patient with two-factor authentication', people.patient, 'two-factor'),
  local('a practitioner', people.practitioner),
  local('a practitioner with two-factor authentication', people.practitioner, 'two-factor'),
  local('an administrator', people.admin),
  local('an administrator with two-factor authentication', people.admin, 'two-factor'),
  external('grace', 'Grace Field', false),
  external('otto', 'Otto Stone', true),
  local('a patient with a passkey in place of a password', people.patient, 'passkey'),
  local('an administrator with a passkey in place of a password', people.admin, 'passkey'),
  local('a patient with a passkey and an authenticator app', people.patient, 'all'),
  local('an administrator with a passkey and an authenticator app', people.admin, 'all'),
];

/** For `config.users`. */
export const ownerUsers: Person[] = ownerKinds.flatMap(({ person }) => person ?? []);

/** An account whose user is signed in. */
export interface Owner extends OwnerKind {
  id: string;
  agent: Agent;
  factor: EnabledTwoFactor | undefined;
  passkey: PasskeyDevice | undefined;
}

const accountSettings = (area: string) => `${area}/account-settings`;

/** Signs the user in, with a second factor where the kind has one. */
export async function signInOwner(
  portal: TestPortal,
  provider: TestIdentityProvider,
  kind: OwnerKind,
  agent = new Agent(portal.issuer),
): Promise<Owner> {
  if (kind.person) await login(agent, kind.person);
  else await atProvider(provider, kind, agent, {});
  const { id } = (await agent.get('/api/session')).json<{ id: string }>();
  const factor = kind.hasTwoFactor ? await enrolled(portal, kind, id, agent) : undefined;
  return { ...kind, id, agent, factor, passkey: await passkeyOf(kind, agent) };
}

/** Gives the account its passkey, in place of its password or next to it. */
async function passkeyOf(
  { hasPasskeyAlone, hasPasskeyAsWell }: OwnerKind,
  agent: Agent,
): Promise<PasskeyDevice | undefined> {
  if (!hasPasskeyAlone && !hasPasskeyAsWell) return undefined;
  const { device } = await addPasskey(agent);
  if (!hasPasskeyAlone) return device;
  await confirmByPasskey(agent, device);
  const answer = await agent.send('/api/user/password', { method: 'DELETE' });
  if (answer.status !== 204) throw new Error(`removing the password answered ${answer.status}: ${answer.text}`);
  return device;
}

/** Signs in at the provider again, which asks who the user is. */
export async function confirmAtProvider(
  provider: TestIdentityProvider,
  owner: OwnerKind & { agent: Agent },
): Promise<void> {
  await atProvider(provider, owner, owner.agent, { confirm: 'true' });
}

/** The proofs that the user enters to delete the account; a passkey is proven at once. */
export async function proofOf(
  portal: TestPortal,
  { person, factor, passkey, agent }: Owner,
): Promise<Record<string, string>> {
  await ageAcceptedCodes(portal);
  if (passkey) await confirmByPasskey(agent, passkey);
  return {
    ...(person && !passkey && { currentPassword: person.password }),
    ...(factor && !passkey && { verificationCode: authenticatorCode(factor.key) }),
  };
}

/**
 * Signs in from the start, in another browser; returns the page on which the account can be kept, if no session began.
 */
export async function signInAgain(
  portal: TestPortal,
  provider: TestIdentityProvider,
  owner: Owner,
): Promise<{ agent: Agent; keepPage: string | undefined }> {
  const agent = new Agent(portal.issuer);
  if (!owner.person) {
    const location = await atProvider(provider, owner, agent, {});
    const { pathname, search } = new URL(location);
    return { agent, keepPage: pathname === '/account/keep' ? pathname + search : undefined };
  }
  await ageAcceptedCodes(portal);
  const first = owner.passkey ? await signInByPasskey(agent, owner.passkey) : await login(agent, owner.person);
  const last = owner.factor && !owner.passkey ? await verifyCode(agent, authenticatorCode(owner.factor.key)) : first;
  return { agent, keepPage: last.status === 204 ? undefined : last.json<{ keepPage?: string }>().keepPage };
}

async function atProvider(
  provider: TestIdentityProvider,
  { subject, area }: OwnerKind,
  agent: Agent,
  more: Record<string, string>,
): Promise<string> {
  const query = new URLSearchParams({ scheme: 'hospital', returnUrl: accountSettings(area), ...more });
  const { location = '' } = await agent.get(`/connect/authorize/external?${query}`);
  const callback = await provider.signIn(location, subject);
  return (await agent.get(callback)).location ?? '';
}

/**
 * A user of another provider gets a second factor here only for a client that requires one; this is the shorter way.
 */
async function enrolled(
  portal: TestPortal,
  { person }: OwnerKind,
  id: string,
  agent: Agent,
): Promise<EnabledTwoFactor> {
  if (person) return enableTwoFactor(agent);
  await alterAccounts(portal, `UPDATE account SET is_external = false WHERE id = '${id}'`);
  const factor = await enableTwoFactor(agent);
  await alterAccounts(portal, `UPDATE account SET is_external = true WHERE id = '${id}'`);
  return factor;
}
