import { overlap } from '../../contract/rules/scopes/scope-choice.js';
import { covers, parseScope, type SmartScope } from '../../contract/rules/scopes/smart-scope.js';

/** The scopes and circumstances of the app's current request. */
export interface Question {
  scopes: string[];
  tenant: string | undefined;
  redirectUri: string;
  /** Names the disclaimers that it comes under. */
  disclaimers: string;
}

/** The last decision of one user about one app, and whether to ask again. */
export class AppConsent {
  readonly accountId: string;
  readonly clientId: string;
  readonly scopes: string[];
  /** Scopes of the request that were not granted, or only in part. */
  readonly declined: string[];
  readonly remembered: boolean;
  /** Id of the tenant whose FHIR base it was about; null for the one of no tenant. */
  readonly tenant: string | null;
  /** The app's host at that time: an app that moved is asked about again. */
  readonly redirectHost: string;
  /** Names the disclaimers under which it was given: the decision was about the app as they describe it. */
  readonly disclaimers: string;
  readonly grantedAt: Date;
  readonly expiresAt: Date | null;

  private constructor(state: Pick<AppConsent, keyof AppConsent>) {
    Object.assign(this, state);
  }

  static give(given: {
    accountId: string;
    clientId: string;
    scopes: string[];
    declined: string[];
    tenant: string | undefined;
    remembered: boolean;
    redirectUri: string;
    disclaimers: string;
    lifetimeSeconds: number | undefined;
    now: Date;
  }): AppConsent {
    const { accountId, clientId, scopes, declined, tenant, remembered, redirectUri } = given;
    const { disclaimers, lifetimeSeconds, now } = given;
    return new AppConsent({
      accountId,
      clientId,
      scopes,
      declined,
      tenant: tenant ?? null,
      remembered,
      redirectHost: new URL(redirectUri).host,
      disclaimers,
      grantedAt: now,
      expiresAt: lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1000),
    } as AppConsent);
  }

  /**
   * True if the user need not be asked: the request contains only what they decided about before, about and for the
   * same place, under the same disclaimers, in time (security O-10).
   */
  answers({ scopes, tenant, redirectUri, disclaimers }: Question, now: Date): boolean {
    if (!this.remembered || (this.expiresAt !== null && this.expiresAt <= now)) return false;
    if ((tenant ?? null) !== this.tenant || new URL(redirectUri).host !== this.redirectHost) return false;
    if (disclaimers !== this.disclaimers) return false;
    return scopes.every((text) => this.declined.includes(text) || this.covers(text));
  }

  /**
   * Returns those of these scopes that the user agreed to, in their order: of a scope that they granted in part, that
   * part.
   */
  agreedOf(scopes: string[]): string[] {
    const agreed = scopes.flatMap((text) => {
      if (this.covers(text)) return [text];
      const asked = parseScope(text);
      const parts = this.scopes.map(parseScope).filter((scope) => scope !== undefined);
      return asked ? parts.filter((part) => covers(asked, part)).map((part) => part.text) : [];
    });
    return [...new Set(agreed)];
  }

  /** Returns those of these scopes that would permit something that the user did not grant. */
  leftOutOf(scopes: string[]): string[] {
    const granted = this.scopes.map(parseScope).filter((scope) => scope !== undefined);
    const declined = this.declined.map(parseScope).filter((scope) => scope !== undefined);
    const isLeftOut = (scope: SmartScope) =>
      declined.some((one) => overlap(one, scope)) && !granted.some((broader) => covers(broader, scope));
    return scopes.filter((text) => {
      const scope = parseScope(text);
      return scope ? isLeftOut(scope) : this.declined.includes(text);
    });
  }

  private covers(text: string): boolean {
    const scope = parseScope(text);
    const agreed = this.scopes.map(parseScope).filter((one) => one !== undefined);
    return scope !== undefined && agreed.some((broader) => covers(broader, scope));
  }
}

/** A decision that was forgotten. */
export interface RemovedConsent {
  grantedAt: Date;
  /** True if it let the app in without a question at that time. */
  applied: boolean;
}

export abstract class AppConsents {
  abstract find(accountId: string, clientId: string): Promise<AppConsent | undefined>;
  /** Replaces what was decided before. */
  abstract keep(consent: AppConsent): Promise<void>;
  abstract ofAccount(accountId: string): Promise<AppConsent[]>;
  /** Returns what was removed; undefined if there was none. */
  abstract remove(accountId: string, clientId: string): Promise<RemovedConsent | undefined>;
}
