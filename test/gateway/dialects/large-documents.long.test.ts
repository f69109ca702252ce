import { randomBytes } from 'node:crypto';
import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialects } from '../../support/fhir/dialects.js';

/** Like a PDF it is hardly compressible. */
const bytes = Buffer.concat([Buffer.from('%PDF-1.4 '), randomBytes(11 * 1024 * 1024)]);
const data = bytes.toString('base64');
const rows = dialects.map((one) => [one.name, one] as const);
/** The others have no scope for documents. */
const kinds = tokenKinds.filter((kind) => kind !== 'categories' && kind !== 'service');
const document = (more: object) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: 'Patient/a' },
  ...more,
});

describe.each(rows)('A document of 11 MB behind %s', (_, row) => {
  let gateway: DialectGateway;
  let binary: string;
  let inline: string;
  beforeAll(async () => {
    gateway = await DialectGateway.start(row);
    binary = gateway.server.store({ resourceType: 'Binary', contentType: 'application/pdf', data }).id;
    const attachment = { contentType: 'application/pdf', data };
    const linked = { attachment: { contentType: 'application/pdf', url: `Binary/${binary}` } };
    inline = gateway.server.store(document({ content: [{ attachment }, linked] })).id;
  });
  afterAll(() => gateway.close());

  test.each(kinds)('is read and posted with the token for %s', async (kind) => {
    const content = await gateway.fetch(`/Binary/${binary}`, kind, { headers: { accept: 'application/pdf' } });
    expect([content.status, content.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    const resource = await gateway.fetch(`/Binary/${binary}`, kind, { headers: { accept: 'application/fhir+json' } });
    expect(resource.status).toBe(200);
    expect(((await resource.json()) as { data: string }).data).toBe(data);

    const read = await gateway.fetch(`/DocumentReference/${inline}`, kind);
    expect([read.status, (await read.text()).length > data.length]).toEqual([200, true]);
    const found = await gateway.fetch('/DocumentReference?patient=a', kind);
    expect([found.status, (await found.text()).includes(data)]).toEqual([200, true]);

    const asContent = await gateway.fetch('/Binary', kind, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/pdf', 'x-security-context': 'Patient/a' },
    });
    const attachment = { contentType: 'application/pdf', data };
    const asResource = await gateway.send('POST', '/DocumentReference', kind, document({ content: [{ attachment }] }));
    expect([asContent.status, asResource.status]).toEqual([201, 201]);
    const kept = gateway.server.stored().filter((one) => JSON.stringify(one).includes(data));
    expect(kept.length).toBeGreaterThanOrEqual(4);
  });
});
