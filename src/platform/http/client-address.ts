import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses of clients; forwarded headers count only from configured proxies (security F-04). */
export class ClientAddress {
  private readonly trusted: [Address, number][];

  constructor(trustedProxies: string[]) {
    this.trusted = trustedProxies.map((range) => {
      if (range.includes('/')) return ipaddr.parseCIDR(range);
      const address = ipaddr.parse(range);
      return [address, address.kind() === 'ipv4' ? 32 : 128];
    });
  }

  /** The client's IP address as text. */
  forRequest(request: IncomingMessage): string {
    const { remoteAddress = '' } = request.socket;
    if (this.trusted.length === 0) return remoteAddress;
    const hops = [...forwarded(request), remoteAddress];
    let at = hops.pop() ?? '';
    while (this.isTrusted(at) && hops.length > 0) at = hops.pop() ?? at;
    return at;
  }

  limitKey(request: IncomingMessage): string {
    return limitKeyOf(this.forRequest(request));
  }

  /** True for a request of a process on this machine; a request that a proxy forwards is not. */
  isThisMachine(request: IncomingMessage): boolean {
    const handedOn = request.headers['x-forwarded-for'] ?? request.headers.forwarded;
    return handedOn === undefined && parse(request.socket.remoteAddress ?? '')?.range() === 'loopback';
  }

  /** True if the browser's side of the connection is TLS. */
  isSecure(request: IncomingMessage): boolean {
    if ('encrypted' in request.socket) return true;
    const proto = request.headers['x-forwarded-proto'];
    return (
      this.isTrusted(request.socket.remoteAddress ?? '') &&
      typeof proto === 'string' &&
      /^https$/i.test(proto.split(',').at(-1)?.trim() ?? '')
    );
  }

  private isTrusted(text: string): boolean {
    const address = parse(text);
    return (
      address !== undefined &&
      this.trusted.some(([range, bits]) => address.kind() === range.kind() && address.match(range as ipaddr.IPv4, bits))
    );
  }
}

/** Key of rate limits: the address, or the /64 of an IPv6 one, since a single customer holds at least that many. */
export function limitKeyOf(text: string): string {
  const address = parse(text);
  if (!address) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

function parse(text: string): Address | undefined {
  return ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

function forwarded(request: IncomingMessage): string[] {
  const header = request.headers['x-forwarded-for'];
  if (header === undefined) return [];
  return [header]
    .flat()
    .join(',')
    .split(',')
    .map((hop) => hop.trim());
}
