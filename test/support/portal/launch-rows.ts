import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { type CauseCode, catalogue } from '../../../src/contract/activity/catalogue.js';
import { type Cause, type Detail, describeEntry } from '../../../src/contract/activity/cause.js';
import { parseReference } from '../../../src/contract/activity/reference.js';
import type { Answer } from '../http/agent.js';
import type { TestPortal } from './portal.js';

export interface LaunchRow {
  id: string;
  kind: string;
  client_id: string | null;
  account_id: string | null;
  outcome: string;
  /** Key of the entry that decided. */
  cause: string | null;
  entries: Record<string, { at: number; last: number; count: number; detail: Detail }>;
}

/** The launch that an answer belongs to, when everything noted before is written. */
export async function launchOf(portal: TestPortal, { headers }: Answer): Promise<LaunchRow | undefined> {
  await allWritten(portal);
  const id = parseReference(String(headers['x-launch-reference']));
  return (await portal.query<LaunchRow>("SELECT * FROM launch WHERE id LIKE $1 || '%'", [id]))[0];
}

export async function allWritten(portal: TestPortal): Promise<void> {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
}

/** The entries of this code, as the timeline shows them. */
export function entriesOf(launch: LaunchRow | undefined, code: CauseCode) {
  const cause: Cause = catalogue[code];
  return Object.entries(launch?.entries ?? {})
    .filter(([key]) => key.split('\n', 1)[0] === code)
    .map(([, { count, detail }]) => ({ code, count, detail, ...describeEntry(cause, detail) }));
}
