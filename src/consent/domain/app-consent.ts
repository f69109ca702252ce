import { overlap } from '../../contract/rules/scopes/scope-choice.js';
import { covers, parseScope, type SmartScope } from '../../contract/rules/scopes/smart-scope.js';
import { permittedOf, type Unfold, withoutPermission } from '../../contract/rules/scopes/taken-back.js';

/** The scopes and circumstances of the app's current request. */
export interface Question {
  scopes: string[];
  tenant: string | undefined;
  /** The place that the answer goes to (`returnPlace`). */
  redirectHost: string;
  /** Names the disclaimers that it comes under. */
  disclaimers: string;
}

/** The last decision of one user about one app, and whether to ask again. */
export class AppConsent {
  readonly accountId: string;
  readonly clientId: string;
  /** The relationship by which the user acts for a patient; null for what is about the user. */
  readonly representation: string | null;
  readonly scopes: string[];
  /** Scopes of the request that were not granted, or only in part. */
  readonly declined: string[];
  /** Permissions that the user took back since; a request for one of them asks again. */
  readonly takenBack: string[];
  /**
   * True if the user ever took one back: from then on an app that needs no consent asks for what is not granted, too.
   */
  readonly narrowed: boolean;
  readonly remembered: boolean;
  /** Id of the tenant whose FHIR base it was about; null for the one of no tenant. */
  readonly tenant: string | null;
  /** The app's host at that time: an app that moved is asked about again. */
  readonly redirectHost: string;
  /** Names the disclaimers under which it was given: the decision was about the app as they describe it. */
  readonly disclaimers: string;
  readonly grantedAt: Date;
  readonly expiresAt: Date | null;

  private constructor(state: Facts) {
    Object.assign(this, state);
  }

  /** As a store has it. */
  static stored(state: Facts): AppConsent {
    return new AppConsent(state);
  }

  static give(given: {
    accountId: string;
    clientId: string;
    representation?: string | undefined;
    scopes: string[];
    declined: string[];
    narrowed?: boolean;
    tenant: string | undefined;
    remembered: boolean;
    /** The place that the answer goes to (`returnPlace`). */
    redirectHost: string;
    disclaimers: string;
    lifetimeSeconds: number | undefined;
    now: Date;
  }): AppConsent {
    const { accountId, clientId, scopes, declined, tenant, remembered, redirectHost } = given;
    const { disclaimers, lifetimeSeconds, narrowed = false, now, representation = null } = given;
    return new AppConsent({
      accountId,
      clientId,
      representation,
      scopes,
      declined,
      takenBack: [],
      narrowed,
      tenant: tenant ?? null,
      remembered,
      redirectHost,
      disclaimers,
      grantedAt: now,
      expiresAt: lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1000),
    });
  }

  /** Without a decision: the user has taken back a permission from an app that was granted these scopes unasked. */
  static withoutQuestion(app: {
    accountId: string;
    clientId: string;
    representation?: string | undefined;
    scopes: string[];
    now: Date;
  }): AppConsent {
    const { accountId, clientId, representation = null, scopes, now } = app;
    return new AppConsent({
      ...{
        accountId,
        clientId,
        representation,
        scopes,
        declined: [],
        takenBack: [],
        narrowed: true,
        remembered: false,
      },
      ...{ tenant: null, redirectHost: '', disclaimers: '', grantedAt: now, expiresAt: null },
    });
  }

  /** The decision after the user has taken this permission back. */
  takeBack(taken: SmartScope, unfold: Unfold): AppConsent {
    const scopes = withoutPermission(this.scopes, taken, unfold);
    const lost = this.scopes.filter((text) => !scopes.includes(text));
    return new AppConsent({
      ...this,
      scopes,
      declined: [...new Set([...this.declined, ...lost, taken.text])],
      takenBack: [...new Set([...this.takenBack, taken.text])],
      narrowed: true,
    });
  }

  /** True if requests that it covers need no question now. */
  isInForce(now: Date): boolean {
    return this.remembered && (this.expiresAt === null || this.expiresAt > now);
  }

  /**
   * True if the user need not be asked: the request contains only what they decided about before, about and for the
   * same place, under the same disclaimers, in time (security O-10).
   */
  isSufficientFor({ scopes, tenant, redirectHost, disclaimers }: Question, now: Date): boolean {
    if (!this.isInForce(now)) return false;
    if ((tenant ?? null) !== this.tenant || redirectHost !== this.redirectHost) return false;
    if (disclaimers !== this.disclaimers || this.asksForTakenBack(scopes)) return false;
    return scopes.every((text) => this.declined.includes(text) || this.covers(text));
  }

  /**
   * Returns those of these scopes that the user agreed to, in their order: of a scope that they granted in part, that
   * part.
   */
  agreedOf(scopes: string[]): string[] {
    return permittedOf(scopes, this.scopes);
  }

  /** True if a client that needs no consent asks for something that the user took back and did not grant since. */
  refuses(scopes: string[]): boolean {
    return this.narrowed && this.leftOutOf(scopes).length > 0;
  }

  /** Returns those of these scopes that would permit something that the user did not grant. */
  leftOutOf(scopes: string[]): string[] {
    const [granted, declined] = [parsed(this.scopes), parsed(this.declined)];
    const isLeftOut = (scope: SmartScope) =>
      declined.some((one) => overlap(one, scope)) && !granted.some((broader) => covers(broader, scope));
    return scopes.filter((text) => {
      const scope = parseScope(text);
      return scope ? isLeftOut(scope) : this.declined.includes(text);
    });
  }

  /** Returns those of these scopes that the decision says nothing about. */
  newOf(scopes: string[]): string[] {
    const declined = new Set(this.leftOutOf(scopes));
    return scopes.filter((text) => !this.covers(text) && !this.scopes.includes(text) && !declined.has(text));
  }

  private asksForTakenBack(scopes: string[]): boolean {
    const takenBack = parsed(this.takenBack);
    return parsed(scopes).some((asked) => takenBack.some((one) => overlap(one, asked)));
  }

  private covers(text: string): boolean {
    const scope = parseScope(text);
    return scope !== undefined && parsed(this.scopes).some((broader) => covers(broader, scope));
  }
}

/** Without the texts that have no meaning; an earlier version stored some. */
function parsed(texts: readonly string[]): SmartScope[] {
  return texts.map(parseScope).filter((scope) => scope !== undefined);
}

type Facts = {
  [Name in keyof AppConsent as AppConsent[Name] extends (...values: never[]) => unknown
    ? never
    : Name]: AppConsent[Name];
};

/** A decision that was forgotten. */
export interface RemovedConsent {
  grantedAt: Date;
  /** True if it let the app in without a question at that time. */
  applied: boolean;
}

export abstract class AppConsents {
  /** With `representation`, the decision for the patient of this relationship. */
  abstract findByApp(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined>;
  /**
   * As {@link findByApp}, before a grant is stored: what is found is not changed or removed until the transaction ends.
   */
  abstract findForGrant(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined>;
  /** As {@link findByApp}, before it is changed or removed: grants that are based on it are stored by now. */
  abstract findForChange(accountId: string, clientId: string, representation?: string): Promise<AppConsent | undefined>;
  /** Replaces what was decided before. */
  abstract keep(consent: AppConsent): Promise<void>;
  abstract ofAccount(accountId: string): Promise<AppConsent[]>;
  /** Returns what was removed; undefined if there was none. */
  abstract remove(accountId: string, clientId: string, representation?: string): Promise<RemovedConsent | undefined>;
  /** Removes those for all patients for whom the user acts. */
  abstract removeRepresented(accountId: string, clientId: string): Promise<void>;
}
