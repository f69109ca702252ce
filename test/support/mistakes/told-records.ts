import { setTimeout as sleep } from 'node:timers/promises';
import type { CauseCode } from '../../../src/contract/activity/catalogue.js';
import type { LaunchList, LaunchView } from '../../../src/contract/activity.js';
import type { Agent, Answer } from '../http/agent.js';

/** The client of an answer without a reference, of which the record is the latest. */
export type Hidden = { clientId: string };

/** All that a record tells of this cause, to administrators and developers. */
export function toldOf(view: LaunchView | undefined, code: CauseCode): string {
  const entry = view?.entries.find((one) => one.code === code);
  return [entry?.decidedBy, entry?.text, entry?.change?.text, view?.forDeveloper].join(' ');
}

/** The records of refused requests, as an administrator reads them. */
export class ToldRecords {
  constructor(private readonly admin: Agent) {}

  /** The record of an answer, as soon as it tells these values: it may be that of earlier requests of the day. */
  async recordOf(sent: Answer | Hidden, code: CauseCode, values: RegExp): Promise<LaunchView | undefined> {
    let view: LaunchView | undefined;
    const deadline = Date.now() + 6_000;
    while (Date.now() < deadline && !values.test(toldOf(view, code))) {
      const reference = 'headers' in sent ? sent.headers['x-launch-reference'] : await this.latestOf(sent);
      const answer = await this.admin.get(`/api/admin/activity/${reference}`);
      if (answer.status === 200) view = answer.json<LaunchView>();
      await sleep(100);
    }
    return view;
  }

  private async latestOf({ clientId }: Hidden): Promise<string | undefined> {
    const answer = await this.admin.get(`/api/admin/activity?${new URLSearchParams({ clientId })}`);
    return answer.json<LaunchList>().launches[0]?.reference;
  }
}
