import { randomUUID } from 'node:crypto';
import { type Message, message } from '../../contract/messages/message.js';
import { inEnglish } from '../language/translator.js';
import { requestContext } from './scope.js';

/** The only message about an internal failure that users see; the log has the details under the same number. */
export function failureMessage(): Message {
  return message('failure', { id: requestContext.getStore()?.correlationId ?? randomUUID() });
}

export function failureText(): string {
  return inEnglish(failureMessage());
}
