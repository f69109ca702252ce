import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import type { OwnRelationship } from '../../contract/representation.js';
import type { AskChangeRequest } from '../../contract/requests/changes.js';
import {
  type AskAccountingRequest,
  type AskRequest,
  answerDays,
  type OwnRequest,
  type OwnRequestList,
} from '../../contract/requests.js';
import { mostFiles } from '../../contract/rules/request-files.js';
import { fieldRequired } from '../../contract/rules/text.js';
import { Audit } from '../../platform/audit/audit.js';
import { randomLetters } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import { Problem } from '../../platform/errors.js';
import { type Limit, Limits } from '../../platform/limits/limits.js';
import type { Browser } from '../../platform/request/browser.js';
import { AskedRelationships } from '../../representation/application/asked-relationships.js';
import { OwnRelationshipList } from '../../representation/application/own-relationships.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import {
  type Asked,
  askedRelationshipOf,
  type HospitalRequest,
  isSameRequest,
  openRequests,
  Requests,
  referenceLength,
  referenceOf,
  requestChanged,
  requestGone,
} from '../domain/request.js';
import { type RequestFile, RequestFiles } from '../domain/request-file.js';
import { fileView } from './request-file-store.js';

const perDay = 24 * 3600;
/** Above any of these the answer is the same, and nothing is compared: a guess is worth nothing. */
const guesses = {
  account: { name: 'request-of-account', points: 5, seconds: perDay },
  device: { name: 'request-of-device', points: 8, seconds: perDay },
  address: { name: 'request-of-address', points: 20, seconds: perDay },
  all: { name: 'request-in-all', points: 500, seconds: perDay },
} satisfies Record<string, Limit>;
const mostOpen = 5;
const shown = ['waiting', 'more-needed', 'declined'];
/** An approved request to act for a patient is the card of its relationship; other answers are shown for so long. */
const answerShownMs = 30 * perDay * 1000;

/** Requests of a signed-in user. No answer tells whether a record exists. */
@Injectable()
export class AskedRequests {
  constructor(
    private readonly requests: Requests,
    private readonly files: RequestFiles,
    private readonly relationships: AskedRelationships,
    private readonly own: OwnRelationshipList,
    private readonly accounts: UserDirectory,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
  ) {}

  async list(accountId: string): Promise<OwnRequestList> {
    const all = await this.requests.ofAccount(accountId);
    const listed = all.filter(isShown);
    const files = await this.files.ofRequests(listed.map(({ id }) => id));
    return { requests: listed.map((one) => this.viewOf(one, files)), bases: this.relationships.bases() };
  }

  async get(accountId: string, id: string): Promise<OwnRequest> {
    return this.withFiles(await this.ofUser(accountId, id));
  }

  /** Stores the request. Throws `invalid` with the problem at its field, which no record decides. */
  async ask(accountId: string, browser: Browser, asked: AskRequest): Promise<OwnRequest> {
    const account = await this.accountOf(accountId);
    const { basis, birthDate } = asked;
    const { relation, tenant } = this.relationships.assertPermitted(asked, account);
    const patientName = asked.patientName.trim();
    if (patientName === '') throw Problem.invalid([{ field: 'patientName', messages: [fieldRequired] }]);
    if (this.relationships.ageOf(birthDate, tenant) === null) {
      throw Problem.invalid([{ field: 'birthDate', messages: [message('request-birth-date')] }]);
    }
    const { files, recordNumber, statement } = this.relationships.evidenceOf(basis, asked);
    const isCompared = await this.countGuess(accountId, browser);
    const content = { basis, relation, birthDate, recordNumber, statement, isCompared };
    return this.send(account, {
      asked: { kind: 'act-for', relationshipId: null, tenant, patientName, content },
      files,
      detail: { kind: 'act-for', basis, files: files.length, compared: isCompared },
    });
  }

  /** Asks for a change of a relationship of the user, on either side. */
  async askChange(accountId: string, { relationship, statement, step }: AskChangeRequest): Promise<OwnRequest> {
    const account = await this.accountOf(accountId);
    const { lookedAfter, helpers } = await this.own.list(accountId);
    const found = [...lookedAfter, ...helpers].find(({ id }) => id === relationship);
    if (!found || (found.status !== 'active' && found.status !== 'suspended')) throw requestGone();
    const patientName = helpers.includes(found) ? account.fullName : found.name;
    const content = { reason: statement, ...(step !== undefined && { step }) };
    return this.send(account, {
      asked: { ...aboutRelationship(found), patientName, kind: 'change', content },
      detail: { kind: 'change', relationship, step },
    });
  }

  /**
   * Asks for the whole list of who has seen the record of a patient for whom the user acts; the portal shows the user's
   * own accesses alone. One that waits is returned.
   */
  async askAccounting(accountId: string, { patient, tenant }: AskAccountingRequest): Promise<OwnRequest> {
    const account = await this.accountOf(accountId);
    const { lookedAfter } = await this.own.list(accountId);
    const found = lookedAfter.find(
      (one) => one.status === 'active' && one.patient === patient && (tenant === undefined || one.tenant === tenant),
    );
    if (!found) throw requestGone();
    return this.send(account, {
      asked: { ...aboutRelationship(found), kind: 'accounting', content: { reason: null } },
      detail: { kind: 'accounting', relationship: found.id },
    });
  }

  /** Sends further files; what was asked for has arrived, and administrators look at it again. */
  async addFiles(accountId: string, id: string, files: readonly string[]): Promise<OwnRequest> {
    await this.ofUser(accountId, id);
    return this.database.transaction(async () => {
      await this.requests.lockAsker(accountId);
      const known = (await this.files.ofRequests([id])).map((file) => file.id);
      const sent = await this.requests.findById(id);
      // The answer to the same call was lost.
      if (sent && files.length > 0 && files.every((file) => known.includes(file))) return this.withFiles(sent);
      const dueAt = new Date(Date.now() + answerDays * perDay * 1000);
      const change =
        sent?.status === 'more-needed'
          ? ({ status: 'waiting', dueAt, firstApproval: null } as const)
          : { firstApproval: null };
      const changed = await this.requests.change(id, { status: openRequests }, change);
      if (!changed) throw requestChanged();
      await this.attach(accountId, files, id);
      const detail = { change: 'files', files: files.length };
      await this.audit.record({ type: 'request.changed', outcome: 'success', subject: id, detail });
      return this.withFiles(changed);
    });
  }

  /** Takes the request back; its files are removed at once. */
  async takeBack(accountId: string, id: string): Promise<void> {
    await this.ofUser(accountId, id);
    await this.database.transaction(async () => {
      const change = { status: 'cancelled', decidedAt: new Date(), firstApproval: null } as const;
      if (!(await this.requests.change(id, { status: openRequests }, change))) throw requestChanged();
      const files = await this.files.removeContent(id);
      const detail = { change: 'taken-back', files };
      await this.audit.record({ type: 'request.changed', outcome: 'success', subject: id, detail });
    });
  }

  /** Stores a request, or returns the same one where the user sends it again because the answer was lost. */
  private send(
    account: UserFacts,
    { asked, files = [], detail }: { asked: Asked; files?: readonly string[]; detail: Record<string, unknown> },
  ): Promise<OwnRequest> {
    return this.database.transaction(async () => {
      const sent = await this.sentBefore(account.id, asked, files);
      if (sent) return this.withFiles(sent);
      const request = await this.add(account, asked);
      await this.attach(account.id, files, request.id);
      await this.audit.record({ type: 'request.sent', outcome: 'success', subject: request.id, detail });
      return this.withFiles(request);
    });
  }

  /** The same open request with the same files. Keeps other calls of the user waiting. */
  private async sentBefore(
    accountId: string,
    wanted: Asked,
    files: readonly string[],
  ): Promise<HospitalRequest | undefined> {
    await this.requests.lockAsker(accountId);
    const all = await this.requests.ofAccount(accountId);
    const same = all.filter((one) => openRequests.includes(one.status) && isSameRequest(one, wanted));
    const sent = await this.files.ofRequests(same.map(({ id }) => id));
    return same.find(({ id }) => {
      const own = sent.filter(({ requestId }) => requestId === id).map((file) => file.id);
      return files.length === 0 ? own.length === 0 : files.every((file) => own.includes(file));
    });
  }

  private async add({ id: accountId, fullName: askerName }: UserFacts, asked: Asked): Promise<HospitalRequest> {
    if ((await this.requests.countOpen(accountId)) >= mostOpen) {
      throw new Problem('conflict', message('request-many-open'));
    }
    const reference = referenceOf(randomLetters(referenceLength));
    return this.requests.add({ id: randomUUID(), reference, accountId, askerName, ...asked }, answerDays);
  }

  /** True below the limits. A device without a mark counts by its address alone. */
  private async countGuess(accountId: string, browser: Browser): Promise<boolean> {
    const device = browser.recall('binding');
    const counted: [Limit, string][] = [
      [guesses.account, accountId],
      [guesses.address, browser.addressKey],
      [guesses.all, ''],
      ...(device === undefined ? [] : ([[guesses.device, device]] as [Limit, string][])),
    ];
    const taken = await Promise.all(
      counted.map(async ([limit, key]) => (await this.limits.count(limit, key)) <= limit.points),
    );
    return taken.every(Boolean);
  }

  private async attach(accountId: string, files: readonly string[], requestId: string): Promise<void> {
    const attached = await this.files.attach(accountId, files, requestId);
    if (attached !== new Set(files).size) {
      throw Problem.invalid([{ field: 'files', messages: [message('request-file-gone')] }]);
    }
    if ((await this.files.ofRequests([requestId])).length > mostFiles * 3) {
      throw Problem.invalid([{ field: 'files', messages: [message('request-files-many')] }]);
    }
  }

  private async ofUser(accountId: string, id: string): Promise<HospitalRequest> {
    const request = await this.requests.findById(id);
    if (request?.accountId !== accountId || !isShown(request)) throw requestGone();
    return request;
  }

  private async accountOf(accountId: string): Promise<UserFacts> {
    const account = await this.accounts.findById(accountId);
    if (!account) throw new Problem('unauthenticated', message('sign-in-needed'));
    return account;
  }

  private async withFiles(request: HospitalRequest): Promise<OwnRequest> {
    return this.viewOf(request, await this.files.ofRequests([request.id]));
  }

  private viewOf(request: HospitalRequest, files: readonly RequestFile[]): OwnRequest {
    const { id, reference, kind, status, patientName, note, askedAt, dueAt, decidedAt } = request;
    const asked = askedRelationshipOf(request);
    const basis = this.relationships.bases().find((one) => one.id === asked?.basis);
    return {
      ...{ id, reference, kind, status, patientName, note },
      birthDate: asked?.birthDate ?? null,
      basis: asked ? this.relationships.labelOf(asked.basis) : null,
      relation: basis?.relations.find((one) => one.id === asked?.relation)?.label ?? null,
      askedAt: askedAt.toISOString(),
      dueAt: dueAt.toISOString(),
      decidedAt: decidedAt?.toISOString() ?? null,
      files: files.filter(({ requestId }) => requestId === id).map(fileView),
    };
  }
}

function isShown({ kind, status, decidedAt }: HospitalRequest): boolean {
  const isAnswered = kind !== 'act-for' && status === 'approved' && decidedAt !== null;
  return shown.includes(status) || (isAnswered && Date.now() - decidedAt.getTime() < answerShownMs);
}

function aboutRelationship({
  id,
  tenant,
  name,
}: OwnRelationship): Pick<Asked, 'relationshipId' | 'tenant' | 'patientName'> {
  return { relationshipId: id, tenant: tenant ?? undefined, patientName: name };
}
