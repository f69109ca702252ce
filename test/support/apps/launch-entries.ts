import { ActivityLog } from '../../../src/activity/application/activity-log.js';
import { type CauseCode, catalogue } from '../../../src/contract/activity/catalogue.js';
import { type Cause, type Detail, describeEntry } from '../../../src/contract/activity/cause.js';
import { parseReference } from '../../../src/contract/activity/reference.js';
import type { Answer } from '../http/agent.js';
import type { TestPortal } from '../portal/portal.js';

/** An entry of a launch with its texts. */
export interface Explained {
  code: CauseCode;
  count: number;
  detail: Detail;
  severity: Cause['severity'];
  texts: ReturnType<typeof describeEntry>;
}

/** The launch that an answer belongs to, as it is stored. */
export async function launchOfAnswer(portal: TestPortal, { headers }: Pick<Answer, 'headers'>) {
  for (const app of portal.apps) await app.get(ActivityLog, { strict: false }).flush();
  const id = parseReference(String(headers['x-launch-reference']));
  const [row] = await portal.query<{
    outcome: string;
    cause: string | null;
    client_id: string | null;
    entries: Record<string, { count: number; detail: Detail }>;
  }>("SELECT outcome, cause, client_id, entries FROM launch WHERE id LIKE $1 || '%'", [id]);
  if (!row) throw new Error(`there is no launch ${headers['x-launch-reference']}`);
  const entries = Object.entries(row.entries).map(([key, { count, detail }]): Explained => {
    const code = key.split('\n', 1)[0] as CauseCode;
    const cause: Cause = catalogue[code];
    return { code, count, detail, severity: cause.severity, texts: describeEntry(cause, detail) };
  });
  const decidedBy = entries.find(({ code }) => code === row.cause?.split('\n', 1)[0]);
  return { outcome: row.outcome, clientId: row.client_id, entries, decidedBy };
}
