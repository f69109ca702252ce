import { Injectable } from '@nestjs/common';
import type { Authorization } from './authorization.js';

/**
 * The way from an app's request to its answer. Each step either needs the person, who is then sent to its page, or lets
 * the request pass; a room that owns a step registers it. The order is this list and nothing else.
 *
 * | step | page | owned by |
 * |---|---|---|
 * | login | /login | the engine: no session, `prompt=login`, `max_age`, `id_token_hint` |
 * | account | /connect/account | this room: an account that cannot authorize apps, or is of another tenant |
 * | two-factor | /user/two-factor-required | this room: a client requires a second factor that the session lacks; the page and the proof are two-factor's |
 * | disclaimers | /user/disclaimer | disclaimers |
 * | launch-context | /user/launch-context | launch-context |
 * | consent | /user/consent | consent |
 */
export const stepPages = {
  login: '/login',
  account: '/connect/account',
  'two-factor': '/user/two-factor-required',
  disclaimers: '/user/disclaimer',
  'launch-context': '/user/launch-context',
  consent: '/user/consent',
} as const;

export type StepName = keyof typeof stepPages;

/** A step that another room decides. */
export interface Step {
  name: Exclude<StepName, 'login' | 'account' | 'two-factor'>;
  /** Whether the person has to do something now. */
  isDue(authorization: Authorization): Promise<boolean>;
  /** How many pages it takes when it is due; one, if it does not say. */
  pages?(authorization: Authorization): number;
  /** What is granted of the scopes when the step is not due; all of them, if it does not say. */
  agreed?(authorization: Authorization): Promise<string[]>;
}

@Injectable()
export class Steps {
  private readonly registered = new Map<StepName, Step>();

  register(step: Step): void {
    this.registered.set(step.name, step);
  }

  async isDue(name: Step['name'], authorization: Authorization): Promise<boolean> {
    return this.step(name).isDue(authorization);
  }

  /** What is granted of the scopes without asking: the step is not due. */
  async agreed(name: Step['name'], authorization: Authorization): Promise<string[]> {
    return (await this.step(name).agreed?.(authorization)) ?? authorization.scopes;
  }

  /** How many pages the person still has before them from here on, the one they are at included. */
  async pagesFrom(current: StepName, authorization: Authorization): Promise<number> {
    const order = Object.keys(stepPages) as StepName[];
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
