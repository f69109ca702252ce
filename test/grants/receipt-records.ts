import type { Receipt } from '../../src/contract/own-record/receipts.js';
import { Agent, type Answer } from '../support/http/agent.js';
import type { TestPortal } from '../support/portal/portal.js';

interface Entry {
  user_id: string | null;
  subject: string;
  client_id: string;
  detail: Receipt & { receiptId: string };
}

export const revoke = (browser: Agent, clientId: string) =>
  browser.send(`/api/grant?clientId=${clientId}`, { method: 'DELETE' });

export const receiptPath = ({ status, location = '' }: Answer) => {
  expect(status).toBe(204);
  return new URL(location).pathname;
};

export const receiptAt = async (browser: Agent, path: string) =>
  (await browser.get(path)).json<Receipt & Record<string, unknown>>();

export const timeOf = (iso: string | null | undefined) =>
  new Date(iso ?? '').toLocaleString('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** The records of a portal that receipts are made of. */
export function receiptsOn(current: () => TestPortal) {
  const idOf = async ({ email }: { email: string }) =>
    (await current().query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]))[0]?.id ?? '';

  const entriesOf = (clientId: string) =>
    current().query<Entry & { [column: string]: unknown }>(
      "SELECT user_id, subject, client_id, detail FROM audit_event WHERE type = 'app.revoked' AND client_id = $1 ORDER BY id",
      [clientId],
    );

  const clientRow = async (clientId: string) =>
    (await current().query<{ id: string }>('SELECT id FROM client WHERE client_id = $1', [clientId]))[0]?.id ?? '';

  /** An access of the diary, as the gateway records it. */
  const recordRead = async (person: { email: string }, detail: object) =>
    current().query(
      `INSERT INTO audit_event (type, outcome, user_id, client_id, detail)
       VALUES ('record.accessed', 'success', $1, 'diary', $2)`,
      [await idOf(person), { interaction: 'read', ...detail }],
    );

  /** The same browser at another node. */
  function atOtherNode(browser: Agent): Agent {
    const other = new Agent(current().issuer, current().ports[1]);
    for (const [name, value] of browser.cookies) other.cookies.set(name, value);
    return other;
  }

  return { idOf, entriesOf, clientRow, recordRead, atOtherNode };
}
