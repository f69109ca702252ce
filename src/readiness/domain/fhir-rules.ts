import { message } from '../../contract/messages/message.js';
import { type Finding, pass, printable, roughly, setting } from './finding.js';

/** The state of a FHIR server as this node sees it. */
export interface ServerProbe {
  baseUrl: string;
  /** True if the host of the base URL is a loopback address. */
  isLocal: boolean;
  /** A text if there is no usable CapabilityStatement: the reason. */
  capabilities: { version: string; types: number } | string;
  /** Seconds that its `Date` header is ahead of this machine's clock; undefined without one. */
  clockOffset: number | undefined;
  /** The status of a read without credentials; undefined without an answer. */
  statusWithoutCredentials: number | undefined;
  /** Base URLs in its answers that are not known to be its own; undefined if no answer names the server. */
  otherNames: readonly string[] | undefined;
}

const mostOffsetSeconds = 60;

const unset = (state: Finding['state']): Finding => ({
  state,
  finding: message('readiness-fhir-unset'),
  advice: message('readiness-fhir-set'),
  remedy: setting('fhir.baseUrl'),
});

const addresses = (servers: readonly ServerProbe[]) => servers.map(({ baseUrl }) => baseUrl).join(', ');

export function fhirCapabilities(servers: readonly ServerProbe[]): Finding {
  const [first] = servers;
  if (!first) return unset('blocking');
  const missing = servers.filter(({ capabilities }) => typeof capabilities === 'string');
  if (missing.length > 0) {
    const reason = printable(String(missing[0]?.capabilities));
    return {
      state: 'blocking',
      finding: message('readiness-fhir-capabilities-missing', { names: addresses(missing), reason }),
      advice: message('readiness-fhir-capabilities-do'),
      remedy: setting('fhir.baseUrl'),
    };
  }
  const read = servers.map(({ capabilities }) => capabilities as Exclude<ServerProbe['capabilities'], string>);
  const empty = servers.filter((_, index) => read[index]?.types === 0);
  if (empty.length > 0) {
    return {
      state: 'improve',
      finding: message('readiness-fhir-capabilities-empty', { names: addresses(empty) }),
      advice: message('readiness-fhir-capabilities-empty-do'),
    };
  }
  const version = printable([...new Set(read.map((one) => one.version))].join(', '));
  const types = Math.min(...read.map((one) => one.types));
  return pass(message('readiness-fhir-capabilities-pass', { version, types }));
}

export function fhirDirectAccess(servers: readonly ServerProbe[], gatewayEnabled: boolean): Finding {
  if (servers.length === 0) return unset('unknown');
  const open = servers.filter(({ statusWithoutCredentials: status = 0 }) => status >= 200 && status < 300);
  const reachable = open.filter(({ isLocal }) => !isLocal);
  if (open.length > 0 && !gatewayEnabled) {
    return {
      state: 'blocking',
      finding: message('readiness-fhir-direct-access-apps', { names: addresses(open) }),
      advice: message('readiness-fhir-direct-access-apps-do'),
      remedy: setting('gateway.enabled'),
    };
  }
  if (reachable.length > 0) {
    return {
      state: 'improve',
      finding: message('readiness-fhir-direct-access-open', { names: addresses(reachable) }),
      advice: message('readiness-fhir-direct-access-open-do'),
      remedy: setting('fhir.credentials'),
    };
  }
  if (open.length > 0) {
    return {
      state: 'unknown',
      finding: message('readiness-fhir-direct-access-local', { names: addresses(open) }),
      advice: message('readiness-fhir-direct-access-local-do'),
      remedy: setting('fhir.credentials'),
    };
  }
  const unclear = servers.filter(({ statusWithoutCredentials: status }) => status !== 401 && status !== 403);
  if (unclear.length > 0) {
    return {
      state: 'unknown',
      finding: message('readiness-fhir-direct-access-unclear', { names: addresses(unclear) }),
      advice: message('readiness-fhir-direct-access-unclear-do'),
    };
  }
  return pass(message('readiness-fhir-direct-access-pass'));
}

export function fhirTransport(servers: readonly ServerProbe[]): Finding {
  if (servers.length === 0) return unset('unknown');
  const plain = servers.filter(({ baseUrl, isLocal }) => !isLocal && !/^https:/i.test(baseUrl));
  if (plain.length === 0) return pass(message('readiness-fhir-transport-pass'));
  return {
    state: 'improve',
    finding: message('readiness-fhir-transport-plain', { names: addresses(plain) }),
    advice: message('readiness-fhir-transport-do'),
    remedy: setting('fhir.baseUrl'),
  };
}

export function fhirClock(servers: readonly ServerProbe[]): Finding {
  if (servers.length === 0) return unset('unknown');
  const offsetOf = ({ clockOffset = 0 }: ServerProbe) => Math.abs(clockOffset);
  const different = servers.filter((server) => offsetOf(server) > mostOffsetSeconds);
  if (different.length > 0) {
    const duration = roughly(Math.max(...different.map(offsetOf)));
    return {
      state: 'improve',
      finding: message('readiness-fhir-clock-differs', { names: addresses(different), duration }),
      advice: message('readiness-fhir-clock-do'),
    };
  }
  const silent = servers.filter(({ clockOffset }) => clockOffset === undefined);
  if (silent.length > 0) {
    return {
      state: 'unknown',
      finding: message('readiness-fhir-clock-untold', { names: addresses(silent) }),
      advice: message('readiness-fhir-clock-untold-do'),
    };
  }
  return pass(message('readiness-fhir-clock-pass', { duration: mostOffsetSeconds }));
}

export function fhirNames(servers: readonly ServerProbe[]): Finding {
  if (servers.length === 0) return unset('unknown');
  const other = servers.filter(({ otherNames = [] }) => otherNames.length > 0);
  if (other.length > 0) {
    const found = printable(other.flatMap(({ otherNames = [] }) => otherNames).join(', '));
    return {
      state: 'improve',
      finding: message('readiness-fhir-names-other', { names: addresses(other), found }),
      advice: message('readiness-fhir-names-do'),
      remedy: setting('fhir.aliases'),
    };
  }
  const unread = servers.filter(({ otherNames }) => otherNames === undefined);
  if (unread.length > 0) {
    return {
      state: 'unknown',
      finding: message('readiness-fhir-names-unread', { names: addresses(unread) }),
      advice: message('readiness-fhir-names-unread-do'),
    };
  }
  return pass(message('readiness-fhir-names-pass'));
}

/**
 * Relationships whose patients the server does not have any more, and which are not suspended because there are so
 * many of them.
 */
export function representedPatients(gone: number): Finding {
  if (gone === 0) return pass(message('readiness-represented-patients-pass'));
  return {
    state: 'blocking',
    finding: message('readiness-represented-patients-gone', { count: gone }),
    advice: message('readiness-represented-patients-do'),
    remedy: setting('fhir.baseUrl'),
  };
}
