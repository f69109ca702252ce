import { randomUUID } from 'node:crypto';
import { requestContext } from './scope.js';

/** The only text about an internal failure that users see; the log has the details under the same number. */
export function failureText(): string {
  const id = requestContext.getStore()?.correlationId ?? randomUUID();
  return `Something went wrong. Please give this number to your administrator: ${id}`;
}
