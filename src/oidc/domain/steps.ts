import { stepPages } from '../../contract/rules/pages.js';
import type { Authorization } from './authorization.js';

/**
 * The steps from a client's request to its response, in their order, with their addresses. Each step either needs the
 * user, who is then sent to its address, or lets the request pass. The order of the steps with a page is that of the
 * table of pages.
 *
 * | step | decided by |
 * |---|---|
 * | login | the engine: no session, `prompt=login`, `max_age`, `id_token_hint` |
 * | account | this module: an account that cannot authorize clients, or is of another tenant |
 * | two-factor | this module: a client requires a second factor that the session lacks; the page and the proof are two-factor's |
 * | all others | the module that registers the step |
 */
export const stepAddresses = { login: '/login', account: '/connect/account', ...stepPages } as const;

export type StepName = keyof typeof stepAddresses;

/** A step that another module registers. */
export type RegisteredStep = Exclude<StepName, 'login' | 'account' | 'two-factor'>;

/** A step that another module decides. */
export interface Step {
  name: RegisteredStep;
  /** True if the user has to act now. */
  isDue(authorization: Authorization): Promise<boolean>;
  /** Number of pages of the step when it is due; default: one. */
  pages?(authorization: Authorization): number;
  /**
   * Scopes granted without asking, or undefined if the step is due: computed once, for the grant that is about to be
   * made.
   */
  agreedScopes?(authorization: Authorization): Promise<string[] | undefined>;
}

export class Steps {
  private readonly registered = new Map<StepName, Step>();

  register(step: Step): void {
    this.registered.set(step.name, step);
  }

  async isDue(name: Step['name'], authorization: Authorization): Promise<boolean> {
    return this.step(name).isDue(authorization);
  }

  /** Scopes that the step grants without asking, or undefined if it is due. */
  async agreedScopes(name: Step['name'], authorization: Authorization): Promise<string[] | undefined> {
    const step = this.step(name);
    if (!step.agreedScopes) throw new Error(`the step ${name} does not grant scopes`);
    return step.agreedScopes(authorization);
  }

  /** Number of pages from the current step on, the current page included. */
  async pagesFrom(current: StepName, authorization: Authorization): Promise<number> {
    const order = Object.keys(stepAddresses) as StepName[];
    const later = order.slice(order.indexOf(current) + 1).filter((name) => this.registered.has(name));
    const pages = later.map(async (name) => {
      const step = this.step(name);
      return (await step.isDue(authorization)) ? pagesOf(step, authorization) : 0;
    });
    const own = this.registered.get(current);
    return (await Promise.all(pages)).reduce((sum, count) => sum + count, own ? pagesOf(own, authorization) : 1);
  }

  private step(name: StepName): Step {
    const step = this.registered.get(name);
    if (!step) throw new Error(`no module has registered the step ${name}`);
    return step;
  }
}

function pagesOf(step: Step, authorization: Authorization): number {
  return step.pages?.(authorization) ?? 1;
}
