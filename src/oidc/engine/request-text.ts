import type { IncomingMessage } from 'node:http';

/** The engine reads the request's stream, which was consumed before: it gets this text from the beginning. */
export function playAgain(request: IncomingMessage, text: string): void {
  const body = Buffer.from(text);
  if (request.headers['content-length'] !== undefined) request.headers['content-length'] = String(body.length);
  Object.defineProperty(request, 'readable', { value: true });
  request.iterator = () => [body] as never;
}
