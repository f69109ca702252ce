import { createHmac } from 'node:crypto';
import type { Mutant, TokenParts } from './mutants/mutant.js';
import type { SmallRequest } from './request.js';

/** The permissions of a token. */
export interface Rights {
  patient: string | undefined;
  scope: string;
}

const KEY = 'the key of the small gateway';
const AUDIENCE = 'urn:small-gateway';
const ALL: Rights = { patient: undefined, scope: 'system/*.rs' };
const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
const signatureOf = (text: string, key = KEY) => createHmac('sha256', key).update(text).digest('base64url');

/** A self-contained token. */
export function tokenOf(patient: string, scope: string, more: object = {}): string {
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ patient, scope, fhirUser: `Patient/${patient}`, ...more })}`;
  return `${text}.${signatureOf(text)}`;
}

/** Verifies tokens. */
export class Tokens {
  private readonly known = new Set<string>();

  constructor(private readonly mutant: Mutant) {}

  /** The rights of a request; undefined if it has no valid token. */
  rightsOf(request: SmallRequest): Rights | undefined {
    const { flaw = '' } = this.mutant;
    const sent = request.headers.authorization ?? '';
    const valid = this.validRightsOf(request, sent);
    if (valid) return valid;
    const isAdmitted =
      (flaw === 'token: none is needed' && sent === '') ||
      (flaw === 'token: any text will do' && /^Bearer \S/.test(sent) && !sent.includes('.')) ||
      (flaw === 'token: Basic is let through' && sent.startsWith('Basic ')) ||
      (flaw === 'header: HEAD needs no token' && request.method === 'HEAD') ||
      (flaw === 'token: in the address' && request.query.some(([name]) => name === 'access_token')) ||
      this.mutant.admits?.(request) === true;
    return isAdmitted ? ALL : undefined;
  }

  private validRightsOf(request: SmallRequest, sent: string): Rights | undefined {
    const [, token = ''] = /^Bearer ([^\s,]+)$/.exec(sent) ?? [];
    const [head = '', body = '', signature = ''] = token.split('.');
    const header = decoded(head);
    const claims = decoded(body);
    if (!header || !claims) return undefined;
    const signed = `${head}.${body}`;
    const parts = { header, claims, signed, signature, expected: signatureOf(signed), known: this.known };
    if (!this.isValid(parts)) return undefined;
    this.known.add(signature);
    return rightsIn(claims, request, this.mutant);
  }

  private isValid(parts: TokenParts): boolean {
    const { header, signed, signature, expected } = parts;
    const { flaw, trusts } = this.mutant;
    return (
      (header.alg === 'HS256' && signature === expected) ||
      (flaw === 'token: the signature is not checked' && signature !== '') ||
      (flaw === 'token: alg none' && String(header.alg).toLowerCase() === 'none') ||
      (flaw === 'token: an empty signature' && signature === '') ||
      (flaw === 'token: a weak key' && signature === signatureOf(signed, 'secret')) ||
      trusts?.(parts) === true
    );
  }
}

function rightsIn(claims: Record<string, unknown>, request: SmallRequest, mutant: Mutant): Rights | undefined {
  const { flaw } = mutant;
  const { headers } = request;
  const patient = mutant.actsAs?.(claims, request) ?? String(claims.patient);
  const scope = mutant.scopedAs?.(String(claims.scope)) ?? String(claims.scope);
  if (isOver(claims) && !mutant.keeps?.(claims)) return undefined;
  if (claims.use !== undefined)
    return flaw === `token: ${claims.use} is let through` ? { patient, scope: 'patient/*.rs' } : undefined;
  if (flaw === 'token: the patient is in a header' && headers['x-patient-id'])
    return { patient: String(headers['x-patient-id']), scope };
  if (flaw === 'token: the role is in a header' && headers['x-role']) return ALL;
  if (flaw === 'token: inside of the network' && headers['x-forwarded-for'] === '127.0.0.1') return ALL;
  const asked = request.query.find(([name]) => name === 'patientId')?.[1];
  if (flaw === 'token: the patient is in a parameter' && asked) return { patient: asked, scope };
  const isWidened =
    (flaw === 'scope: a missing fhirUser removes the limit' && claims.fhirUser === null) ||
    (flaw === 'scope: patient and user together' && /patient\/.*user\//.test(scope)) ||
    mutant.widens?.(claims) === true;
  return isWidened ? ALL : { patient, scope };
}

/** True if a token has ended, was taken back, or is not meant for this server. */
function isOver({ exp, aud, jti }: Record<string, unknown>): boolean {
  return Number(exp ?? Infinity) * 1000 < Date.now() || (aud ?? AUDIENCE) !== AUDIENCE || jti === 'revoked';
}

/** True if a scope permits the action (c, r, u, d, s) on the type. `flaw` is how a mutant fails to compare types. */
export function permits({ scope }: Rights, type: string, action: string, flaw = ''): boolean {
  return scope.split(' ').some((one) => {
    const [, wanted = '', actions = ''] = /^(?:patient|user|system)\/(\*|\w+)\.(\w+)/.exec(one) ?? [];
    const all = actions === 'read' ? 'rs' : actions === 'write' ? 'cud' : actions;
    const isAlike = flaw === 'scope: a type that begins alike' && wanted !== '' && type.startsWith(wanted);
    return (wanted === '*' || wanted === type || isAlike) && all.includes(action);
  });
}

/** The categories to which the scopes limit a type; undefined for all. */
export function categoriesOf({ scope }: Rights, type: string): string[] | undefined {
  const parts = scope.split(' ').filter((one) => one.includes(`/${type}.`) || one.includes('/*.'));
  const limited = parts.flatMap((one) => /\?category=([\w-]+)/.exec(one)?.[1] ?? []);
  return parts.length > 0 && parts.length === limited.length ? limited : undefined;
}

function decoded(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
