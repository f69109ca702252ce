/** Addresses and host names in the words of a FHIR server, which apps do not get. */

const url = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>()[\]{}|\\^`]+/gi;
const labels = '(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+';
const port = '(?::\\d{1,5})?';
/** A host that is none of a word: a FHIRPath and the name of a class have dots, too. */
const host = new RegExp(
  `(?<![\\w.@/-])(?:${[
    `${labels}[a-z0-9-]+:\\d{2,5}`,
    `localhost${port}`,
    `(?:\\d{1,3}\\.){3}\\d{1,3}(?!\\.\\d)${port}`,
    `\\[[0-9a-f:.]{2,}\\]${port}`,
    `${labels}(?:corp|home|internal|intranet|lan|local|localdomain|private|svc)${port}`,
  ].join('|')})(?![\\w-])`,
  'gi',
);
/** Publishers of profiles and code systems, which say what is wrong with a resource. */
const publisher =
  /^(?:[a-z0-9-]+\.)*(?:hl7\.org|loinc\.org|snomed\.info|unitsofmeasure\.org|nema\.org|w3\.org|nih\.gov|ihe\.net)$/i;
/** Members of an OperationOutcome that name a definition. */
const definitions = new Set(['code', 'profile', 'resourceType', 'severity', 'system', 'url']);

interface Known {
  /** The base that apps see. */
  ours: string;
  /** Hosts of the server. */
  hosts: readonly string[];
  /** The app's own request: it may be told what it sent. */
  request: string;
}

/**
 * The words with `…` for addresses and hosts, but for those of ours, of publishers of definitions and of the app
 * itself.
 */
export function withoutAddresses(words: string, { ours, hosts, request }: Known): string {
  const withoutUrls = words.replace(url, (found) => {
    const end = /[.,;:!?]*$/.exec(found)?.[0] ?? '';
    const address = found.slice(0, found.length - end.length);
    const isKnown = address.startsWith(ours) || request.includes(address) || isPublished(address);
    return isKnown ? found : `…${end}`;
  });
  // The addresses that stay are not words.
  return withoutUrls
    .split(/([a-z][a-z0-9+.-]{1,20}:\/\/\S+)/i)
    .map((part, index) => (index % 2 === 1 ? part : withoutHosts(part, hosts)))
    .join('');
}

/** The same for all words of an OperationOutcome, as JSON. */
export function outcomeWithoutAddresses(outcome: string, known: Known): string {
  return JSON.stringify(JSON.parse(outcome), (name, value: unknown) =>
    typeof value === 'string' && !definitions.has(name) ? withoutAddresses(value, known) : value,
  );
}

function withoutHosts(words: string, hosts: readonly string[]): string {
  const own = hosts.map((one) => one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const named = new RegExp(`(?<![\\w.-])(?:${own})\\.?${port}(?![\\w-])`, 'gi');
  return (own === '' ? words : words.replace(named, '…')).replace(host, '…');
}

function isPublished(address: string): boolean {
  return URL.canParse(address) && publisher.test(new URL(address).hostname);
}
