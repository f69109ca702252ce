import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector, request } from 'undici';
import { requestContext } from '../request/scope.js';

/** The request was not sent, or its response cannot be used; the reason is for the log. */
export class OutboundError extends Error {
  /** True if the address is private or of special use. */
  isRefusedAddress = false;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  timeoutMs: number;
  maxBytes: number;
}

/**
 * HTTP client for addresses that were registered here (key sets, logout receivers). Private and special-use addresses
 * are refused before a byte is sent, whatever the name resolves to at that moment (security M-01); the configuration
 * permits hosts and networks of the hospital's own. Redirects are not followed, compressed responses not requested.
 */
export class Outbound {
  /** Connects to any address but the refused ones. */
  readonly connect: buildConnector.connector;
  private readonly agent: Agent;
  private readonly networks: [ipaddr.IPv4 | ipaddr.IPv6, number][];

  constructor(private readonly allowed: readonly string[]) {
    this.networks = allowed.filter((entry) => ipaddr.isValidCIDR(entry)).map((entry) => ipaddr.parseCIDR(entry));
    const connect = buildConnector({ timeout: 2_000, lookup: this.guardedLookup });
    this.connect = (options, callback) => {
      // A literal address has no DNS lookup, so it is checked here.
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (ipaddr.isValid(host) && !this.mayConnect(host, host)) callback(refused(host), null);
      else connect(options, callback);
    };
    this.agent = new Agent({ connect: this.connect, maxResponseSize: -1, pipelining: 0 });
    this.proveGuard();
  }

  async send(
    url: string,
    { method = 'GET', headers = {}, body, timeoutMs, maxBytes }: OutboundRequest,
  ): Promise<OutboundAnswer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const span = requestContext.getStore()?.span?.begin(`${method} address of a client`, {
      'http.request.method': method,
      'server.address': new URL(url).hostname,
    });
    let status: number | undefined;
    try {
      const answer = await request(url, { method, headers, body, signal, dispatcher: this.agent });
      status = answer.statusCode;
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body) {
        size += chunk.length;
        if (size > maxBytes) throw new OutboundError(`the answer is larger than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
    } catch (cause) {
      if (cause instanceof OutboundError) throw cause;
      throw new OutboundError(reasonOf(cause), { cause });
    } finally {
      if (status === undefined) span?.end({ failure: 'failed' });
      else span?.end({ attributes: { 'http.response.status_code': status } });
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private readonly guardedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const open = (addresses ?? []).filter(({ address }) => this.mayConnect(hostname, address));
      const [first] = open;
      if (error || !first) callback(error ?? refused(hostname), '', 0);
      else if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };

  private mayConnect(hostname: string, text: string): boolean {
    const address = ipaddr.process(text);
    if (address.range() === 'unicast') return true;
    return (
      this.allowed.includes(hostname.toLowerCase()) ||
      this.networks.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network as ipaddr.IPv4, bits),
      )
    );
  }

  /**
   * An attacker must not be the first to discover a guard that does not refuse: the start fails instead (security
   * M-03).
   */
  private proveGuard(): void {
    const forbidden = ['169.254.169.254', '127.0.0.1', '::1', '::ffff:7f00:1', '10.0.0.1', 'fd00::1', '0.0.0.0'];
    const fails = forbidden.filter(
      (address) => this.networks.length === 0 && this.mayConnect('guard.invalid', address),
    );
    if (fails.length > 0) throw new Error(`outbound requests to ${fails.join(', ')} would not be refused`);
  }
}

/** A name with several addresses fails by several errors, whose sum has no text of its own. */
function reasonOf(cause: unknown): string {
  const { name, message, code, errors } = (cause ?? {}) as Partial<NodeJS.ErrnoException & AggregateError>;
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'there was no answer in time';
  if (Array.isArray(errors) && errors.length > 0) return [...new Set(errors.map(reasonOf))].join('; ');
  return message || code || 'the request failed';
}

function refused(host: string): OutboundError {
  const error = new OutboundError(`${host} is a private or special-use address`);
  error.isRefusedAddress = true;
  return error;
}
