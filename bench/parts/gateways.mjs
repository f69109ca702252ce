import { spawn } from 'node:child_process';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compileJava, missingForJava } from '../../scripts/test/java.mjs';
import { withNginx } from '../servers/nginx.mjs';
import { end, freePort, withGatehouse } from '../servers/processes.mjs';
import { cpuMicroseconds } from '../tools/load.mjs';
import { queryShapes, samplesOf } from '../tools/query-shapes.mjs';
import { codeExchanges, signIn } from '../tools/requests.mjs';
import { gatewayConfiguration } from './gateway.mjs';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));
const password = 'granite-violin-5512';
const patients = 6;
const rounds = Number(process.env.BENCH_ROUNDS ?? 60);
const apart = rounds / 4;

/**
 * The same requests of patients' apps to the same HAPI FHIR server: without a gateway, through nginx, through HAPI's
 * own AuthorizationInterceptor, google/fhir-gateway and Gatehouse. `cold` is the first time that a kind of request is
 * sent for a patient, `warm` the median of the later ones; each kind is sent to all in turn, one request at a time.
 * Medians are of the kinds that all of them answer; how many each answers is said apart. CPU is that of what stands
 * before HAPI, and of HAPI with it.
 */
export async function gateways(table) {
  const missing = missingForJava();
  if (missing.length > 0) {
    process.stdout.write(`Comparison of gateways skipped, not installed: ${missing.join(', ')}\n`);
    return;
  }
  await import('../../scripts/typescript.mjs');
  const { startHapi } = await import('../../test/hapi/hapi-server.ts');
  const hapi = await startHapi(await compileJava(folder('../../test/hapi/')));
  try {
    const samples = await samplesOf(hapi.url, 2 * patients);
    const port = new URL(hapi.url).port;
    const plain = { base: hapi.url, headers: () => ({}) };
    const guarded = {
      base: hapi.url.replace(/fhir$/, 'guarded'),
      headers: ({ id }) => ({ authorization: `Bearer ${id}` }),
    };
    await withNginx(port, async (nginx) => {
      await withGoogle(hapi.url, async (google) => {
        await withGatehouse(configuration(hapi.url, samples), async (server) => {
          const ours = {
            base: `${server.origin}/fhir`,
            headers: await ourTokens(server, samples),
            pid: server.pids.node,
          };
          const all = {
            'no gateway': plain,
            nginx: { base: `${nginx.origin}/fhir`, headers: () => ({}), pid: nginx.pids.node },
            "HAPI's interceptor": guarded,
            'google/fhir-gateway': google,
            Gatehouse: ours,
          };
          await compare(table, all, samples, hapi.pid);
        });
      });
    });
  } finally {
    await hapi.close();
  }
}

async function compare(table, all, samples, hapi) {
  // Programs that have just started are still being compiled: they warm up with other patients than those measured.
  await measureAll(all, samples.slice(patients), hapi);
  const results = await measureAll(all, samples.slice(0, patients), hapi);
  const answered = (result) => result.shapes.filter(({ statuses }) => statuses.every((status) => status === 200));
  const common = Object.keys(queryShapes).filter((name) =>
    results.every((result) => answered(result).some(({ shape }) => shape === name)),
  );
  for (const result of results) {
    const within = (list) => list.filter(({ shape }) => common.includes(shape));
    const warm = within(result.shapes).flatMap((kind) => kind.warm);
    table.add(result.name, {
      p50: median(warm),
      p99: quantile(warm, 0.99),
      cpu: { node: result.front / result.sent },
      shapes: result.shapes,
    });
    table.ratio(
      `${result.name}: kinds of requests answered, of ${Object.keys(queryShapes).length}`,
      answered(result).length,
    );
    table.ratio(
      `${result.name}: median of the first requests, ms`,
      median(within(result.shapes).flatMap(({ cold }) => cold)),
    );
    table.ratio(
      `${result.name}: median of all kinds that it answers, ms`,
      median(answered(result).flatMap((kind) => kind.warm)),
    );
    table.ratio(`${result.name}: CPU of HAPI for a request, µs`, result.behind / result.sent);
    if (result.server.pid) table.ratio(`${result.name}: memory, MB`, residentMegabytes(result.server.pid));
  }
  table.ratio('kinds of requests that all of them answer', common.length);
}

async function measureAll(all, samples, hapi) {
  const results = Object.entries(all).map(([name, server]) => ({
    name,
    server,
    shapes: [],
    front: 0,
    behind: 0,
    sent: 0,
  }));
  for (const shape of Object.keys(queryShapes)) {
    for (const result of results) result.shapes.push({ shape, cold: [], warm: [], statuses: [] });
    for (let round = 0; round < rounds; round += apart) {
      for (const result of results) await measure(result, result.shapes.at(-1), samples, { round, hapi });
    }
  }
  return results;
}

/** A quarter of a shape's rounds at one server; what a request costs is counted for those that were answered. */
async function measure(result, kind, samples, { round, hapi }) {
  const { base, headers, pid } = result.server;
  const before = cpuMicroseconds(pid ? { front: pid, behind: hapi } : { behind: hapi });
  for (let index = round; index < round + apart; index += 1) {
    const sample = samples[index % samples.length];
    const made = queryShapes[kind.shape](sample, Math.floor(index / samples.length));
    const { path, body } = typeof made === 'string' ? { path: made } : made;
    const sent = performance.now();
    const answer = await fetch(base + path, {
      method: body ? 'POST' : 'GET',
      headers: { ...headers(sample), ...(body ? { 'content-type': 'application/fhir+json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    await answer.arrayBuffer();
    kind.statuses.push(answer.status);
    if (answer.status === 200) (index < samples.length ? kind.cold : kind.warm).push(performance.now() - sent);
  }
  if (kind.statuses.some((status) => status !== 200)) return;
  const after = cpuMicroseconds(pid ? { front: pid, behind: hapi } : { behind: hapi });
  result.front += pid ? after.front - before.front : 0;
  result.behind += after.behind - before.behind;
  result.sent += apart;
}

function configuration(url, samples) {
  const { clients } = gatewayConfiguration(0);
  const users = samples.map(({ id }) => ({
    email: `patient-${id}@example.org`,
    password,
    fullName: `Patient ${id}`,
    userType: 'Patient',
    claims: [{ name: 'fhirUser', value: `Patient/${id}` }],
  }));
  return { fhir: { baseUrl: url }, clients, users };
}

async function ourTokens({ origin }, samples) {
  while ((await fetch(`${origin}/fhir/metadata`)).status !== 200) await sleep(100);
  const tokens = new Map();
  for (const { id } of samples) {
    const [{ path, ...exchange }] = await codeExchanges(
      await signIn(origin, { email: `patient-${id}@example.org`, password }),
      1,
    );
    tokens.set(id, (await (await fetch(origin + path, exchange)).json()).access_token);
  }
  return ({ id }) => ({ authorization: `Bearer ${tokens.get(id)}` });
}

/** google/fhir-gateway with its access checker `patient`; it reads its key where Keycloak says that of a realm. */
async function withGoogle(target, work) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const issuer = createServer((_, response) => response.end(JSON.stringify({ public_key: key })));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  const iss = `http://127.0.0.1:${issuer.address().port}`;
  const port = await freePort();
  const classpath = await compileJava(folder('../servers/google-gateway/'));
  const child = spawn('java', ['-cp', classpath, 'GoogleGateway'], {
    env: {
      ...process.env,
      PROXY_TO: target,
      TOKEN_ISSUER: iss,
      ACCESS_CHECKER: 'patient',
      BACKEND_TYPE: 'HAPI',
      SERVER_PORT: String(port),
      LOGGING_LEVEL_ROOT: 'ERROR',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const base = `http://127.0.0.1:${port}/fhir`;
  const tokens = new Map();
  const tokenOf = (id) => {
    if (!tokens.has(id)) tokens.set(id, signed({ iss, patient_id: id }, privateKey));
    return tokens.get(id);
  };
  try {
    await started(child, base);
    await work({ base, headers: ({ id }) => ({ authorization: `Bearer ${tokenOf(id)}` }), pid: child.pid });
  } finally {
    await end(child);
    issuer.close();
  }
}

async function started(child, base) {
  while (child.exitCode === null) {
    if (
      await fetch(`${base}/metadata`).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(200);
  }
  throw new Error('google/fhir-gateway did not start');
}

function signed(claims, key) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ ...claims, scope: 'patient/*.*', exp })}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}

const median = (values) => quantile(values, 0.5);

function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function residentMegabytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
