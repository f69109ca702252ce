import { message } from '../../contract/messages/message.js';
import { command, type Finding, pass, roughly, setting } from './finding.js';

/** The facts about acting for others; undefined where no account can. */
export interface RepresentationFacts {
  haveSameRules: boolean;
  timeZone: string | undefined;
  /** `resources` is undefined where a FHIR server could not be read. */
  samples: readonly { resources: number | undefined; unrecognised: readonly string[] }[];
}

const off = () => pass(message('readiness-representation-off'));

/** Blocks while a level keeps a kind private as which no resource of a sample can be recognised. */
export function representationLabels(facts: RepresentationFacts | undefined): Finding {
  if (!facts) return off();
  const { samples } = facts;
  if (samples.length === 0) return pass(message('readiness-representation-labels-none'));
  const count = samples.reduce((sum, { resources = 0 }) => sum + resources, 0);
  const kinds = [...new Set(samples.flatMap(({ unrecognised }) => unrecognised))];
  const isRead = samples.every(({ resources }) => resources !== undefined && resources > 0);
  if (kinds.length > 0 && count > 0) {
    return {
      state: 'blocking',
      finding: message('readiness-representation-labels-unrecognised', { count, kinds: kinds.join(', ') }),
      advice: message('readiness-representation-labels-do'),
      remedy: setting('representation.levels'),
    };
  }
  if (!isRead) {
    return {
      state: 'unknown',
      finding: message('readiness-representation-labels-unread'),
      advice: message('readiness-representation-labels-unread-do'),
      remedy: setting('fhir.credentials'),
    };
  }
  return pass(message('readiness-representation-labels-pass', { count }));
}

export function representationNodes(facts: RepresentationFacts | undefined): Finding {
  if (!facts) return off();
  if (facts.haveSameRules) return pass(message('readiness-representation-nodes-pass'));
  return {
    state: 'blocking',
    finding: message('readiness-representation-nodes-differ'),
    advice: message('readiness-representation-nodes-do'),
    remedy: setting('representation'),
  };
}

export function representationTimeZone(facts: RepresentationFacts | undefined): Finding {
  if (!facts) return off();
  const { timeZone: zone } = facts;
  if (zone !== undefined) return pass(message('readiness-representation-time-zone-pass', { zone }));
  return {
    state: 'improve',
    finding: message('readiness-representation-time-zone-unset'),
    advice: message('readiness-representation-time-zone-do'),
    remedy: setting('locale.timeZone'),
  };
}

/**
 * Blocks after a restore until an operator has compared the relationships. The ages are those of the latest restore and
 * of the latest comparison; undefined where there was none.
 */
export function representationRestored(
  ages: { restored: number | undefined; compared: number | undefined } | undefined,
): Finding {
  if (!ages) return off();
  const { restored, compared = Number.POSITIVE_INFINITY } = ages;
  if (restored === undefined || compared <= restored) return pass(message('readiness-representation-restored-pass'));
  return {
    state: 'blocking',
    finding: message('readiness-representation-restored-unseen', { duration: roughly(restored) }),
    advice: message('readiness-representation-restored-do'),
    remedy: command('restore done'),
  };
}

/** Requests whose answer is late; undefined where no account can act for a patient. */
export function lateRequests(count: number | undefined): Finding {
  if (count === undefined) return off();
  if (count === 0) return pass(message('readiness-late-requests-pass'));
  return {
    state: 'improve',
    finding: message('readiness-late-requests-late', { count }),
    advice: message('readiness-late-requests-do'),
    remedy: { kind: 'page', to: '/admin/requests', label: message('readiness-late-requests-page') },
  };
}
