import ipaddr from 'ipaddr.js';
import { requestContext } from './scope.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The key of rate limits for the sender of the current request. */
export function callerKey(): string {
  return limitKeyOf(requestContext.getStore()?.address ?? '');
}

/** Key of rate limits: the address, or the /64 of an IPv6 one, since a single customer holds at least that many. */
export function limitKeyOf(text: string): string {
  const address = parsedAddress(text);
  if (!address) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

export function parsedAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}
