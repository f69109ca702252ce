import { listOf, member } from '../../../contract/rules/resources/elements.js';
import { operationsOfRecord } from '../../../contract/rules/scopes/scope-effect.js';
import type { Parameter } from '../parameter.js';
import { Refusal } from '../refusal.js';
import { assertFormat } from '../search-parameters.js';
import { docrefParameters } from './docref.js';

/** Operations whose answers the gateway can check, with all that it lets them be asked by. */
const understood: Readonly<Record<string, readonly string[]>> = {
  everything: ['start', 'end', '_since', '_type', '_count', '_format', '_pretty'],
  // No `_typeFilter`: it holds searches of its own.
  export: ['_outputFormat', '_since', '_type', '_elements', '_format'],
  docref: [...docrefParameters, '_count', '_format', '_pretty'],
};
const parameterName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/;

/** True if the gateway knows the operation's answers and holds them to the token's permissions. */
export function isCheckedOperation({ type, operation = '' }: { type: string; operation?: string }): boolean {
  return (
    operation === 'export' || (Object.hasOwn(operationsOfRecord, operation) && operationsOfRecord[operation] === type)
  );
}

const simpleTypes = [
  ...[
    'Boolean',
    'Canonical',
    'Code',
    'Date',
    'DateTime',
    'Decimal',
    'Id',
    'Instant',
    'Integer',
    'PositiveInt',
    'String',
  ],
  ...['UnsignedInt', 'Uri', 'Url'],
];
/** Data types with one text, by the names of the members that have them. */
const texts: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ...simpleTypes.map((type) => [`value${type}`, (value: unknown) => value] as const),
  ['valueReference', (value) => member(value, 'reference')],
  ['valueCoding', tokenOf],
  ['valueCodeableConcept', (value) => listOf(member(value, 'coding')).map(tokenOf).join(',')],
]);

/**
 * The parameters that a Parameters resource has for an operation, which means the same as by GET (FHIR R4 §3.2.0.1).
 * Several of one name are alternatives, as they are with a comma. Throws a {@link Refusal} for what has no form in an
 * address.
 */
export function parametersOf(body: unknown): Parameter[] {
  const { resourceType, parameter = [] } = (body ?? {}) as { resourceType?: unknown; parameter?: unknown };
  if (resourceType !== 'Parameters' || !Array.isArray(parameter)) {
    throw new Refusal(400, 'invalid', 'The body must be a Parameters resource.');
  }
  const values = new Map<string, string[]>();
  for (const one of parameter) {
    const [name, value] = parameterOf(one);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return [...values].map(([name, all]) => [name, all.join(',')]);
}

function parameterOf(parameter: unknown): Parameter {
  const { name, id: _id, ...members } = (parameter ?? {}) as Record<string, unknown>;
  const [[type, value] = ['', undefined], ...others] = Object.entries(members);
  const text = texts.get(type)?.(value);
  const isText = ['string', 'number', 'boolean'].includes(typeof text) && text !== '';
  if (typeof name === 'string' && others.length === 0 && isText) return [name, String(text)];
  const which = typeof name === 'string' ? ` '${name.slice(0, 80)}'` : '';
  throw new Refusal(400, 'not-supported', `The parameter${which} must have a name and one simple value.`);
}

/** A code as a search has it. */
function tokenOf(coding: unknown): string {
  const [system, code] = [member(coding, 'system'), member(coding, 'code')];
  if (typeof code !== 'string') return '';
  return typeof system === 'string' ? `${system}|${code}` : code;
}

/** Throws a {@link Refusal} unless an operation can be asked for with these parameters in its address. */
export function assertOperationParameters(operation: string, parameters: readonly Parameter[]): void {
  const known = Object.hasOwn(understood, operation) ? understood[operation] : undefined;
  for (const [name] of parameters) {
    // RFC 6750 §2.3: a token in an address ends in logs, and this one would be sent on.
    const isKnown = known?.includes(name) ?? (parameterName.test(name) && name !== 'access_token');
    if (!isKnown) {
      throw new Refusal(400, 'not-supported', `The parameter '${name.slice(0, 80)}' is not supported here.`);
    }
  }
  assertFormat(parameters);
}
