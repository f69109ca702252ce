import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../../activity/application/activity-log.js';
import { message } from '../../contract/messages/message.js';
import { BrowserSessions } from '../../oidc/application/browser-sessions.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import type { Browser } from '../../platform/request/browser.js';
import { TrialStore } from './trial-store.js';

/** The administrator of a call, and the browser that made it. */
export interface TrialCaller {
  adminId: string;
  browser: Browser;
}

type FoundTrial = NonNullable<Awaited<ReturnType<TrialStore['findById']>>>;

/**
 * Limits trials to their owners: each belongs to the administrator who started it, and continues in the session of the
 * start only.
 */
@Injectable()
export class TrialAccess {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly store: TrialStore,
    private readonly audit: Audit,
    private readonly activity: ActivityLog,
  ) {}

  /** Uid of the caller's session. */
  async sessionOf({ adminId, browser }: TrialCaller): Promise<string> {
    const session = await this.sessions.describe(browser);
    if (session?.accountId !== adminId) throw new Problem('unauthenticated', message('sign-in-again'));
    return session.uid;
  }

  /** The caller's trial; that of another administrator is as unknown as one that never was. */
  async findOwn(id: string, { adminId }: TrialCaller): Promise<FoundTrial> {
    const found = await this.store.findById(id);
    if (found && found.trial.adminId === adminId) return found;
    if (found) await this.recordRefusal(found.trial.clientId, 'of another administrator');
    throw new Problem('not-found', message('trial-unknown'));
  }

  /** As {@link findOwn}, once this node has written what happened in it: the result is shown with the reasons. */
  async ownWithReasons(id: string, caller: TrialCaller): Promise<FoundTrial> {
    const found = await this.findOwn(id, caller);
    if (found.state === 'ended') await this.activity.flush();
    return found;
  }

  /** As {@link findOwn}, for a call that continues it. */
  async inItsSession(id: string, caller: TrialCaller): Promise<FoundTrial> {
    const found = await this.findOwn(id, caller);
    if (found.trial.sessionUid === (await this.sessionOf(caller))) return found;
    await this.recordRefusal(found.trial.clientId, 'of another session');
    throw new Problem('conflict', message('trial-other-session'));
  }

  /** Ends the waiting of a trial: true for exactly one caller, and for none once it has expired. */
  take(id: string): Promise<boolean> {
    return this.store.take(id);
  }

  private recordRefusal(clientId: string, trial: string): Promise<void> {
    return this.audit.recordRefusal({ type: 'access.refused', clientId, detail: { trial } });
  }
}
