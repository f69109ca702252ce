import type { SmallAnswer } from '../answers.js';
import type { Json } from '../records.js';
import type { Interaction, SmallRequest } from '../request.js';
import type { Mutant } from './mutant.js';

type Test = (request: SmallRequest) => boolean;

export const on =
  (interaction: Interaction, ...more: Test[]): Test =>
  (request) =>
    request.interaction === interaction && more.every((test) => test(request));
export const searches: Test = ({ interaction }) => interaction === 'search' || interaction === 'search by post';
export const reads = on('read');
export const entry: Test = ({ isEntry }) => isEntry;
export const ofType =
  (name: string): Test =>
  ({ type }) =>
    type === name;
/** A request with a parameter of this name, and of a value that the test takes. */
export const has =
  (name: string | RegExp, test: (value: string) => boolean = () => true): Test =>
  ({ query }) =>
    query.some(([one, value]) => (typeof name === 'string' ? one === name : name.test(one)) && test(value));
export const header =
  (name: string, value: RegExp): Test =>
  ({ headers }) =>
    value.test(String(headers[name] ?? ''));
export const all =
  (...tests: Test[]): Test =>
  (request) =>
    tests.every((test) => test(request));

export const sees = (name: string, test: Test): Mutant => ({ name, sees: test });
export const flaw = (name: string): Mutant => ({ name, flaw: name });
/** A hole that shows under `--write` only. */
export const change = (name: string): Mutant => ({ name, flaw: name, isChange: true });
/** Answers from which something was left out are changed, so that they tell this. */
export const tells = (
  name: string,
  test: Test,
  changed: (answer: SmallAnswer, request: SmallRequest) => SmallAnswer,
): Mutant => ({ name, tells: (answer, request) => (test(request) ? changed(answer, request) : answer) });

export const withHeader = (name: string, value: string) => (answer: SmallAnswer) => ({
  ...answer,
  headers: { ...answer.headers, [name]: value },
});
export const withStatus = (status: number) => (answer: SmallAnswer) => ({ ...answer, status });
export const withBody =
  (changed: (body: Json) => Json) =>
  (answer: SmallAnswer): SmallAnswer => ({ ...answer, body: changed((answer.body ?? {}) as Json) });
export const withEntry = (one: object) =>
  withBody((body) => ({ ...body, entry: [...((body.entry ?? []) as object[]), one] }));
