import { setTimeout as sleep } from 'node:timers/promises';
import type { InvitationWithCode } from '../../../../src/contract/invitations.js';
import type { OwnRequest } from '../../../../src/contract/requests.js';
import { type NewRelationship, Relationships } from '../../../../src/representation/domain/relationships.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../../support/apps/smart-app.js';
import { sharedSecret } from '../../../support/clients/clients.js';
import { Agent, type Answer } from '../../../support/http/agent.js';
import { linkInMail } from '../../../support/mail-sink.js';
import type { PortalOptions } from '../../../support/portal/portal.js';
import { jwtApp, opaqueApp, withSecret } from '../../../support/representation/acting.js';
import {
  ask,
  type RequestPortal,
  recordOf,
  review,
  startRequestPortal,
} from '../../../support/representation/asked.js';
import { family } from '../../../support/representation/family-portal.js';
import { aNewRelationship } from '../../../support/representation/relationship.js';
import { runs } from '../../../support/runs.js';
import { people } from '../../../support/users/people.js';

/** The number of times that each way is tried. */
export const { numRuns: roundsOfWay } = runs(2, 100);

/** Acts at the same time, and what must hold afterwards. */
export interface Way {
  /** The acts. */
  acts: string;
  /** What holds afterwards, as a sentence. */
  holds: string;
  round(scene: Scene, round: number): Promise<void>;
}

/** Users of one round each, whose accounts it may delete. */
const spares = Array.from({ length: roundsOfWay * 4 }, (_, index) => ({
  ...people.patient,
  email: `spare-${index}@example.org`,
  fullName: `Spare ${index}`,
  claims: [{ name: 'fhirUser', value: `Patient/spare-${index}` }],
}));

/** How long other nodes may take to know of a change. */
const knownMs = 2_000;
const latestMs = 25;
const scope = 'openid launch/patient patient/*.rs offline_access';
/** Of Noah, of the users of one round, and of the administrators: sign-ins are not recent in the long run. */
export const passwords = {
  patient: family.noah.password,
  spare: people.patient.password,
  administrator: family.admin.password,
};
export const invitationsPath = '/api/representation/invitations';

/** A user's tokens for a patient, and the app that holds them. */
export interface Held {
  app: SmartApp;
  tokens: Tokens;
}

/** Two nodes before one database, and users who act at the same time. */
export class Scene {
  private used = 0;
  private guests = 0;

  private constructor(
    readonly portal: RequestPortal,
    readonly ana: { id: string; browsers: Agent[] },
  ) {}

  static async start({ config, ...options }: PortalOptions = {}): Promise<Scene> {
    const portal = await startRequestPortal({
      ...options,
      config: {
        users: [...Object.values(family), ...spares],
        clients: [jwtApp, opaqueApp],
        limits: { startsPerMinute: 1_000_000 },
        ...config,
      },
    });
    const browsers = await Promise.all([portal.as(family.ana, 0), portal.as(family.ana, 1)]);
    return new Scene(portal, { id: await portal.accountId(family.ana), browsers });
  }

  get agents(): RequestPortal['agents'] {
    return this.portal.agents;
  }

  query: RequestPortal['query'] = (...all) => this.portal.query(...all);

  node(index: number): Agent {
    return new Agent(this.portal.issuer, this.portal.ports[index % 2]);
  }

  /** A part of a node. */
  part<Part>(token: abstract new (...all: never[]) => Part, node = 0): Part {
    return this.portal.apps[node]?.get(token as never, { strict: false }) as Part;
  }

  relationships(node = 0): Relationships {
    return this.part(Relationships, node);
  }

  /** Runs all at nearly the same time, in an order that nothing decides. */
  atOnce<Results extends readonly unknown[]>(
    ...acts: { [Index in keyof Results]: () => Promise<Results[Index]> }
  ): Promise<Results> {
    const late = acts.map(async (act) => {
      await sleep(Math.random() * latestMs);
      return act();
    });
    return Promise.all(late) as unknown as Promise<Results>;
  }

  /** FHIR id of a child that no other round has. */
  child(record: object = {}): string {
    return recordOf(this.portal.aChild(record));
  }

  /** A user of this round alone; the agents of both nodes are signed in. */
  async spare(): Promise<{ id: string; email: string; browsers: Agent[] }> {
    const person = spares[this.used] ?? family.ana;
    this.used += 1;
    await this.forgetLimits();
    const browsers = await Promise.all([this.portal.as(person, 0), this.portal.as(person, 1)]);
    const [{ value = '' } = {}] = person.claims;
    this.portal.has(value.slice('Patient/'.length), { birthDate: '1980-01-01', name: [{ text: person.fullName }] });
    return { id: await this.portal.accountId(person), email: person.email, browsers };
  }

  /** Users who have no part in a way for a quarter of an hour would be signed out. */
  async keepSignedIn(): Promise<void> {
    for (const agent of [...Object.values(this.agents), ...this.ana.browsers]) {
      expect((await agent.get('/api/session')).status).toBe(200);
    }
  }

  forgetLimits(): Promise<unknown> {
    return this.query('DELETE FROM rate_limit');
  }

  /** An active relationship of Ana, or of the account. */
  async acts(patient: string, members: Partial<NewRelationship> = {}, account = this.ana.id): Promise<string> {
    return (await this.relationships().add(aNewRelationship(account, { patient, ...members }))).id;
  }

  async stored(id: string): Promise<{ status: string | undefined; reason: string | null | undefined }> {
    const { status, reason } = (await this.relationships().findById(id)) ?? {};
    return { status, reason };
  }

  /** Relationships of a patient that permit, or wait for an answer. */
  async ofPatient(patient: string): Promise<Record<'active' | 'open', number>> {
    const rows = await this.query<{ status: string }>(
      'SELECT status FROM representation_relationship WHERE patient = $1',
      [patient],
    );
    const count = (...statuses: string[]) => rows.filter(({ status }) => statuses.includes(status)).length;
    return { active: count('active', 'suspended'), open: count('proposed', 'more-needed') };
  }

  /** An app of a browser that is signed in, with the patient chosen; it is at the consent page. */
  async atConsent(patient: string, round: number, browser = this.ana.browsers[0] as Agent) {
    const app = await this.atChoice(round, browser);
    expect((await app.choose(patient)).status).toBe(200);
    const page = new URL(await app.app.follow(app.returnUrl));
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    const offered = await app.app.offeredScopes(returnUrl);
    return { app: app.app, returnUrl, consent: () => app.app.consent(returnUrl, offered) };
  }

  /** The same, at the page before. */
  async atChoice(round: number, browser = this.ana.browsers[0] as Agent) {
    // The two kinds of tokens take turns.
    const launch = round % 2 === 0 ? withSecret : { client: jwtApp };
    const app = new SmartApp(this.portal, { scope, ...launch }, browser);
    const page = new URL(await app.follow(app.authorizationPath));
    expect(page.pathname).toBe('/user/launch-context');
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`;
    await browser.get(address);
    return { app, returnUrl, choose: (patient: string) => browser.post(address, [`Patient/${patient}`]) };
  }

  async code(patient: string, round: number, browser?: Agent): Promise<{ app: SmartApp; code: string }> {
    const { app, returnUrl, consent } = await this.atConsent(patient, round, browser);
    expect((await consent()).status).toBe(204);
    const landed = new URL(await app.follow(returnUrl));
    return { app, code: landed.searchParams.get('code') ?? '' };
  }

  async held(patient: string, round: number, browser?: Agent): Promise<Held> {
    const { app, code } = await this.code(patient, round, browser);
    const answer = await app.exchange(code);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return { app, tokens: answer.json() };
  }

  read(token: string, patient: string, node = 0, type = 'Condition'): Promise<Answer> {
    return this.node(node).get(`/fhir/${type}?patient=${patient}`, { headers: { authorization: `Bearer ${token}` } });
  }

  /** After the answer to the end: nothing of it reads, on the node that ended it at once and on the other soon. */
  async expectEnded(relationship: string, patient: string, held: readonly Held[], endedOn = 0): Promise<void> {
    expect((await this.stored(relationship)).status).toBe('ended');
    const since = Date.now();
    for (const { app, tokens } of held) {
      const read = (node: number) => this.read(tokens.access_token, patient, node);
      expect([401, 403]).toContain((await read(endedOn)).status);
      expect([401, 403]).toContain(
        await this.soon(
          since,
          () => read(endedOn + 1),
          (status) => status !== 200,
        ),
      );
      const { refresh_token = '' } = tokens;
      for (const node of [0, 1]) expect((await app.refresh(refresh_token, {}, this.node(node))).status).toBe(400);
      expect(await this.isActive(tokens.access_token)).toBe(false);
    }
    await this.expectNothingLeft(relationship);
  }

  /**
   * Asks until the status is the one that other nodes have learned by now; returns it. None that was asked two seconds
   * after the change may be another, however long the answers take on a busy machine.
   */
  async soon(since: number, ask: () => Promise<Answer>, isKnown: (status: number) => boolean): Promise<number> {
    while (true) {
      const asked = Date.now();
      const { status } = await ask();
      if (isKnown(status)) return status;
      expect([status, asked - since > knownMs]).toEqual([status, false]);
    }
  }

  /** No grant, token or decision about an app is left of a relationship that has ended. */
  async expectNothingLeft(relationship: string): Promise<void> {
    const grants = await this.query("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", [
      relationship,
    ]);
    const orphans = await this.query(
      `SELECT model FROM oidc_record AS token
        WHERE model IN ('RefreshToken', 'AccessToken', 'AuthorizationCode')
          AND NOT EXISTS (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = token.grant_id)`,
    );
    const decisions = await this.query('SELECT FROM represented_consent WHERE relationship_id = $1', [relationship]);
    expect([grants, orphans, decisions]).toEqual([[], [], []]);
  }

  async isActive(token: string, node = 0): Promise<boolean> {
    const headers = basicAuthorization(opaqueApp.clientId, sharedSecret);
    const answer = await this.node(node).postForm('/connect/introspect', { token }, { headers });
    return answer.json<{ active: boolean }>().active;
  }

  endBy(agent: Agent, relationship: string): Promise<Answer> {
    return agent.post(`/api/representation/${relationship}/end`, {});
  }

  endByAdmin(relationship: string, reason = 'administrator', agent = this.agents.admin): Promise<Answer> {
    return agent.post(`/api/admin/representation/${relationship}/end`, { reason, note: 'Over' });
  }

  /** An invitation by the user, with the token of its link. */
  async invited(by: Agent, currentPassword = passwords.patient) {
    const email = this.guest();
    await this.forgetLimits();
    const answer = await by.post(invitationsPath, { fullName: 'Tomás Reed', email, level: 'basics', currentPassword });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    const invitation = answer.json<InvitationWithCode>();
    const { t: token } = linkInMail(await this.portal.sink.to(email));
    const accept = (agent: Agent, more: object = {}) =>
      agent.post(`/api/invitations/${invitation.id}/acceptance`, {
        ...{ token, spokenCode: invitation.spokenCode, isAdult: true, account: 'own' },
        ...more,
      });
    return { ...invitation, email, accept };
  }

  guest(): string {
    this.guests += 1;
    return `guest-${this.guests}@example.org`;
  }

  /** A request of Ana, or of another user, for a child, and how administrators decide about it. */
  async asked(agent = this.ana.browsers[0] as Agent) {
    await this.portal.forget();
    const number = this.portal.aChild();
    const { id } = await ask(agent, number, {}, []);
    const patient = recordOf(number);
    const { version } = await review(this.agents.admin, id);
    const terms = { patient, basis: 'parental-responsibility', level: 'full', relation: 'mother' };
    const decide = (by: Agent, decision: string, more: object = {}) =>
      by.post(`/api/admin/requests/${id}/decision`, { version, decision, note: 'Seen', seen: [], ...terms, ...more });
    const status = async () =>
      (await this.query<Pick<OwnRequest, 'status'>>('SELECT status FROM request WHERE id = $1', [id]))[0]?.status;
    return { id, patient, version, decide, status };
  }

  async eventsOf(type: string, subject: string): Promise<number> {
    return (await this.query('SELECT FROM audit_event WHERE type = $1 AND subject = $2', [type, subject])).length;
  }

  close(): Promise<void> {
    return this.portal.close();
  }
}

export const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);
export const sortedStatuses = (answers: readonly Answer[]) => statusesOf(answers).toSorted();
