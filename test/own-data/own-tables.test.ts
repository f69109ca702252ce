/** The tables with rows of users, and the member of the file of the own data that shows these rows. */
import type { OwnData } from '../../src/contract/own-record/own-data.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

const shown = {
  app_consent: 'consents',
  app_pause: 'apps',
  audit_event: 'auditEvents',
  disclaimer_agreement: 'agreements',
  launch: 'launches',
  oidc_record: 'sessions',
  passkey: 'passkeys',
  receipt: 'receipts',
  represented_consent: 'consents',
  represented_pause: 'apps',
  representation_relationship: 'representation',
  representative_reference: 'representation',
  request: 'requests',
  request_file: 'requests',
  recovery_code_set: 'recoveryCodesLeft',
  two_factor: 'twoFactor',
} satisfies Record<string, keyof OwnData>;

/** By table, the reason. */
const notShown = {
  account_deletion: 'the request is an audit event, and no session is open while it waits',
  account_link: 'a link is a secret; that it was sent is an audit event',
  account_recovery: 'the request is an audit event, and a sign-in ends it',
  managed_object: 'says that a file manages the account',
  passkey_offer: 'says for how long no page offers a passkey',
  pending_sign_in: 'a sign-in that waits for minutes for its second factor',
  readiness_note: 'says that an administrator received a test mail',
  request_file_opening: 'says which administrator has opened which file, which is an audit event',
  user_import_account: 'the creation of the account is an audit event',
};
let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal();
});

afterAll(() => portal.close());

test('Each table with rows of a user is in the file of the own data, or is left out for a reason', async () => {
  const rows = await portal.query<{ name: string }>(`
    SELECT DISTINCT relname AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND NOT attisdropped
        AND attname ~ '(^|_)(account|user)(_id)?$' ORDER BY 1`);
  expect(rows.map(({ name }) => name)).toEqual(Object.keys({ ...shown, ...notShown }).sort());
});
