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
 * | launch-context | /user/launch-context | launch-context |
 * | consent | /user/consent | consent |
 */
export const stepPages = {
  login: '/login',
  account: '/connect/account',
  'two-factor': '/user/two-factor-required',
  'launch-context': '/user/launch-context',
  consent: '/user/consent',
} as const;

export type StepName = keyof typeof stepPages;

/** A step that another room decides. */
export interface Step {
  name: Exclude<StepName, 'login' | 'account' | 'two-factor'>;
  /** Whether the person has to do something now. */
  isDue(authorization: Authorization): Promise<boolean>;
}

@Injectable()
export class Steps {
  private readonly registered = new Map<StepName, Step>();

  register(step: Step): void {
    this.registered.set(step.name, step);
  }

  async isDue(name: Step['name'], authorization: Authorization): Promise<boolean> {
    const step = this.registered.get(name);
    if (!step) throw new Error(`no room has registered the step ${name}`);
    return step.isDue(authorization);
  }
}
