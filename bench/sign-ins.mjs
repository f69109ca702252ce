import { withGatehouse } from './processes.mjs';
import { bySecret, login, secret } from './requests.mjs';

const samples = Number(process.env.BENCH_SAMPLES ?? 200);
const password = 'granite-violin-5512';
const people = Array.from({ length: samples }, (_, index) => ({
  email: `person-${index}@example.org`,
  password,
  fullName: `Person ${index}`,
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: `Patient/${index}` }],
}));

/** Sign-ins at the cost of their hash, and what they do to token requests. */
export async function signIns(table) {
  await withGatehouse(configuration, async (server) => {
    const signIn = (index) => login({ ...people[index % samples], address: address() });
    await table.measure('sign-in', server, signIn, { requests: samples });
    await table.measure('secret → ES256, no sign-ins', server, bySecret('known'), { requests: samples * 5 });
    const crowd = Promise.all(people.map((_, index) => send(server, signIn(index))));
    await table.measure('secret → ES256, while 200 sign-ins wait', server, bySecret('known'), {
      requests: samples * 5,
    });
    await crowd;
  });
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
