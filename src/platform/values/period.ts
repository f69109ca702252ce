import { type Message, message } from '../../contract/messages/message.js';
import { Problem } from '../errors.js';

/** The period of a query; throws `invalid` at the field that is wrong. */
export function periodOf(from: string | undefined, to: string | undefined): { from?: Date; to?: Date } {
  const [begin, end] = [timeOf('from', from), timeOf('to', to)];
  if (begin && end && end < begin) throw periodProblem('to', message('launch-period-reversed'));
  if (begin && end && end.getTime() === begin.getTime()) throw periodProblem('to', message('launch-period-empty'));
  return { ...(begin && { from: begin }), ...(end && { to: end }) };
}

/** A time without a zone is in UTC, as all times of the records. */
export function momentOf(text: string): Date {
  const hasZone = !text.includes('T') || /(Z|[+-]\d\d(:?\d\d)?)$/i.test(text);
  return new Date(hasZone ? text : `${text}Z`);
}

function timeOf(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = momentOf(text);
  const year = time.getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) throw periodProblem(field, message('launch-time-invalid'));
  return time;
}

function periodProblem(field: string, problem: Message): Problem {
  return Problem.invalid([{ field, messages: [problem] }]);
}
