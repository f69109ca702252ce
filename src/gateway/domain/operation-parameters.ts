import type { Parameter } from './parameter.js';
import { Refusal } from './refusal.js';
import { assertFormat } from './search-parameters.js';

/** Operations whose answers the gateway can check, with all that it lets them be asked by. */
const understood: Readonly<Record<string, readonly string[]>> = {
  everything: ['start', 'end', '_since', '_type', '_count', '_format', '_pretty'],
  // No `_typeFilter`: it holds searches of its own.
  export: ['_outputFormat', '_since', '_type', '_elements', '_format'],
};
const parameterName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/;

/** True if the gateway knows the operation's answers and holds them to the token's permissions. */
export function isCheckedOperation({ type, operation }: { type: string; operation?: string }): boolean {
  switch (operation) {
    case 'everything':
      return type === 'Patient';
    case 'lastn':
      return type === 'Observation';
    default:
      return operation === 'export';
  }
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
