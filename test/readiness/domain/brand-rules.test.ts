import { type BrandFacts, brands, type PublishedBrands } from '../../../src/readiness/domain/brand-rules.js';
import { expectRows, type RuleRow } from '../../support/readiness/rule-rows.js';

describe('The rule about published organizations', () => {
  const now = new Date('2026-11-28T12:00:00Z');
  const svg = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
  const png = (...bytes: number[]) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
  const good: BrandFacts = {
    name: 'Good Health',
    website: 'https://www.good-health.org/about',
    logos: ['https://good-health.org/logo.svg', svg('<svg xmlns="http://www.w3.org/2000/svg"/>'), svg('<svg>')],
    portals: ['https://login.good-health.org'],
    addresses: [
      { state: 'MA', postalCode: '02111', country: 'US' },
      { postalCode: '02111-1234', country: 'US' },
      { state: 'Bayern', postalCode: '8', country: 'DE' },
      { state: 'massachusetts' },
    ],
  };
  const published: PublishedBrands = {
    organizations: [good],
    endpoints: [{ url: 'https://login.good-health.org/fhir', hasServer: true }],
    basesWithout: [],
    updatedAt: '2026-11-28T12:00:00Z',
  };
  const rule = (changes: Partial<PublishedBrands>) => brands({ ...published, ...changes }, now);
  const withOne = (changes: Partial<BrandFacts>) => rule({ organizations: [good, { ...good, ...changes, name: 'B' }] });
  const names = 'B';
  const next = (what: string, key = 'brands.organizations') => `brands-${what}-do | ${key}`;
  const base = 'https://login.good-health.org/fhir/north';

  expectRows([
    ['no organization', brands({ ...published, organizations: [] }, now), 'pass', 'brands-none'],
    ['one organization', rule({}), 'pass', 'brands-pass', { count: 1 }],
    ['two organizations', withOne({ logos: [], portals: [], addresses: [] }), 'pass', 'brands-pass', { count: 2 }],
    ['a PNG', withOne({ logos: [png(0x89, 0x50, 0x4e, 0x47, 1)] }), 'pass', 'brands-pass', { count: 2 }],
    [
      'a base without a FHIR server',
      rule({ endpoints: [...published.endpoints, { url: base, hasServer: false }] }),
      ...(['improve', 'brands-no-server', { base }, next('endpoint')] as const),
    ],
    [
      'two bases without a FHIR server',
      rule({ endpoints: [base, 'https://other.org'].map((url) => ({ url, hasServer: false })) }),
      ...(['improve', 'brands-no-server', { base }, next('endpoint')] as const),
    ],
    ...['http://localhost:3000/fhir', 'http://hapi:8080/fhir', 'https://10.1.2.3/fhir', 'https://[::1]/fhir'].map(
      (url): RuleRow => [
        `the base ${url}`,
        rule({ endpoints: [{ url, hasServer: true }] }),
        ...(['improve', 'brands-endpoint', { base: url }, next('endpoint')] as const),
      ],
    ),
    ...[
      'https://good-health.example',
      'https://www.example.com',
      'https://example.net',
      'https://a.example.org',
      'https://intranet',
      'https://portal.hospital.local',
      'https://hospital.test',
      'https://hospital.invalid',
      'https://a.localhost',
      'https://192.168.1.1',
      'https://169.254.1.1',
      'https://127.0.0.2',
      'https://172.16.0.1',
      'https://172.31.0.1',
    ].flatMap((address): RuleRow[] =>
      [{ website: address }, { portals: [address] }, { logos: [address] }].map((part) => [
        `${address} as ${Object.keys(part)}`,
        withOne(part),
        ...(['improve', 'brands-unreachable', { names }, next('unreachable')] as const),
      ]),
    ),
    ...[
      'https://172.15.0.1',
      'https://172.32.0.1',
      'https://best-example.com',
      'https://110.1.1.1',
      'https://test.org',
    ].map((website): RuleRow => [website, withOne({ website }), 'pass', 'brands-pass', { count: 2 }]),
    ...[svg('<html>'), svg('<svg-icon>'), png(0x47, 0x49, 0x46, 0x38), 'data:image/png;base64,'].map(
      (logo): RuleRow => [
        `the picture ${logo}`,
        withOne({ logos: [logo] }),
        ...(['improve', 'brands-logo', { names }, next('logo')] as const),
      ],
    ),
    ...[
      { state: 'Mass.' },
      { state: 'ma' },
      { state: 'MAS' },
      { state: 'xMA' },
      { postalCode: '102111' },
      { postalCode: '2111' },
      { state: 'MA', postalCode: '02111-12' },
    ].map(
      (address): RuleRow => [
        `the address ${JSON.stringify(address)}`,
        withOne({ addresses: [{ ...address, country: 'US' }] }),
        ...(['improve', 'brands-address', { names }, next('address')] as const),
      ],
    ),
    [
      'four organizations with such an address',
      rule({ organizations: ['A', 'B', 'C', 'D'].map((name) => ({ ...good, name, website: 'https://a.test' })) }),
      ...(['improve', 'brands-unreachable', { names: 'A, B, C (+1)' }, next('unreachable')] as const),
    ],
    [
      'a base without an organization',
      rule({ basesWithout: [base, 'https://other.org'] }),
      ...(['improve', 'brands-base', { base }, next('base')] as const),
    ],
    [
      'a change in the future',
      rule({ updatedAt: '2026-11-28T12:00:01Z' }),
      ...(['improve', 'brands-future', undefined, next('future', 'brands.updatedAt')] as const),
    ],
    ['no time of a change', rule({ updatedAt: undefined }), 'pass', 'brands-pass', { count: 1 }],
  ]);
});
