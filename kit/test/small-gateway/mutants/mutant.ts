import type { IncomingHttpHeaders } from 'node:http';
import type { Openings, SmallAnswer } from '../answers.js';
import type { SmallRequest } from '../request.js';

/** A token as it was sent. */
export interface TokenParts {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** The signed text. */
  signed: string;
  signature: string;
  /** The valid signature. */
  expected: string;
  /** The signatures of tokens that were valid. */
  known: ReadonlySet<string>;
}

/** A way in which the small gateway is not sound. */
export interface Mutant extends Openings {
  name: string;
  /** The requests that are carried out on everything. */
  sees?: (request: SmallRequest) => boolean;
  /** Another way, which the small gateway knows by this name. */
  flaw?: string;
  /** How it reads the address of a request, after the check of it. */
  reads?: (target: string, headers: IncomingHttpHeaders) => string;
  /** Changes an answer from which something was left out. */
  tells?: (answer: SmallAnswer, request: SmallRequest) => SmallAnswer;
  /** Tokens that are trusted, though their signature is not valid. */
  trusts?: (token: TokenParts) => boolean;
  /** Requests that are carried out with all rights, though they have no valid token. */
  admits?: (request: SmallRequest) => boolean;
  /** Tokens whose limit to a patient is lost. */
  widens?: (claims: Record<string, unknown>) => boolean;
  /** Requests for which a part of the scopes is not compared. */
  forgets?: (part: 'type' | 'category', request: SmallRequest) => boolean;
  /** How the scopes of a token are read. */
  scopedAs?: (scope: string) => string;
  /** The patient as whom a request is carried out, in place of the token's. */
  actsAs?: (claims: Record<string, unknown>, request: SmallRequest) => string | undefined;
  /** Tokens that are taken, though they have ended or are meant for another server. */
  keeps?: (claims: Record<string, unknown>) => boolean;
  /** True if it shows under `--write` only. */
  isChange?: boolean;
}
