import { randomUUID } from 'node:crypto';
import { requestContext } from './scope.js';

/** All that anybody is told of a failure of ours: what went wrong stands in the log under the same number. */
export function failureText(): string {
  const id = requestContext.getStore()?.correlationId ?? randomUUID();
  return `Something went wrong. Please give this number to your administrator: ${id}`;
}
