import { Injectable } from '@nestjs/common';
import type { ClientSettings } from '../../contract/clients/client-settings.js';
import type { Receipt, TakenBackBy } from '../../contract/own-record/receipts.js';
import { accessTokenSeconds } from '../../contract/rules/lifetime.js';
import { Config } from '../../platform/config/config.js';
import { randomLetters } from '../../platform/crypto/secrets.js';
import { Database } from '../../platform/database/database.js';
import type { JobKind } from '../../platform/jobs/job-kind.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { EndedAccess } from './ended-access.js';

/** The app on a receipt; without settings if it is registered no more. */
interface ReceiptApp {
  clientId: string;
  clientName: string;
  settings?: ClientSettings;
}

export interface UserReceipt {
  accountId: string;
  receipt: Receipt;
}

/** Receipts of some of the people who lost an app's access together. */
export interface ReceiptBatch {
  receipts: UserReceipt[];
  /** Id of the administrator who ended the access; absent for a command. */
  actorId?: string | undefined;
}

export const receiptJobs: JobKind<ReceiptBatch> = {
  name: 'receipts',
  batchSize: 1,
  leaseSeconds: 120,
  lookEveryMs: 15_000,
  firstPauseSeconds: 5,
  longestPauseSeconds: 600,
};

/** People whose receipts are one job. */
const peoplePerJob = 500;
const idPattern = /^(?:[A-Z\d]{4}-){2}[A-Z\d]{4}$/;

/** Receipts for access that was taken back, by the account of the user. */
@Injectable()
export class AccessReceipts {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly config: Config,
  ) {}

  /**
   * Locks the account against its deletion, before grants are locked: in the order of all transactions that lock both.
   * Returns the time, or undefined if the account is gone.
   */
  async lockAccount(accountId: string): Promise<Date | undefined> {
    const { rows } = await this.database.query<{ at: Date }>(
      'SELECT clock_timestamp() AS at FROM account WHERE id = $1 FOR KEY SHARE',
      [accountId],
    );
    return rows[0]?.at;
  }

  /** A new receipt, which is not stored yet. */
  newReceipt(
    { clientId, clientName, settings }: ReceiptApp,
    ended: Omit<EndedAccess, 'accountId'>,
    { by, at, representation }: { by: TakenBackBy; at: Date; representation?: string | undefined },
  ): Receipt {
    const isSelfContained = settings?.accessTokenType === 'Jwt';
    return {
      id: newId(),
      clientId,
      clientName,
      legalCompanyName: settings?.legalCompanyName || null,
      contactUsUrl: settings?.contactUsUrl || null,
      endedAt: at.toISOString(),
      by,
      ...(representation !== undefined && { representation }),
      since: ended.since?.toISOString() ?? null,
      signIns: ended.signIns,
      accessTokens: isSelfContained ? null : ended.accessTokens,
      refreshTokens: ended.refreshTokens,
      offline: ended.offline,
      agreements: 0,
      ...(this.config.gateway.enabled && { lastAccess: null, lastRead: null }),
      worksUntil: (isSelfContained && this.worksUntil(settings, ended.lastToken, at)) || null,
      mailed: false,
    };
  }

  /**
   * Prepares receipts for all people who lost the app's access in the caller's transaction. They are stored by jobs: an
   * app has many users, and the transaction that ends its access must neither read their accesses nor lock their
   * accounts.
   */
  async prepareForEveryone(app: ReceiptApp, ended: readonly EndedAccess[], actorId: string | undefined): Promise<void> {
    const lost = ended.filter(({ signIns }) => signIns > 0);
    if (lost.length === 0) return;
    const { rows } = await this.database.query<{ at: Date }>('SELECT clock_timestamp() AS at');
    const at = rows[0]?.at ?? new Date();
    for (let first = 0; first < lost.length; first += peoplePerJob) {
      const receipts = lost.slice(first, first + peoplePerJob).map(({ accountId, ...access }) => ({
        accountId,
        receipt: this.newReceipt(app, access, { by: 'everyone', at }),
      }));
      await this.jobs.add(receiptJobs, { receipts, actorId });
    }
  }

  /** As {@link prepareForEveryone}, for the app of one person who acts for a patient no more. */
  async prepareForRepresentative(
    app: ReceiptApp,
    { accountId, ...access }: EndedAccess,
    representation: string,
  ): Promise<void> {
    if (access.signIns === 0) return;
    const receipt = this.newReceipt(app, access, { by: 'representation', at: new Date(), representation });
    await this.jobs.add(receiptJobs, { receipts: [{ accountId, receipt }] });
  }

  /** Stores receipts; returns those that were not there yet and whose accounts still exist. */
  async add(receipts: readonly UserReceipt[]): Promise<UserReceipt[]> {
    const { rows } = await this.database.query<{ id: string }>(
      `INSERT INTO receipt (id, account_id, client_id, ended_at, facts)
       SELECT one.receipt ->> 'id', account.id, one.receipt ->> 'clientId', (one.receipt ->> 'endedAt')::timestamptz, one.receipt
         FROM jsonb_to_recordset($1::jsonb) AS one ("accountId" uuid, receipt jsonb)
         JOIN account ON account.id = one."accountId" ORDER BY account.id FOR KEY SHARE OF account
       ON CONFLICT (id) DO NOTHING RETURNING id`,
      [JSON.stringify(receipts)],
    );
    const stored = new Set(rows.map(({ id }) => id));
    return receipts.filter(({ receipt }) => stored.has(receipt.id));
  }

  async findOfAccount(accountId: string, id: string): Promise<Receipt | undefined> {
    if (!idPattern.test(id)) return undefined;
    const { rows } = await this.database.query<{ facts: Receipt }>(
      'SELECT facts FROM receipt WHERE id = $1 AND account_id = $2',
      [id, accountId],
    );
    return rows[0]?.facts;
  }

  /**
   * The receipts of the apps that ended with a relationship, from a time on. Those that a job stores in a moment are
   * among them.
   */
  async ofRelationship(accountId: string, representation: string, from: Date): Promise<Receipt[]> {
    const { rows } = await this.database.query<{ facts: Receipt }>(
      `SELECT DISTINCT ON (facts ->> 'id') facts
         FROM (SELECT facts FROM receipt WHERE account_id = $1
               UNION ALL
               SELECT one -> 'receipt' FROM job CROSS JOIN LATERAL jsonb_array_elements(payload -> 'receipts') AS each (one)
                WHERE kind = $4 AND one ->> 'accountId' = $1::text) AS known
        WHERE facts ->> 'representation' = $2 AND facts ->> 'by' = 'representation'
          AND (facts ->> 'endedAt')::timestamptz >= $3`,
      [accountId, representation, from, receiptJobs.name],
    );
    return rows.map(({ facts }) => facts);
  }

  /** The id of the user's last receipt for this app: for the own record, or for that of a relationship (`of`). */
  async lastId(accountId: string, clientId: string, of: string | null): Promise<string | undefined> {
    const { rows } = await this.database.query<{ id: string }>(
      `SELECT id FROM receipt
        WHERE account_id = $1 AND client_id = $2 AND facts ->> 'representation' IS NOT DISTINCT FROM $3
        ORDER BY ended_at DESC LIMIT 1`,
      [accountId, clientId, of],
    );
    return rows[0]?.id;
  }

  /** Names of the apps whose access ended with a relationship at this time or later. */
  async appsEndedWith(accountId: string, representation: string, at: Date): Promise<string[]> {
    const { rows } = await this.database.query<{ name: string }>(
      `SELECT DISTINCT facts ->> 'clientName' AS name FROM receipt
        WHERE account_id = $1 AND facts ->> 'representation' = $2 AND facts ->> 'by' = 'representation'
          AND ended_at >= $3 ORDER BY 1`,
      [accountId, representation, at],
    );
    return rows.map(({ name }) => name);
  }

  /** The end of the token that the app got last: a server that verifies it by itself does not learn that it ended. */
  private worksUntil(settings: ClientSettings, lastToken: Date | null, at: Date): string | undefined {
    if (this.config.gateway.enabled || lastToken === null) return undefined;
    const until = new Date(lastToken.getTime() + accessTokenSeconds(settings) * 1000);
    return until > at ? until.toISOString() : undefined;
  }
}

function newId(): string {
  const letters = randomLetters(12);
  return `${letters.slice(0, 4)}-${letters.slice(4, 8)}-${letters.slice(8)}`;
}
