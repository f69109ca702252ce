import { lists } from '../tools/lists.mjs';
import { at } from './users.mjs';

const redirectUris = ['https://app.example/callback'];
const clientSecrets = [{ secretType: 'SharedSecret', secret: 'bench-secret-bench-secret-bench-secret' }];
/** The others are copies of these, so that they are what the product itself stores. */
const patterns = [
  { clientId: 'pattern-app', clientName: 'Pattern App', redirectUris, clientSecrets },
  { clientId: 'pattern-service', clientName: 'Pattern Service', clientType: 'BackendService', clientSecrets },
];
export const configuration = { clients: patterns };
/** By their share of the clients: one of so many has the tag. */
const tags = {
  10: '0f7c2f0e-5b1c-4a53-9d0c-000000000010',
  100: '0f7c2f0e-5b1c-4a53-9d0c-000000000100',
  5000: '0f7c2f0e-5b1c-4a53-9d0c-000000005000',
};
export const kinds =
  'Allergy Asthma Blood Cancer Cardiology Cohort Dental Dermatology Diabetes Echo Emergency Genomics Heart Imaging Infusion Kidney Laboratory Lung Medication Migraine Nutrition Oncology Pain Pathology Pharmacy Pregnancy Rehabilitation Research Sleep Stroke Surgery Thyroid Transplant Trauma Triage Vaccine Vision Vital Ward Wound';
export const uses =
  'Adviser Archive Assistant Bridge Calendar Companion Connect Console Diary Exchange Export Gateway Guide Hub Inbox Journal Ledger Lens Link Logbook Manager Mirror Monitor Navigator Notebook Planner Portal Radar Recorder Registry Relay Report Router Scheduler Screener Sync Tracker Viewer Watch Wizard';

const queries = {
  'first page, by any column': (turn) => ({
    sortColumn: ['clientId', 'clientName', 'clientType', 'enabled'][turn % 4],
    sortDirection: turn % 2,
    pageSize: [5, 10, 25][turn % 3],
  }),
  'last page': (turn, clients) => ({ page: Math.ceil(clients / 10), sortDirection: turn % 2 }),
  'enabled ones': (turn) => ({ isEnabled: true, sortDirection: turn % 2 }),
  'disabled ones': (turn) => ({ isEnabled: false, sortColumn: ['clientId', 'clientName'][turn % 2] }),
  'one grant type': (turn) => ({ grantTypes: ['authorization_code', 'client_credentials'][turn % 2] }),
  'a tag of one in ten': () => ({ tags: tags[10] }),
  'a tag of one in a hundred': (turn) => ({ tags: tags[100], sortColumn: ['clientId', 'clientName'][turn % 2] }),
  'a rare tag': () => ({ tags: tags[5000] }),
  'a tag, disabled ones of a grant type': () => ({
    tags: tags[10],
    isEnabled: false,
    grantTypes: 'authorization_code',
  }),
  'one client type': (turn) => ({ clientTypes: ['BackendService', 'ManagementApi', 'Invalid'][turn % 3] }),
  'secrets that have expired': () => ({ secretStates: 'expired' }),
  'secrets that end soon': (turn) => ({ secretStates: 'expiring', sortColumn: ['clientId', 'clientName'][turn % 2] }),
  'what clients can do': (turn) => ({ permissions: ['see', 'add', 'change', 'delete'][turn % 4] }),
  'what clients can do, as a service': () => ({ permissions: ['add', 'change', 'delete'], subjects: 'system' }),
  'secrets never used': () => ({ secretStates: 'unused' }),
  'search: a word': (turn) => ({ searchTerm: at(kinds, turn), sortColumn: ['clientId', 'clientName'][turn % 2] }),
  'search: a name': (turn) => ({ searchTerm: `${at(kinds, turn)} ${at(uses, turn)}` }),
  'search: an id': (turn) => ({ searchTerm: `-${turn}` }),
  'search: a redirect URI': (turn, clients) => ({ searchTerm: `https://site-${(turn * 37) % clients}.example/` }),
  'search: what all redirect URIs have': (turn) => ({ searchTerm: '.example/callback', page: 1 + (turn % 20) }),
  'search: a word of the description': (turn) => ({ searchTerm: `${at(uses, turn)}s are` }),
  'search: a common tag': () => ({ searchTerm: 'One of 10' }),
  'search: a rare tag': () => ({ searchTerm: 'of 5000' }),
  'search: one letter': (turn) => ({ searchTerm: 'abcdefghijklmnopqrstuvwxyz'.charAt(turn % 26) }),
  'search: two letters': (turn) => ({ searchTerm: at(uses, turn).slice(1, 3) }),
  'search: a word, with a tag': (turn) => ({ searchTerm: at(kinds, turn), tags: tags[10] }),
  'search: nothing': (turn) => ({ searchTerm: `${at(kinds, turn)}xq` }),
};

/** Measures every kind of query of the clients page with 1,000 and with 100,000 clients. */
export function clients(table) {
  return lists(table, { what: 'clients', path: '/api/admin/client', queries, fill: fillClients, configuration });
}

/** One in three is a service, one in twenty-five is disabled. */
export async function fillClients(database, clients) {
  await database.query(
    `INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
     SELECT gen_random_uuid(), lower(kind || '-' || use || '-' || i), kind || ' ' || use, client_type, i % 25 <> 0, 1,
            settings || jsonb_build_object(
              'redirectUris', jsonb_build_array('https://site-' || i || '.example/callback'),
              'description', CASE WHEN i % 3 = 0 THEN use || 's are what the ward for ' || kind || ' asks for' ELSE '' END),
            now(), now()
       FROM generate_series((SELECT count(*) FROM client) + 1, $1::int) AS i
       JOIN client AS pattern ON client_id = CASE WHEN i % 3 = 0 THEN 'pattern-service' ELSE 'pattern-app' END,
            LATERAL (SELECT ($2::text[])[1 + (hashint8(i) & 65535) % cardinality($2::text[])] AS kind,
                            ($3::text[])[1 + (hashint8(-i) & 65535) % cardinality($3::text[])] AS use) AS name`,
    [clients, kinds.split(' '), uses.split(' ')],
  );
  await database.query(
    `INSERT INTO client_secret (id, client, position, secret_type, secret_hash, expires_at, last_used_at)
     SELECT gen_random_uuid(), id, 0, 'SharedSecret', repeat('x', 43),
            CASE hashtext(client_id) % 20 WHEN 0 THEN now() + make_interval(days => hashtext(client_name) % 400) END,
            CASE WHEN hashtext(client_id) % 7 <> 0 THEN now() END
       FROM client
      WHERE NOT EXISTS (SELECT FROM client_secret WHERE client = client.id)`,
  );
  for (const [share, id] of Object.entries(tags)) {
    await database.query('INSERT INTO tag (id, value, color) VALUES ($1, $2, $3)', [id, `One of ${share}`, '#123456']);
    await database.query(
      `INSERT INTO client_tag_link (client, tag)
       SELECT id, $1 FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM client) AS placed
        WHERE place % $2::int = 1`,
      [id, share],
    );
  }
  // PostgreSQL does the same by itself within a minute.
  await database.query('VACUUM ANALYZE client, client_listing, client_secret, client_tag_link');
}
