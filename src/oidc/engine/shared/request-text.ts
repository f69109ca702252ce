import type { IncomingMessage } from 'node:http';

/** Stands for bytes that are not UTF-8 in a text that was read. */
export const notUtf8 = '\uFFFD';

const played = Symbol('text of the body');

interface RepeatedBody {
  [played]?: string;
}

/** The engine reads the request's stream, which was consumed before: it gets this text from the beginning. */
export function playAgain(request: IncomingMessage & RepeatedBody, text: string): void {
  request[played] = text;
  if (request.headers['content-length'] !== undefined) {
    request.headers['content-length'] = String(Buffer.byteLength(text));
  }
  Object.defineProperty(request, 'readable', { value: true });
  request.iterator = () => [Buffer.from(text)] as never;
}

/** The body of a request that was read before; undefined for one without a body. */
export function textOf(request: IncomingMessage & RepeatedBody): string | undefined {
  return request[played];
}

/** The type of a body of another type than a form, as it may be kept; undefined for a form, and without a type. */
export function bodyType({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === undefined || type === '' || type === 'application/x-www-form-urlencoded'
    ? undefined
    : type.slice(0, 60);
}
