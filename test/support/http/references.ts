import type { Answer } from './agent.js';

const reference = /\b[A-Z2-9]{2}-[A-Z2-9]{4}-[A-Z2-9]{2}\b/g;

/** The content of an answer apart from the reference of its launch, which is another for each launch. */
export function withoutReference({ status, text, headers }: Pick<Answer, 'status' | 'text' | 'headers'>) {
  const { 'x-launch-reference': _, ...others } = headers;
  return { status, text: text.replace(reference, 'reference'), headers: others };
}
