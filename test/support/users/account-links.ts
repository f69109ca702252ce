import type { UserView } from '../../../src/contract/users/users.js';
import { publicApp } from '../clients/clients.js';
import { Agent, type Answer } from '../http/agent.js';
import { linkInMail, type MailSink, newLink, startMailSink } from '../mail-sink.js';
import { startPortal, type TestPortal } from '../portal/portal.js';
import { until } from '../until.js';
import { people } from './people.js';

export const password = 'copper-meadow-8841';
export const newPassword = 'willow-harbour-3075';
export const linkNoLongerValid = 'This link is no longer valid. Please ask for a new one.';

/** A portal of two nodes that sends activation and password reset links, with a signed-in administrator. */
class AccountLinks {
  sink!: MailSink;
  portal!: TestPortal;
  admin!: Agent;
  /** The number of accounts. */
  count = 0;

  async start(account: object = {}): Promise<void> {
    this.sink = await startMailSink();
    this.portal = await startPortal({
      nodes: 2,
      config: { account, email: this.sink.config, clients: [publicApp], users: [people.admin, people.patient] },
    });
    this.admin = new Agent(this.portal.issuer);
    const { email: username, password: word } = people.admin;
    expect((await this.admin.post('/api/session/login', { username, password: word })).status).toBe(200);
  }

  async stop(): Promise<void> {
    await this.portal.close();
    await this.sink.stop();
  }

  signIn(email: string, word: string): Promise<Answer> {
    return new Agent(this.portal.issuer).post('/api/session/login', { username: email, password: word });
  }

  /** A new patient, and the token of the mailed link. */
  async createInvitedUser(): Promise<{ id: string; email: string; token: string }> {
    this.count += 1;
    const email = `invited-${this.count}@example.org`;
    const claims = [{ name: 'fhirUser', value: `Patient/${this.count}` }];
    const form = { fullName: 'Ida Field', email, userType: 'Patient', claims };
    const answer = await this.admin.post('/api/admin/user', form);
    const { id } = answer.json<UserView & Record<string, unknown>>();
    return { id, email, token: linkInMail(await this.sink.to(email)).t };
  }

  /** A new patient with a password. */
  async createActiveUser(): Promise<{ id: string; email: string }> {
    const { id, email, token } = await this.createInvitedUser();
    expect((await this.activate(id, token)).status).toBe(204);
    return { id, email };
  }

  /** The token of the link for a forgotten password. */
  async requestResetToken(email: string): Promise<string> {
    const request = async () => expect((await this.requestReset(email)).status).toBe(200);
    return (await newLink(this.sink, email, '/password/reset', request)).t;
  }

  /** Waits until the mail server has all mails. */
  async untilAllMailsAreSent(): Promise<void> {
    await until(async () => (await this.portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
  }

  activate(id: string, token: string, chosen = password, node = 0): Promise<Answer> {
    return this.node(node).post(`/api/user/${id}/activate`, { password: chosen, token });
  }

  reset(id: string, token: string, chosen = newPassword): Promise<Answer> {
    const body = { password: chosen, token };
    return this.node(0).send(`/api/user/forgot-password/${id}/reset`, { method: 'PUT', body });
  }

  requestReset(email: unknown, node = 0): Promise<Answer> {
    return this.node(node).post('/api/user/forgot-password', { email });
  }

  private node(number: number): Agent {
    return new Agent(this.portal.issuer, this.portal.ports[number]);
  }
}

/**
 * One portal for all tests of a file, with this `account` section of the configuration; each test starts without rate
 * limits in use.
 */
export function useAccountLinks(account: object = {}): AccountLinks {
  const links = new AccountLinks();
  beforeAll(() => links.start(account));
  beforeEach(() => links.portal.query('DELETE FROM rate_limit'));
  afterAll(() => links.stop());
  return links;
}
