import { withGatehouse } from '../servers/processes.mjs';
import { addPasskeys, passkeySignIns } from '../tools/passkeys.mjs';
import { bySecret, login, secret } from '../tools/requests.mjs';

const samples = Number(process.env.BENCH_SAMPLES ?? 200);
/** Sign-ins at once, fewer than a node refuses. */
const waiting = 60;
const password = 'granite-violin-5512';
const people = Array.from({ length: samples }, (_, index) => ({
  email: `person-${index}@example.org`,
  password,
  fullName: `Person ${index}`,
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: `Patient/${index}` }],
}));

/** Sign-ins at the cost of their hash, with passkeys next to them and without, and what they do to token requests. */
export async function signIns(table) {
  await withGatehouse(configuration, async (server) => {
    await withGatehouse({ ...configuration, account: { passkeys: 'off' } }, (without) =>
      besidePasskeys(table, server, without),
    );
    const tokens = (name) => ({ name, server, next: bySecret('known') });
    await table.measureInTurn([tokens('secret → ES256, no sign-ins')], { requests: samples * 5 });
    let isOver = false;
    let begun = 0;
    const crowd = Array.from({ length: waiting }, async () => {
      while (!isOver) await send(server, signIn(begun++));
    });
    const name = `secret → ES256, while ${waiting} sign-ins wait`;
    await table.measureInTurn([tokens(name)], { requests: samples * 5 });
    isOver = true;
    await Promise.all(crowd);
    table.ratio(
      'p99 of token requests during sign-ins, ms (under 100)',
      table.rows.find((row) => row.name === name).p99,
    );
  });
}

/** A password costs no more where passkeys are allowed, though each account has one. */
async function besidePasskeys(table, server, without) {
  const requests = 2 * samples;
  const credentials = await addPasskeys(server.origin, people);
  const byPasskey = await passkeySignIns(server.origin, credentials, 2 * requests);
  const rows = [
    { name: 'sign-in', server, next: signIn },
    { name: 'sign-in, passkeys off', server: without, next: signIn },
    { name: 'sign-in with a passkey', server, next: (index) => byPasskey[index] },
  ];
  await table.measureInTurn(rows, { requests });
  const [allowed, off] = rows.map(({ name }) => table.rows.find((row) => row.name === name));
  table.ratio('p99 of a sign-in by password, with passkeys / passkeys off (about 1)', allowed.p99 / off.p99);
}

function signIn(index) {
  return login({ ...people[index % samples], address: address() });
}

const configuration = {
  server: { trustedProxies: ['127.0.0.1', '::1'] },
  clients: [
    {
      clientType: 'BackendService',
      enabled: true,
      clientId: 'known',
      clientName: 'Known',
      clientSecrets: [{ secretType: 'SharedSecret', secret, description: 'bench' }],
    },
  ],
  users: people,
};

let addresses = 0;

/** Everybody comes from an address of their own, so that no limit on guesses answers in place of what is measured. */
function address() {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

function send({ origin }, { path, ...init }) {
  return fetch(origin + path, init).then((answer) => answer.arrayBuffer());
}
