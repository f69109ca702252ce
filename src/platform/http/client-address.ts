import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import { limitKeyOf, parsedAddress } from '../request/caller-key.js';

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
    return handedOn === undefined && parsedAddress(request.socket.remoteAddress ?? '')?.range() === 'loopback';
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
