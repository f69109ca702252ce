// @ts-check
import { parseArgs } from 'node:util';

/** The command was called in a way that it does not know. */
export class Misuse extends Error {}

export const USAGE = `Usage: gatehouse-enforcement-kit --url <FHIR base> [options]

Tries every known way in which the token of one patient (A) could see, count, infer, change or bind the data of
another (B). Reads only, unless --write is given.

Tokens, never as arguments:
  --tokens <file>          a JSON file: {"a": …, "b": …, "practitioner": …, "service": …, "more": [{"name": …, "token": …}], "refused": […]}
  --tokens -               the same from standard input
  (environment)            TOKEN_A, TOKEN_B, TOKEN_PRACTITIONER, TOKEN_SERVICE
  --sign-in <client id>    sign in with a browser: as A, then as B in a private window (with PKCE)
  --scope <scopes>         what to ask for then; default: openid fhirUser launch/patient patient/*.rs
  --redirect-port <port>   of http://127.0.0.1:<port>/callback, which the client has to have registered; default 8399

Options:
  --patient-a, --patient-b <id>   the patients of the tokens, if the tokens do not say
  --rate <number>          requests a second; default 5
  --minutes <number>       how long the run may take: some variants of each way, as many as fit; default 5, 0 for all
  --write                  try changes as well: of what the kit itself makes with B's token. Asks for the host
  --only <family,…>        some families only;  --list shows them
  --fail-fast              end with the first finding
  --json, --junit, --html <file>  write a report
  --ids                    show ids as they are; without it they are hashed
  --ca <file>              certificates to trust (PEM)
  --help

Exit code: 0 nothing was found, 1 something was found, 2 it could not run or not to the end.`;

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function optionsOf(args) {
  const { values } = parsed(args);
  if (values.help || values.list) return { ...values, url: values.url ?? '', rate: 5, minutes: 5, only: undefined };
  if (!values.url)
    throw new Misuse('--url is missing: the base of the FHIR server, such as https://fhir.example.org/r4.');
  if (!URL.canParse(values.url) || !/^https?:$/.test(new URL(values.url).protocol))
    throw new Misuse(`--url takes an address with http or https, not ${values.url}.`);
  const { username, password, search, hash } = new URL(values.url);
  if (username || password) throw new Misuse('--url has a user name or a password: credentials are no arguments.');
  if (search || hash) throw new Misuse('--url takes the base of the FHIR server, without a query.');
  const rate = Number(values.rate ?? 5);
  if (!(rate > 0)) throw new Misuse(`--rate takes a number of requests a second, not ${values.rate}.`);
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes >= 0)) throw new Misuse(`--minutes takes a number, not ${values.minutes}.`);
  return { ...values, url: values.url.replace(/\/+$/, ''), rate, minutes, only: values.only?.split(',') };
}

/** @param {string[]} args */
function parsed(args) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: 'string' },
        tokens: { type: 'string' },
        'sign-in': { type: 'string' },
        scope: { type: 'string' },
        'redirect-port': { type: 'string' },
        'patient-a': { type: 'string' },
        'patient-b': { type: 'string' },
        rate: { type: 'string' },
        minutes: { type: 'string' },
        write: { type: 'boolean' },
        only: { type: 'string' },
        'fail-fast': { type: 'boolean' },
        json: { type: 'string' },
        junit: { type: 'string' },
        html: { type: 'string' },
        ids: { type: 'boolean' },
        ca: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    // The message names the argument, which may be a token.
    const message = error instanceof Error ? error.message : '';
    const [, option] = /option '(--?[a-z-]+)/.exec(message) ?? [];
    const hint = option ? ` (${option})` : '';
    throw new Misuse(`An argument is not known${hint}. Tokens are never arguments: see --help.`);
  }
}

/**
 * @typedef {{
 *   url: string, rate: number, minutes: number, only: string[] | undefined, tokens?: string, 'sign-in'?:
 *   string, scope?: string,
 *   'redirect-port'?: string, 'patient-a'?: string, 'patient-b'?: string, write?: boolean, 'fail-fast'?: boolean,
 *   json?: string, junit?: string, html?: string, ids?: boolean, ca?: string, list?: boolean, help?: boolean
 * }} Options
 */
