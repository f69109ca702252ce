import { type FieldProblem, type Message, message } from '../messages/message.js';
import { lineProblem } from './text.js';

export const maxTagValue = 20;

/** `spec §9`: ten colours to choose from, dark enough to be distinguished on light and dark ground. */
export const tagPalette = [
  '#C2410C',
  '#B42318',
  '#A21CAF',
  '#7C3AED',
  '#4F46E5',
  '#1D6FB8',
  '#0A6375',
  '#1F7D4F',
  '#4D7C0F',
  '#825300',
] as const;

export function tagColorProblem(color: string): Message | undefined {
  if (!color.startsWith('#')) return message('color-start');
  const digits = color.slice(1);
  if (digits.length !== 3 && digits.length !== 6) return message('color-length');
  return /^[0-9A-Fa-f]+$/.test(digits) ? undefined : message('color-format');
}

export function tagValueProblem(value: string): Message | undefined {
  return value.trim() === '' ? message('tag-value-required') : lineProblem(value.trim(), maxTagValue);
}

export function tagProblems(tag: { value: string; color: string }): FieldProblem[] {
  const problems = { value: tagValueProblem(tag.value), color: tagColorProblem(tag.color.trim()) };
  return Object.entries(problems).flatMap(([field, problem]) => (problem ? [{ field, messages: [problem] }] : []));
}
