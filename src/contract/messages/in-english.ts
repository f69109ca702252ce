import { english } from './catalogue.js';
import { fillIn, type Message } from './message.js';

/** The words of the specification. They are part of the API, whatever language the caller reads. */
export function inEnglish({ code, params }: Message): string {
  return fillIn(english[code], params);
}
