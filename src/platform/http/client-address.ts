import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';
import { requestContext } from '../request/scope.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses of clients; forwarded headers count only from configured proxies (security F-04). */
export class ClientAddress {
  private readonly isTrusted: (address: string, hop: number) => boolean;

  constructor(trustedProxies: string[]) {
    this.isTrusted = proxyAddr.compile(trustedProxies);
  }

  /** The client's IP address as text. */
  forRequest(request: IncomingMessage): string {
    return proxyAddr(request, this.isTrusted) ?? '';
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
      this.isTrusted(request.socket.remoteAddress ?? '', 0) &&
      typeof proto === 'string' &&
      /^https$/i.test(proto.split(',').at(-1)?.trim() ?? '')
    );
  }
}

/** The key of rate limits for the sender of the current request. */
export function callerKey(): string {
  return limitKeyOf(requestContext.getStore()?.address ?? '');
}

/** Key of rate limits: the address, or the /64 of an IPv6 one, since a single customer holds at least that many. */
function limitKeyOf(text: string): string {
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
