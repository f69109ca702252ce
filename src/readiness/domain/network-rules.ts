import { message } from '../../contract/messages/message.js';
import { command, day, type Finding, pass, roughly, setting } from './finding.js';

/** The address of the portal. `isTrial`: it can be reached from its own machine only. */
export interface Address {
  issuer: string;
  isTrial: boolean;
}

export interface SigningKeyFacts {
  signing: number;
  /** Keys that sign longer than configured. */
  overdue: number;
  secondsToNext: number;
}

const isSecure = ({ issuer }: Address) => /^https:/i.test(issuer);
const mostRotationDays = 366;
/** Shortest prefixes of a network that a hospital may own; a shorter one is (nearly) the whole Internet. */
const shortestPrefix = { v4: 8, v6: 16 };

export function issuer(address: Address): Finding {
  if (isSecure(address)) return pass(message('readiness-issuer-pass', { issuer: address.issuer }));
  return {
    state: address.isTrial ? 'improve' : 'blocking',
    finding: address.isTrial
      ? message('readiness-issuer-local', { issuer: address.issuer })
      : message('readiness-issuer-plain', { issuer: address.issuer }),
    advice: message('readiness-issuer-do'),
    remedy: setting('server.issuer'),
  };
}

export function trustedProxies(networks: readonly string[], address: Address): Finding {
  const remedy = setting('server.trustedProxies');
  const wide = networks.filter(isWide);
  if (wide.length > 0) {
    return {
      state: 'blocking',
      finding: message('readiness-trusted-proxies-wide', { networks: wide.join(', ') }),
      advice: message('readiness-trusted-proxies-wide-do'),
      remedy,
    };
  }
  if (networks.length > 0) return pass(message('readiness-trusted-proxies-pass', { networks: networks.join(', ') }));
  // The portal itself speaks no TLS.
  if (!isSecure(address)) return pass(message('readiness-trusted-proxies-unneeded'));
  return {
    state: 'improve',
    finding: message('readiness-trusted-proxies-none'),
    advice: message('readiness-trusted-proxies-none-do'),
    remedy,
  };
}

/** `file`: the path of the key in the data folder; undefined for a key of the configuration. */
export function masterKey(file: string | undefined, { isTrial }: Address): Finding {
  if (file === undefined) return pass(message('readiness-master-key-pass'));
  return {
    state: isTrial ? 'improve' : 'blocking',
    finding: message('readiness-master-key-beside', { file }),
    advice: message('readiness-master-key-do'),
    remedy: setting('keys.masterKey'),
  };
}

export function signingKeys({ signing, overdue, secondsToNext }: SigningKeyFacts, rotationDays: number): Finding {
  if (signing === 0) {
    return {
      state: 'unknown',
      finding: message('readiness-signing-keys-none'),
      advice: message('readiness-signing-keys-none-do'),
    };
  }
  if (overdue > 0) {
    return {
      state: 'improve',
      finding: message('readiness-signing-keys-due', { count: overdue }),
      advice: message('readiness-signing-keys-due-do'),
      remedy: command('keys rotate'),
    };
  }
  if (rotationDays > mostRotationDays) {
    return {
      state: 'improve',
      finding: message('readiness-signing-keys-seldom', { days: rotationDays }),
      advice: message('readiness-signing-keys-seldom-do'),
      remedy: setting('keys.rotationDays'),
    };
  }
  return pass(
    message('readiness-signing-keys-pass', { duration: roughly(Math.min(secondsToNext, rotationDays * day)) }),
  );
}

function isWide(network: string): boolean {
  const [, prefix] = network.split('/');
  return prefix !== undefined && Number(prefix) < (network.includes(':') ? shortestPrefix.v6 : shortestPrefix.v4);
}
