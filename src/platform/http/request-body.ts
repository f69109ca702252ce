import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { type Message, message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';
import { requestContext } from '../request/scope.js';
import { mostLevels } from '../values/json.js';
import { JsonTooComplex, jsonInTurns } from '../values/json-in-turns.js';
import { answerProblem } from './problem.filter.js';

/** No form has more members, and each costs validation time and adds to the response. */
const limits = { levels: mostLevels, members: 200, items: 2_000, parts: 20_000 };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the whole body; undefined when it exceeds `maxBytes`. Uses listeners: an iterator costs as much as the rest of
 * a token request's dispatch.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  // The listeners run in the context of the connection.
  const context = requestContext.getStore();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and dropped, so that the refusal reaches the client.
      if (size <= maxBytes) chunks.push(chunk);
    });
    // A permanent listener costs less than removing it, and a second settlement of the promise is ignored.
    request.on('end', () => {
      if (context) context.completeAt = context.arrivals?.earliest();
      resolve(size > maxBytes ? undefined : Buffer.concat(chunks));
    });
    request.on('error', reject);
    // Every request emits 'close'; creating an error costs as much as the rest of this function.
    request.on('close', () => request.complete || reject(new Error('the request ended before its body did')));
  });
}

/**
 * Parses JSON unambiguously: UTF-8 without a byte order mark (RFC 8259 §8.1), no duplicate members, and
 * no member that a parser could take for the prototype of an object. A body nested so deeply that it would
 * exhaust its readers is refused before they see it. `maxBytes` depends on the path; the handlers of files read them
 * themselves.
 */
export function jsonBody(maxBytes: (path: string) => number, isFile: (path: string) => boolean = () => false) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!hasBody(request) || isFile(request.path)) {
      next();
      return;
    }
    read(request, maxBytes(request.path)).then(
      (body) => {
        request.body = body;
        next();
      },
      // A request that was cut off gets no response.
      (error: unknown) => (error instanceof Problem ? answerProblem(error, response) : response.destroy()),
    );
  };
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

async function read(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes);
  if (!bytes) throw new Problem('too-large', message('body-too-large'));
  if (bytes.length === 0) return {};
  const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = request.headers;
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (coding.toLowerCase() !== 'identity' || !/^(utf-8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported-media-type', message('body-encoding'));
  }
  return parsed(bytes);
}

async function parsed(bytes: Buffer): Promise<unknown> {
  const { value, duplicate, hasPrototype } = await jsonInTurns(textOf(bytes), limits).catch((error: unknown) => {
    throw new Problem('invalid', message(error instanceof JsonTooComplex ? 'body-too-complex' : 'request-invalid'));
  });
  if (hasPrototype) refuseMember('__proto__', message('member-forbidden'));
  if (duplicate !== undefined) refuseMember(duplicate, message('member-duplicate'));
  return value;
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem('invalid', message('request-invalid'));
  }
}

function refuseMember(field: string, reason: Message): never {
  throw Problem.invalid([{ field, messages: [reason] }]);
}
