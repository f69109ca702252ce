import {
  lateRequests,
  type RepresentationFacts,
  representationLabels,
  representationNodes,
  representationRestored,
  representationTimeZone,
} from '../../../src/readiness/domain/representation-rules.js';
import { expectRows } from '../../support/readiness/rule-rows.js';

describe('The rules about acting for others', () => {
  const good: RepresentationFacts = {
    haveSameRules: true,
    timeZone: 'Europe/Lisbon',
    samples: [{ resources: 40, unrecognised: [] }],
  };
  const sampled = (...samples: RepresentationFacts['samples']) => ({ ...good, samples });
  const labels = (facts: RepresentationFacts | undefined) => representationLabels(facts);
  const restoredAgo = (restored?: number, compared?: number) => representationRestored({ restored, compared });
  expectRows([
    ['labels: it is off', labels(undefined), 'pass', 'representation-off'],
    ['nodes: it is off', representationNodes(undefined), 'pass', 'representation-off'],
    ['time zone: it is off', representationTimeZone(undefined), 'pass', 'representation-off'],
    ['requests: it is off', lateRequests(undefined), 'pass', 'representation-off'],
    ['restore: it is off', representationRestored(undefined), 'pass', 'representation-off'],
    ['nothing was restored', restoredAgo(undefined, undefined), 'pass', 'representation-restored-pass'],
    ['a restore was compared', restoredAgo(7200, 60), 'pass', 'representation-restored-pass'],
    [
      'a restore was not compared',
      restoredAgo(7200, undefined),
      ...(['blocking', 'representation-restored-unseen', { duration: 7200 }] as const),
      'representation-restored-do | npx gatehouse restore done',
    ],
    [
      'a restore came after the comparison of another one',
      restoredAgo(60, 7200),
      ...(['blocking', 'representation-restored-unseen', { duration: 60 }] as const),
      'representation-restored-do | npx gatehouse restore done',
    ],
    ['no request is late', lateRequests(0), 'pass', 'late-requests-pass'],
    [
      'a request is late',
      lateRequests(1),
      ...(['improve', 'late-requests-late', { count: 1 }] as const),
      'late-requests-do | /admin/requests (late-requests-page)',
    ],
    ['no level keeps anything private', labels(sampled()), 'pass', 'representation-labels-none'],
    ['each kind was found', labels(good), 'pass', 'representation-labels-pass', { count: 40 }],
    [
      'one of two servers has no label',
      labels(sampled({ resources: 40, unrecognised: [] }, { resources: 2, unrecognised: ['meta.security'] })),
      ...(['blocking', 'representation-labels-unrecognised', { count: 42, kinds: 'meta.security' }] as const),
      'representation-labels-do | representation.levels',
    ],
    [
      'one of two servers cannot be read',
      labels(sampled({ resources: 40, unrecognised: [] }, { resources: undefined, unrecognised: [] })),
      ...(['unknown', 'representation-labels-unread', undefined] as const),
      'representation-labels-unread-do | fhir.credentials',
    ],
    [
      'the server has nothing',
      labels(sampled({ resources: 0, unrecognised: ['meta.security'] })),
      ...(['unknown', 'representation-labels-unread', undefined] as const),
      'representation-labels-unread-do | fhir.credentials',
    ],
    ['nodes agree', representationNodes(good), 'pass', 'representation-nodes-pass'],
    [
      'nodes differ',
      representationNodes({ ...good, haveSameRules: false }),
      ...(['blocking', 'representation-nodes-differ', undefined] as const),
      'representation-nodes-do | representation',
    ],
    [
      'a time zone is named',
      representationTimeZone(good),
      ...(['pass', 'representation-time-zone-pass', { zone: 'Europe/Lisbon' }] as const),
    ],
    [
      'no time zone is named',
      representationTimeZone({ ...good, timeZone: undefined }),
      ...(['improve', 'representation-time-zone-unset', undefined] as const),
      'representation-time-zone-do | locale.timeZone',
    ],
  ]);
});
