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
}

const local = (kind: string, person: Person, hasTwoFactor: boolean): OwnerKind => {
  const email = hasTwoFactor ? `two.${person.email}` : `own.${person.email}`;
  const area = person.userType === 'Admin' ? '/admin' : '/user';
  return { kind, person: { ...person, email }, subject: '', email, fullName: person.fullName, area, hasTwoFactor };
};
const external = (subject: string, fullName: string, hasTwoFactor: boolean): OwnerKind => ({
  kind: `a user of another provider${hasTwoFactor ? ' with two-factor authentication' : ''}`,
  person: null,
  subject,
  email: `${fullName.toLowerCase().replace(' ', '.')}@hospital.example`,
  fullName,
  area: '/user',
  hasTwoFactor,
});

/** All kinds of accounts, each an account of its own. */
export const ownerKinds: readonly OwnerKind[] = [
  local('a patient', people.patient, false),
  local('a patient with two-factor authentication', people.patient, true),
  local('a practitioner', people.practitioner, false),
  local('a practitioner with two-factor authentication', people.practitioner, true),
  local('an administrator', people.admin, false),
  local('an administrator with two-factor authentication', people.admin, true),
  external('grace', 'Grace Field', false),
  external('otto', 'Otto Stone', true),
];

/** For `config.users`. */
export const ownerUsers: Person[] = ownerKinds.flatMap(({ person }) => person ?? []);

/** An account whose user is signed in. */
export interface Owner extends OwnerKind {
  id: string;
  agent: Agent;
  factor: EnabledTwoFactor | undefined;
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
  return { ...kind, id, agent, factor: kind.hasTwoFactor ? await enrolled(portal, kind, id, agent) : undefined };
}

/** Signs in at the provider again, which asks who the user is. */
export async function confirmAtProvider(
  provider: TestIdentityProvider,
  owner: OwnerKind & { agent: Agent },
): Promise<void> {
  await atProvider(provider, owner, owner.agent, { confirm: 'true' });
}

/** The proofs that the user enters to delete the account. */
export async function proofOf(portal: TestPortal, { person, factor }: Owner): Promise<Record<string, string>> {
  await ageAcceptedCodes(portal);
  return {
    ...(person && { currentPassword: person.password }),
    ...(factor && { verificationCode: authenticatorCode(factor.key) }),
  };
}

/** Signs in from the start, in another browser; returns the page on which the account can be kept, if no session began. */
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
  const first = await login(agent, owner.person);
  const last = owner.factor ? await verifyCode(agent, authenticatorCode(owner.factor.key)) : first;
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

/** A user of another provider gets a second factor here only for a client that requires one; this is the shorter way. */
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
