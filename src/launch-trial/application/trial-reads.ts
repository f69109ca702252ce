import { Readable } from 'node:stream';
import type { TrialRead } from '../../contract/clients/launch-trial.js';
import { splitScopes } from '../../contract/rules/scopes/smart-scope.js';
import { Cancellation } from '../../fhir-server/application/fhir-server.js';
import type { GatewayBases } from '../../gateway/application/gateway-bases.js';
import type { TrialTokens } from '../../oidc/application/launch-trials.js';
import { countedIn, readToTry } from '../domain/trial-read.js';
import type { StoredTrial } from './trial-store.js';

/** Bytes of an answer that are counted; a larger one is not read on. */
const longestAnswer = 4 * 1024 * 1024;

/** The request for data of a trial: through the gateway, with the token of the trial, and about its test patient. */
export async function readByTrial(
  gateway: GatewayBases,
  { adminId, base, patient }: StoredTrial,
  tokens: TrialTokens,
): Promise<TrialRead> {
  if (patient === undefined) return { none: 'no-patient' };
  const target = readToTry(splitScopes(String(tokens.body.scope ?? '')), patient);
  if (target === undefined) return { none: 'no-scope' };
  const url = base + target;
  const found = gateway.atUrl(base);
  if (!found) return { none: 'no-gateway' };
  const headers = { accept: 'application/fhir+json', ...(await tokens.present('GET', url)) };
  const cancellation = new Cancellation();
  const { status, body } = await found.handle({
    method: 'GET',
    target,
    headers,
    body: Readable.from([]),
    cancellation,
    trialOf: adminId,
  });
  const text = await textOf(body).finally(() => cancellation.end());
  return { target, status, ...countedIn(text) };
}

async function textOf(body: string | Buffer | Readable | undefined): Promise<string> {
  if (!(body instanceof Readable)) return body?.toString() ?? '';
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    const bytes = Buffer.from(part);
    length += bytes.length;
    // Leaving the loop destroys the stream.
    if (length > longestAnswer) return '';
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
}
