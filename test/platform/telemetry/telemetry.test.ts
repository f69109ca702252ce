import { randomBytes } from 'node:crypto';
import { startFhirServer } from '../../../demo/fhir-server/server.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { attributesOf, Collector, type ReceivedSpan } from '../../support/http/collector.js';
import { startRecordingProxy } from '../../support/http/recording-proxy.js';
import { everyKind, useEveryKind } from '../../support/portal/every-kind.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { startPortal } from '../../support/portal/portal.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const sampledTrace = randomBytes(16).toString('hex');
const callersSpan = randomBytes(8).toString('hex');
const unsampledTrace = randomBytes(16).toString('hex');
const plantedState = 'planted-in-tracestate';

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let proxy: Awaited<ReturnType<typeof startRecordingProxy>>;
let collector: Collector;
let used: Map<string, string>;
let accountIds: string[];
let spans: ReceivedSpan[];
/** Answers to the reads with a `traceparent`. */
const answers: Answer[] = [];

/** All requests are made, and exported, before the first test. */
beforeAll(async () => {
  [fhirServer, collector] = await Promise.all([startFhirServer({ port: 0 }), Collector.start()]);
  proxy = await startRecordingProxy(fhirServer.url);
  const portal = await startPortal({
    config: {
      ...everyKind,
      fhir: { baseUrl: proxy.url },
      telemetry: { otlpEndpoint: collector.url, sampleRatio: 1 },
    },
  });
  try {
    await untilFhirServerIsAvailable(await signInByPassword(portal, people.admin));
    used = await useEveryKind(portal);
    const authorization = `Bearer ${used.get('access_token of refreshed')}`;
    for (const [trace, flags] of [
      [sampledTrace, '01'],
      [unsampledTrace, '00'],
      ['not-a-trace', '01'],
    ]) {
      const headers = {
        authorization,
        traceparent: `00-${trace}-${callersSpan}-${flags}`,
        tracestate: `vendor=${plantedState}`,
        baggage: `user=${plantedState}`,
      };
      answers.push(await new Agent(portal.issuer).get('/fhir/Patient/1', { headers }));
    }
    accountIds = (await portal.query<{ id: string }>('SELECT id FROM account')).map(({ id }) => id);
  } finally {
    await portal.close();
  }
  spans = collector.spans;
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([fhirServer.close(), collector.close()]);
});

const named = (name: string) => spans.filter((span) => span.name === name);
const below = ({ spanId }: ReceivedSpan) => spans.filter(({ parentSpanId }) => parentSpanId === spanId);

describe('The traces', () => {
  it.each([
    ['authorize', 'ok'],
    ['token authorization_code', 'ok'],
    ['token refresh_token', 'ok'],
    ['token client_credentials', 'ok'],
    ['token client_credentials', 'invalid_client'],
    ['introspection', 'ok'],
    ['gateway read', 'ok'],
    ['gateway read', 'not-found'],
    ['gateway search', 'ok'],
    ['gateway other', 'login'],
    ['api change', 'ok'],
    ['api read', 'ok'],
  ])('have a span of a request: %s with the outcome %s', (name, outcome) => {
    const found = named(name).filter(({ attributes }) => attributes['gatehouse.outcome'] === outcome);
    expect(found.length).toBeGreaterThan(0);
    for (const { kind, attributes } of found) {
      expect([kind, attributes]).toEqual([
        2,
        {
          'http.request.method': expect.stringMatching(/^[A-Z]+$/),
          'http.response.status_code': expect.any(Number),
          'gatehouse.kind': name.split(' ')[0],
          'gatehouse.operation': name.split(' ')[1] ?? '',
          'gatehouse.outcome': outcome,
          'gatehouse.correlation_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ]);
    }
  });

  it('have a span of each round trip to PostgreSQL, below the request that made it', () => {
    const [request] = named('token authorization_code') as [ReceivedSpan];
    const statements = below(request);
    expect(statements.map(({ name }) => name).join()).toMatch(/oidc_record/);
    for (const { name, kind, attributes, traceId } of statements) {
      expect([traceId, kind, attributes]).toEqual([
        request.traceId,
        3,
        { 'db.system.name': 'postgresql', 'db.query.summary': name },
      ]);
    }
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(({ parentSpanId = '', kind }) => kind === 3 && !ids.has(parentSpanId));
    expect(orphans).toEqual([]);
  });

  it('have a span of each request to the FHIR server, which gets the trace', () => {
    const reads = named('gateway read')
      .flatMap(below)
      .filter(({ name }) => name === 'GET FHIR server');
    expect(reads.length).toBeGreaterThan(1);
    const sent = proxy.received.map(({ headers }) => headers.traceparent);
    for (const { traceId, spanId, attributes } of reads) {
      expect(sent).toContain(`00-${traceId}-${spanId}-01`);
      expect(attributes).toEqual({
        'http.request.method': 'GET',
        'server.address': 'localhost',
        'http.response.status_code': 200,
      });
    }
  });

  it('continue the trace of the caller', () => {
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [request] = spans.filter(({ traceId, kind }) => traceId === sampledTrace && kind === 2) as [ReceivedSpan];
    expect([request.name, request.parentSpanId]).toEqual(['gateway read', callersSpan]);
    expect(proxy.received.filter(({ headers }) => headers.traceparent?.includes(sampledTrace))).toHaveLength(1);
  });

  it('pass a trace that the caller does not export on, and do not export it', () => {
    expect(collector.received.some(({ text }) => text.includes(unsampledTrace))).toBe(false);
    const passed = proxy.received.flatMap(({ headers: { traceparent = '' } }) =>
      traceparent.includes(unsampledTrace) ? [traceparent] : [],
    );
    expect(passed).toEqual([expect.stringMatching(new RegExp(`^00-${unsampledTrace}-[0-9a-f]{16}-00$`))]);
  });
});

describe('The exported metrics', () => {
  it('are those of the metrics page, with the same labels', () => {
    const counter = collector.metrics.find(({ name }) => name === 'gatehouse_requests_total')?.sum;
    const counted = counter?.dataPoints.find(
      ({ attributes }) =>
        JSON.stringify(attributesOf(attributes)) ===
        JSON.stringify({ kind: 'token', operation: 'refresh_token', outcome: 'ok' }),
    );
    expect([counter?.isMonotonic, Number(counted?.asDouble ?? counted?.asInt)]).toEqual([true, 1]);
    expect(collector.metrics.find(({ name }) => name === 'gatehouse_database_up')?.gauge?.dataPoints).toHaveLength(1);
  });

  it('have histograms whose buckets are counted each by itself', () => {
    const points = collector.metrics.find(({ name }) => name === 'gatehouse_request_duration_seconds')?.histogram;
    expect(points?.dataPoints.length).toBeGreaterThan(5);
    for (const { count, bucketCounts = [], explicitBounds = [] } of points?.dataPoints ?? []) {
      expect(bucketCounts.map(Number).reduce((sum, one) => sum + one, 0)).toBe(Number(count));
      expect(bucketCounts.length).toBe(explicitBounds.length + 1);
    }
  });
});

it('Nothing that is exported has secrets, tokens, personal data, ids of users and patients, or what callers put into headers', () => {
  const text = collector.received.map((one) => one.text + JSON.stringify(one.headers)).join('\n');
  expect(text.length).toBeGreaterThan(10_000);
  expect(accountIds.length).toBeGreaterThan(1);
  const planted = [...used, ...accountIds.map((id) => ['id of a user', id] as const), ['tracestate', plantedState]];
  for (const [what, value = ''] of planted) expect([what, text.includes(value)]).toEqual([what, false]);
  expect(text).not.toMatch(/Patient\/|patient-|counted-app|backend-service|returnUrl|@example\.org/);
  // The address of the callers; that of the FHIR server is named otherwise here.
  expect(text.replaceAll(new URL(collector.url).host, '')).not.toContain('127.0.0.1');
});
