import { Injectable } from '@nestjs/common';
import type { LaunchesQuery, LaunchRow } from '../../contract/activity.js';
import { csvHead, csvLine } from '../../contract/rules/csv.js';
import { log } from '../../platform/logging/log.js';
import { type Launch, Launches, type LaunchPage } from '../domain/launch.js';
import { launchRow } from '../domain/launch-views.js';
import { LaunchLists } from './launch-lists.js';

/** Launches that are in memory at once. */
const pageLength = 500;

const columns: Record<string, (row: LaunchRow) => unknown> = {
  time: ({ startedAt }) => startedAt,
  reference: ({ reference }) => reference,
  kind: ({ kind }) => kind,
  client_id: ({ client }) => client?.id,
  client_name: ({ client }) => client?.name,
  user_id: ({ person }) => person?.id,
  user_name: ({ person }) => person?.name,
  user_type: ({ person }) => person?.userType,
  outcome: ({ outcome }) => outcome,
  decided_by: ({ decidedBy }) => decidedBy,
  page: ({ page }) => page,
  took_ms: ({ tookMs }) => tookMs,
};

/** The launches that a filter finds as a CSV file, a page of them at a time. */
@Injectable()
export class LaunchExports {
  constructor(
    private readonly launches: Launches,
    private readonly lists: LaunchLists,
  ) {}

  /** The first page is read when the promise resolves, so that a filter that cannot be answered is refused. */
  async begin(query: LaunchesQuery): Promise<AsyncIterable<string>> {
    const filter = await this.lists.filterOf(query);
    const outcomes = [...new Set(query.outcome)];
    const page: LaunchPage = { outcomes, newestFirst: query.sortDirection === 1, offset: 0, length: pageLength };
    const first = await this.launches.list(filter, page);
    const { launches } = this;
    return (async function* () {
      yield csvHead(Object.keys(columns));
      for (let found = first; found.length > 0; ) {
        yield found.map(lineOf).join('');
        const after = found.at(-1);
        if (found.length < pageLength) return;
        found = await launches.list(filter, { ...page, after }).catch((err: unknown) => {
          log.error({ err }, 'export of launches failed');
          throw err;
        });
      }
    })();
  }
}

function lineOf(launch: Launch): string {
  const row = launchRow(launch);
  return csvLine(Object.values(columns).map((value) => value(row)));
}
