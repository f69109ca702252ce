import { Injectable } from '@nestjs/common';
import type { PublishedKeys } from '../../contract/clients/client-conditions.js';
import { type Message, message } from '../../contract/messages/message.js';
import { type PublicJwk, parsePublicJwk } from '../../contract/rules/clients/jwk.js';
import { calledUrlProblem } from '../../contract/rules/web-address.js';
import { Problem } from '../../platform/errors.js';
import { Outbound, OutboundError } from '../../platform/http/outbound.js';
import { inEnglish } from '../../platform/language/translator.js';

const maxBytes = 64 * 1024;
const maxKeys = 100;
const timeoutMs = 2_500;

/** The reason why a key set cannot be used, for the administrator who registers its address. */
class KeySetError extends Error {
  constructor(
    readonly userMessage: Message,
    options?: ErrorOptions,
  ) {
    super(inEnglish(userMessage), options);
  }
}

/** A key of a set that is not used, by its id (or `without kid`), and why in a clause. */
export interface PassedOverKey {
  kid: string;
  reason: string;
}

export interface KeySet {
  keys: PublicJwk[];
  passedOver: PassedOverKey[];
  /** The Cache-Control header of the answer. */
  cacheControl: string;
}

/** The key sets that clients publish under a URL: asked for once, bounded in time and size. */
@Injectable()
export class KeySets {
  constructor(private readonly outbound: Outbound) {}

  /** The usable keys of the set; throws a `KeySetError`. */
  async read(url: string): Promise<KeySet> {
    const { status, headers, body } = await this.outbound
      .send(url, { headers: { accept: 'application/json' }, timeoutMs, maxBytes })
      .catch((cause: unknown) => {
        if (!(cause instanceof OutboundError)) throw cause;
        throw new KeySetError(message('key-set-unreachable'), { cause });
      });
    if (status !== 200) throw new KeySetError(message('key-set-status', { status }));
    return { ...keysIn(body.toString('utf8')), cacheControl: [headers['cache-control'] ?? ''].flat().join(',') };
  }

  /** Checks an address for the administrator before it is saved. */
  async check(url: string): Promise<PublishedKeys> {
    const problem = calledUrlProblem(url);
    if (problem) throw Problem.invalid([{ field: 'url', messages: [problem] }]);
    try {
      const { keys } = await this.read(url);
      return { keys: keys.map(({ kid, kty }) => ({ kid, kty })) };
    } catch (error) {
      if (!(error instanceof KeySetError)) throw error;
      throw Problem.invalid([{ field: 'url', messages: [error.userMessage] }]);
    }
  }
}

/** Explains to the administrator of the client why a key set could not be read; contains nothing that its host sent. */
export function keySetFailure(error: unknown): string {
  const { cause } = error as Error;
  if (!(cause instanceof OutboundError)) return (error as Error).message;
  if (cause.isRefusedAddress) return 'its address is private, and not among the permitted ones';
  const { code = '', name = '' } = (cause.cause ?? {}) as { code?: string; name?: string };
  if (/TIME(?:D)?OUT/.test(code) || name === 'TimeoutError') return 'it did not answer in time';
  if (/CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)) return `its TLS certificate or connection is not accepted (${code})`;
  if (/ENOTFOUND|EAI_AGAIN/.test(code)) return 'its host name is not known';
  if (code === 'ECONNREFUSED') return 'its host refuses the connection';
  return (error as Error).message;
}

function keysIn(text: string): Pick<KeySet, 'keys' | 'passedOver'> {
  const value = parsed(text) as { keys?: unknown; kty?: unknown } | null | undefined;
  const keys = value?.keys;
  if (!Array.isArray(keys)) throw new KeySetError(otherThanSet(text, value));
  if (keys.length > maxKeys) throw new KeySetError(message('key-set-too-large', { maximum: maxKeys }));
  // A set with a private or symmetric key in it was published by mistake, and is public by now.
  if (keys.some((key) => key?.kty === 'oct' || key?.d !== undefined)) {
    throw new KeySetError(message('key-set-secret'));
  }
  const read = keys.map((key) => ({ key, result: parsePublicJwk(JSON.stringify(key) ?? '') }));
  return {
    keys: read.flatMap(({ result }) => ('jwk' in result ? [result.jwk] : [])),
    passedOver: read.flatMap(({ key, result }) => ('jwk' in result ? [] : [passedOver(key, result.problem)])),
  };
}

/** The document that a host has published in place of a key set. */
function otherThanSet(text: string, value: { kty?: unknown } | null | undefined): Message {
  if (/^\s*</.test(text)) return message('key-set-page');
  if (Array.isArray(value)) return message('key-set-list');
  return value?.kty === undefined ? message('key-set-missing') : message('key-set-single');
}

function passedOver(key: unknown, problem: Message): PassedOverKey {
  const { kid, use } = (key ?? {}) as Record<string, unknown>;
  const isForOther = use !== undefined && use !== 'sig';
  return {
    kid: typeof kid === 'string' && kid !== '' ? kid.slice(0, 60) : 'without kid',
    reason: isForOther ? 'its use is not sig' : inEnglish(problem).replace(/\.$/, ''),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
