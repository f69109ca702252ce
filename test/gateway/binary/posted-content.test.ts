import { binaryWith, isPostedContent } from '../../../src/gateway/domain/binary/posted-content.js';
import { DialectGateway, type TokenKind, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';
import { decisionOf } from '../../support/fhir/refusals.js';

describe('A body', () => {
  it.each<[string, 'create' | 'update' | 'patch' | 'read', string | undefined, boolean]>([
    ['Binary', 'create', 'application/pdf', true],
    ['Binary', 'update', ' Text/Plain; charset=utf-8 ', true],
    ['Binary', 'create', 'application/xml', true],
    ['Binary', 'create', 'application/dicom+json', true],
    ['Binary', 'patch', 'application/pdf', false],
    ['Binary', 'read', 'application/pdf', false],
    ['Observation', 'create', 'application/pdf', false],
    ['Binary', 'create', 'application/fhir+json; charset=utf-8', false],
    ['Binary', 'create', 'Application/JSON', false],
    ['Binary', 'create', 'application/fhir+xml', false],
    ['Binary', 'create', undefined, false],
    ['Binary', 'create', '', false],
    ['Binary', 'create', 'pdf', false],
    ['Binary', 'create', `application/${'x'.repeat(200)}`, false],
  ])('of a %s in a %s as %j is content: %s', (type, interaction, contentType, expected) => {
    expect(isPostedContent({ type, interaction }, { 'content-type': contentType })).toBe(expected);
  });

  it('becomes a Binary with its type and its security context', () => {
    const headers = { 'content-type': ' text/plain; charset=utf-8', 'x-security-context': ' Patient/1 ' };
    expect(JSON.parse(binaryWith(Buffer.from('a'), { id: 'x' }, headers))).toEqual({
      resourceType: 'Binary',
      id: 'x',
      contentType: 'text/plain; charset=utf-8',
      securityContext: { reference: 'Patient/1' },
      data: 'YQ==',
    });
    expect(JSON.parse(binaryWith(Buffer.from(''), {}, { 'content-type': 'a/b' }))).toEqual({
      resourceType: 'Binary',
      contentType: 'a/b',
      data: '',
    });
  });

  it.each(['', 'Patient/1 Patient/2', 'a\tb', 'é', 'a'.repeat(501)])('has no security context %j', (context) => {
    const headers = { 'content-type': 'a/b', 'x-security-context': context };
    expect(decisionOf(() => binaryWith(Buffer.from(''), {}, headers))).toBe(
      '400 invalid: The X-Security-Context must be a reference.',
    );
  });
});

describe('A document in its own type', () => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect('HAPI'), {}, { limits: { bodyMegabytes: 1 } });
  });
  beforeEach(() => gateway.server.reset());
  afterAll(() => gateway.close());

  // Not UTF-8.
  const bytes = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00, 0x80]);
  const send = (method: string, path: string, kind: TokenKind, context?: string, type = 'application/pdf') =>
    gateway.fetch(path, kind, {
      method,
      body: bytes,
      headers: { 'content-type': type, ...(context !== undefined && { 'x-security-context': context }) },
    });
  const stored = (id: string) => gateway.server.stored().find((one) => one.id === id);

  /** By kind of token: without a security context, with that of the own patient, with that of another. */
  const statuses: Record<TokenKind, [number, number, number]> = {
    everything: [201, 201, 201],
    patient: [403, 201, 403],
    categories: [403, 403, 403],
    practitioner: [201, 201, 201],
    service: [403, 403, 403],
  };

  it.each(tokenKinds)('is created with the token for %s as the FHIR JSON of it would be', async (kind) => {
    const contexts = [undefined, 'Patient/a', 'Patient/b'];
    const as = { own: [] as number[], json: [] as number[] };
    for (const context of contexts) {
      as.own.push((await send('POST', '/Binary', kind, context)).status);
      const securityContext = context === undefined ? {} : { securityContext: { reference: context } };
      const resource = { resourceType: 'Binary', contentType: 'a/b', data: 'YQ==', ...securityContext };
      as.json.push((await gateway.send('POST', '/Binary', kind, resource)).status);
    }
    expect(as).toEqual({ own: statuses[kind], json: statuses[kind] });
  });

  it.each(['everything', 'patient', 'practitioner'] as const)('is read as it was written by %s', async (kind) => {
    const created = await send('POST', '/Binary', kind, `${gateway.gateway.base}/Patient/a`);
    const place = String(created.headers.get('location')).slice(gateway.gateway.base.length);
    const read = await gateway.fetch(place.replace(/\/_history.*/, ''), kind);
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(Buffer.from(await read.arrayBuffer())).toEqual(bytes);
    expect(gateway.server.stored().at(-1)?.securityContext).toEqual({ reference: 'Patient/a' });
  });

  it.each([
    ['everything', 'Patient/a', 200],
    ['everything', undefined, 200],
    ['patient', 'Patient/a', 200],
    ['patient', undefined, 403],
    ['patient', 'Patient/b', 403],
    ['categories', 'Patient/a', 403],
  ] as const)('is changed with the token for %s and the security context %s: %i', async (kind, context, status) => {
    expect((await send('PUT', '/Binary/a-bin', kind, context, 'text/plain; charset=utf-8')).status).toBe(status);
    const binary = stored('a-bin');
    const changed = ['text/plain; charset=utf-8', bytes.toString('base64')];
    const isChanged = status === 200;
    expect([binary?.contentType, binary?.data]).toEqual(isChanged ? changed : ['application/pdf', expect.any(String)]);
  });

  it('of another patient is not changed by a patient’s token', async () => {
    expect((await send('PUT', '/Binary/b-bin', 'patient', 'Patient/a')).status).toBe(404);
  });

  it.each(['application/fhir+xml', 'pdf'])('is refused as %s', async (type) => {
    expect((await send('POST', '/Binary', 'everything', undefined, type)).status).toBe(415);
  });

  it('is refused in place of another resource, compressed, or too long', async () => {
    expect((await send('POST', '/Observation', 'everything')).status).toBe(415);
    const headers = { 'content-type': 'application/pdf' };
    const packed = { method: 'POST', body: bytes, headers: { ...headers, 'content-encoding': 'gzip' } };
    expect((await gateway.fetch('/Binary', 'everything', packed)).status).toBe(415);
    const long = { method: 'POST', body: Buffer.alloc(2 ** 20), headers };
    expect((await gateway.fetch('/Binary', 'everything', long)).status).toBe(413);
  });
});
