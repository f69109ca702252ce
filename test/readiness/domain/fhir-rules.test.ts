import {
  fhirCapabilities,
  fhirClock,
  fhirDirectAccess,
  fhirNames,
  fhirTransport,
  representedPatients,
  type ServerProbe,
} from '../../../src/readiness/domain/fhir-rules.js';
import { expectRows, type RuleRow } from '../../support/readiness/rule-rows.js';

describe('The rules about FHIR servers', () => {
  const good: ServerProbe = {
    baseUrl: 'https://fhir.example/r4',
    isLocal: false,
    capabilities: { version: '4.0.1', types: 140 },
    clockOffset: 0,
    statusWithoutCredentials: 401,
    otherNames: [],
  };
  const other: ServerProbe = {
    ...good,
    baseUrl: 'https://other.example',
    capabilities: { version: '5.0.0', types: 3 },
  };
  const local = { ...good, baseUrl: 'http://localhost:8080', isLocal: true };
  const answering = (sight: ServerProbe, status: number | undefined) => ({
    ...sight,
    statusWithoutCredentials: status,
  });
  const open = (sight: ServerProbe) => answering(sight, 200);
  const names = good.baseUrl;
  const unset = 'fhir-set | fhir.baseUrl';
  expectRows([
    ['no server has no capabilities', fhirCapabilities([]), 'blocking', 'fhir-unset', undefined, unset],
    ['no server has no access', fhirDirectAccess([], true), 'unknown', 'fhir-unset', undefined, unset],
    ['no server has no connection', fhirTransport([]), 'unknown', 'fhir-unset', undefined, unset],
    ['no server has no clock', fhirClock([]), 'unknown', 'fhir-unset', undefined, unset],
    [
      'both have capabilities',
      fhirCapabilities([good, other]),
      ...(['pass', 'fhir-capabilities-pass', { version: '4.0.1, 5.0.0', types: 3 }] as const),
    ],
    [
      'both have the same version',
      fhirCapabilities([good, good]),
      ...(['pass', 'fhir-capabilities-pass', { version: '4.0.1', types: 140 }] as const),
    ],
    [
      'one has none',
      fhirCapabilities([good, { ...other, capabilities: 'HTTP 401\n' }]),
      ...(['blocking', 'fhir-capabilities-missing', { names: other.baseUrl, reason: 'HTTP 401' }] as const),
      'fhir-capabilities-do | fhir.baseUrl',
    ],
    [
      'one has no types',
      fhirCapabilities([good, { ...other, capabilities: { version: '5.0.0', types: 0 } }]),
      ...(['improve', 'fhir-capabilities-empty', { names: other.baseUrl }, 'fhir-capabilities-empty-do'] as const),
    ],
    ['both refuse', fhirDirectAccess([good, answering(other, 403)], false), 'pass', 'fhir-direct-access-pass'],
    [
      'one answers while the gateway is off',
      fhirDirectAccess([open(good), other, open(local)], false),
      ...(['blocking', 'fhir-direct-access-apps', { names: `${names}, ${local.baseUrl}` }] as const),
      'fhir-direct-access-apps-do | gateway.enabled',
    ],
    [
      'the only one answers while the gateway is off',
      fhirDirectAccess([open(good)], false),
      ...(['blocking', 'fhir-direct-access-apps', { names }] as const),
      'fhir-direct-access-apps-do | gateway.enabled',
    ],
    [
      'one answers over the network',
      fhirDirectAccess([answering(good, 299), other, open(local)], true),
      ...(['improve', 'fhir-direct-access-open', { names }, 'fhir-direct-access-open-do | fhir.credentials'] as const),
    ],
    [
      'one answers on this machine',
      fhirDirectAccess([open(local), good], true),
      ...(['unknown', 'fhir-direct-access-local', { names: local.baseUrl }] as const),
      'fhir-direct-access-local-do | fhir.credentials',
    ],
    ...[undefined, 199, 300, 404].map(
      (status): RuleRow => [
        `one says neither (${status})`,
        fhirDirectAccess([answering(good, status), other], true),
        ...(['unknown', 'fhir-direct-access-unclear', { names }, 'fhir-direct-access-unclear-do'] as const),
      ],
    ),
    ['TLS and this machine', fhirTransport([good, local]), 'pass', 'fhir-transport-pass'],
    ['TLS in capitals', fhirTransport([{ ...good, baseUrl: 'HTTPS://fhir.example' }]), 'pass', 'fhir-transport-pass'],
    [
      'TLS in the path only',
      fhirTransport([{ ...good, baseUrl: 'http://fhir.example/https://' }]),
      ...(['improve', 'fhir-transport-plain', { names: 'http://fhir.example/https://' }] as const),
      'fhir-transport-do | fhir.baseUrl',
    ],
    [
      'no TLS',
      fhirTransport([good, { ...good, baseUrl: 'http://fhir.example' }]),
      ...(['improve', 'fhir-transport-plain', { names: 'http://fhir.example' }] as const),
      'fhir-transport-do | fhir.baseUrl',
    ],
    ['agreeing clocks', fhirClock([{ ...good, clockOffset: -60 }]), 'pass', 'fhir-clock-pass', { duration: 60 }],
    [
      'clocks that differ',
      fhirClock([{ ...good, clockOffset: -61 }, { ...other, clockOffset: 200 }, local]),
      ...(['improve', 'fhir-clock-differs', { names: `${names}, ${other.baseUrl}`, duration: 180 }] as const),
      'fhir-clock-do',
    ],
    [
      'the only clock differs',
      fhirClock([{ ...good, clockOffset: 61 }]),
      ...(['improve', 'fhir-clock-differs', { names, duration: 60 }, 'fhir-clock-do'] as const),
    ],
    [
      'a clock that is not told',
      fhirClock([{ ...good, clockOffset: undefined }, other]),
      ...(['unknown', 'fhir-clock-untold', { names }, 'fhir-clock-untold-do'] as const),
    ],
    ['patients that are there', representedPatients(0), 'pass', 'represented-patients-pass'],
    [
      'patients that are gone',
      representedPatients(21),
      ...(['blocking', 'represented-patients-gone', { count: 21 }] as const),
      'represented-patients-do | fhir.baseUrl',
    ],
    ['no server has no names', fhirNames([]), 'unknown', 'fhir-unset', undefined, unset],
    ['its own name', fhirNames([good, other]), 'pass', 'fhir-names-pass'],
    [
      'other names',
      fhirNames([
        { ...good, otherNames: ['http://a.example/r4', 'http://b.example/r4'] },
        { ...other, otherNames: undefined },
      ]),
      ...(['improve', 'fhir-names-other', { names, found: 'http://a.example/r4, http://b.example/r4' }] as const),
      'fhir-names-do | fhir.aliases',
    ],
    [
      'no name in any answer',
      fhirNames([good, { ...other, otherNames: undefined }]),
      ...(['unknown', 'fhir-names-unread', { names: other.baseUrl }, 'fhir-names-unread-do'] as const),
    ],
  ]);
});
