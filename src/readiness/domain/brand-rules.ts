import { type Message, message } from '../../contract/messages/message.js';
import { type Finding, namesOf, pass, printable, setting } from './finding.js';

/** A published organization (`brands.organizations`), by what apps are told of it. */
export interface BrandFacts {
  name: string;
  website: string;
  /** URLs of its logo and those of its portals; data URLs as well. */
  logos: readonly string[];
  portals: readonly string[];
  addresses: readonly { state?: string | undefined; postalCode?: string | undefined; country?: string | undefined }[];
}

/** The published facts of the organizations behind the FHIR bases. */
export interface PublishedBrands {
  organizations: readonly BrandFacts[];
  /** The FHIR bases that organizations have, by which apps ask for data. */
  endpoints: readonly { url: string; hasServer: boolean }[];
  /** URLs of FHIR bases that no organization has. */
  basesWithout: readonly string[];
  /** ISO 8601. */
  updatedAt: string | undefined;
}

/** Domains that belong to no organization (RFC 2606, RFC 6761). */
const reserved = /(^|\.)(example|invalid|test|localhost|local|example\.(com|net|org))$/;
const isPrivate = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./;
/** How a PNG begins. */
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/**
 * The organizations that apps are told of (SMART App Launch 2.2 §brands). It finds what cannot be right without asking
 * other hosts, which a node may not reach (decision 0113).
 */
export function brands(published: PublishedBrands, now: Date): Finding {
  const { organizations, endpoints, basesWithout, updatedAt } = published;
  if (organizations.length === 0) return pass(message('readiness-brands-none'));
  const improve = (finding: Message, advice: Message, key = 'brands.organizations'): Finding => ({
    state: 'improve',
    finding,
    advice,
    remedy: setting(key),
  });
  const lost = endpoints.find(({ url, hasServer }) => !hasServer || leadsNowhere(url));
  if (lost) {
    const finding = lost.hasServer
      ? message('readiness-brands-endpoint', { base: printable(lost.url) })
      : message('readiness-brands-no-server', { base: printable(lost.url) });
    return improve(finding, message('readiness-brands-endpoint-do'));
  }
  const found = (isWrong: (one: BrandFacts) => boolean) => {
    const wrong = organizations.filter(isWrong).map(({ name }) => ({ id: name, name }));
    return namesOf({ count: wrong.length, first: wrong.slice(0, 3) });
  };
  const unreachable = found(({ website, portals, logos }) => [website, ...portals, ...logos].some(leadsNowhere));
  if (unreachable) {
    return improve(
      message('readiness-brands-unreachable', { names: unreachable }),
      message('readiness-brands-unreachable-do'),
    );
  }
  const broken = found(({ logos }) => logos.some(isBrokenPicture));
  if (broken) return improve(message('readiness-brands-logo', { names: broken }), message('readiness-brands-logo-do'));
  const misplaced = found(({ addresses }) => addresses.some(isNoAddress));
  if (misplaced) {
    return improve(message('readiness-brands-address', { names: misplaced }), message('readiness-brands-address-do'));
  }
  const [bare] = basesWithout;
  if (bare !== undefined) {
    return improve(message('readiness-brands-base', { base: printable(bare) }), message('readiness-brands-base-do'));
  }
  if (updatedAt !== undefined && new Date(updatedAt) > now) {
    return improve(message('readiness-brands-future'), message('readiness-brands-future-do'), 'brands.updatedAt');
  }
  return pass(message('readiness-brands-pass', { count: organizations.length }));
}

/** True for an address that no user of the Internet reaches: of a reserved domain, or of one machine or network. */
function leadsNowhere(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'data:') return false;
  return reserved.test(hostname) || !hostname.includes('.') || isPrivate.test(hostname);
}

function isBrokenPicture(address: string): boolean {
  if (!address.startsWith('data:')) return false;
  const [type = '', content = ''] = address.split(';base64,');
  const bytes = Buffer.from(content, 'base64');
  if (type.endsWith('png')) return !bytes.subarray(0, png.length).equals(png);
  return !/<svg[\s>]/.test(bytes.toString('utf8'));
}

/** True for an address in the United States whose state or postal code has another form than all of them have. */
function isNoAddress({ country, state, postalCode }: BrandFacts['addresses'][number]): boolean {
  if (country !== 'US') return false;
  const isState = state === undefined || /^[A-Z]{2}$/.test(state);
  return !isState || (postalCode !== undefined && !/^\d{5}(-\d{4})?$/.test(postalCode));
}
