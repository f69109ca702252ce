import type { Answer } from './agent.js';

const reference = /\b[A-Z2-9]{2}-[A-Z2-9]{4}-[A-Z2-9]{2}\b/g;

/** What an answer says, apart from the reference of its launch: that of each launch is another. */
export function withoutReference({ status, text, headers }: Pick<Answer, 'status' | 'text' | 'headers'>) {
  const { 'x-launch-reference': _, ...others } = headers;
  return { status, text: text.replace(reference, 'reference'), headers: others };
}
