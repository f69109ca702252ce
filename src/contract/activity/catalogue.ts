import type { Cause } from './cause.js';
import { endCauses } from './end-causes.js';
import { endpointCauses } from './endpoint-causes.js';
import { gatewayCauses } from './gateway/gateway-causes.js';
import { personCauses } from './person-causes.js';
import { requestCauses } from './request/request-causes.js';
import { scopeCauses } from './scopes/scope-causes.js';
import { tokenCauses } from './token-causes.js';

/** Everything that an entry of a launch can say. Server, page, text for developers and documentation say the same. */
export const catalogue = {
  ...requestCauses,
  ...scopeCauses,
  ...personCauses,
  ...tokenCauses,
  ...gatewayCauses,
  ...endpointCauses,
  ...endCauses,
} as const;

export type CauseCode = keyof typeof catalogue;

/** Entries of requests for data that were not refused: a step of the protocol, and an empty answer. */
const answered: ReadonlySet<string> = new Set(['gateway-nonce', 'gateway-search-emptied']);

/** True for a refused request for data, which does not end the launch. */
export function refusesData(code: CauseCode): boolean {
  return catalogue[code].stage === 'gateway' && !answered.has(code);
}

type Names<Text> = Text extends `${string}{{${infer Name}}}${infer Rest}` ? Name | Names<Rest> : never;
type TextsOf<Of> = Of extends Cause
  ?
      | Of['title']
      | (Of extends { text: infer Text } ? Text : never)
      | (Of extends { decidedBy: infer Text } ? Text : never)
      | (Of extends { developer: infer Text } ? Text : never)
      | (Of extends { change: { text: infer Text } } ? Text : never)
      | (Of extends { change: { field: infer Text } } ? Text : never)
      | (Of extends { change: { configuration: infer Text } } ? Text : never)
      | (Of extends { change: { page: infer Text } } ? Text : never)
  : never;

/** The values of an entry: one for each name in the texts of its cause. */
export type DetailOf<Code extends CauseCode> = {
  readonly [Name in Names<TextsOf<(typeof catalogue)[Code]>>]: string | number;
};

/** The parameters after the code: none for a cause whose texts have no names. */
export type DetailArguments<Code extends CauseCode> = [keyof DetailOf<Code>] extends [never]
  ? []
  : [detail: DetailOf<Code>];
