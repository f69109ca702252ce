import { createHmac } from 'node:crypto';
import type { SmallRequest } from './request.js';

/** What a token permits. */
export interface Rights {
  patient: string | undefined;
  scope: string;
}

const KEY = 'the key of the small gateway';
const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
const signatureOf = (text: string) => createHmac('sha256', KEY).update(text).digest('base64url');

/** A self-contained token. */
export function tokenOf(patient: string, scope: string, more: object = {}): string {
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ patient, scope, fhirUser: `Patient/${patient}`, ...more })}`;
  return `${text}.${signatureOf(text)}`;
}

/** The rights of a request; undefined if it has no valid token. `flaw` is how a mutant fails to verify. */
export function rightsOf(request: SmallRequest, flaw: string): Rights | undefined {
  const sent = request.headers.authorization ?? '';
  if (flaw === 'token: none is needed' && sent === '') return { patient: undefined, scope: 'system/*.rs' };
  if (flaw === 'token: any text will do' && /^Bearer \S/.test(sent) && !sent.includes('.'))
    return { patient: undefined, scope: 'system/*.rs' };
  if (flaw === 'token: Basic is let through' && sent.startsWith('Basic '))
    return { patient: undefined, scope: 'system/*.rs' };
  if (flaw === 'token: in the address' && request.query.some(([name]) => name === 'access_token'))
    return { patient: undefined, scope: 'system/*.rs' };
  const [, token = ''] = /^Bearer ([^\s,]+)$/.exec(sent) ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = decoded(head);
  const claims = decoded(body);
  if (!header || !claims) return undefined;
  const isUnsigned = String(header.alg).toLowerCase() === 'none';
  const isValid =
    (flaw === 'token: the signature is not checked' && signature !== '') ||
    (flaw === 'token: alg none' && isUnsigned) ||
    (flaw === 'token: an empty signature' && signature === '') ||
    (header.alg === 'HS256' && signature === signatureOf(`${head}.${body}`)) ||
    (flaw === 'token: a weak key' &&
      signature === createHmac('sha256', 'secret').update(`${head}.${body}`).digest('base64url'));
  if (!isValid) return undefined;
  const patient = String(claims.patient);
  if (flaw === 'token: the patient is in a header' && request.headers['x-patient-id'])
    return { patient: String(request.headers['x-patient-id']), scope: String(claims.scope) };
  if (flaw === 'token: the role is in a header' && request.headers['x-role'])
    return { patient: undefined, scope: 'system/*.rs' };
  if (flaw === 'token: inside of the network' && request.headers['x-forwarded-for'] === '127.0.0.1')
    return { patient: undefined, scope: 'system/*.rs' };
  const asked = request.query.find(([name]) => name === 'patientId')?.[1];
  if (flaw === 'token: the patient is in a parameter' && asked) return { patient: asked, scope: String(claims.scope) };
  if (flaw === 'scope: a missing fhirUser removes the limit' && claims.fhirUser === null)
    return { patient: undefined, scope: String(claims.scope) };
  if (flaw === 'scope: patient and user together' && /patient\/.*user\//.test(String(claims.scope)))
    return { patient: undefined, scope: String(claims.scope) };
  return { patient, scope: String(claims.scope) };
}

/** True if a scope permits the action (c, r, u, d, s) on the type. */
export function permits({ scope }: Rights, type: string, action: string): boolean {
  return scope.split(' ').some((one) => {
    const [, wanted, actions = ''] = /^(?:patient|user|system)\/(\*|\w+)\.(\w+)/.exec(one) ?? [];
    const all = actions === 'read' ? 'rs' : actions === 'write' ? 'cud' : actions;
    return (wanted === '*' || wanted === type) && all.includes(action);
  });
}

/** The categories to which the scopes limit a type; undefined for all. */
export function categoriesOf({ scope }: Rights, type: string): string[] | undefined {
  const parts = scope.split(' ').filter((one) => one.includes(`/${type}.`) || one.includes('/*.'));
  const limited = parts.flatMap((one) => /\?category=([\w-]+)/.exec(one)?.[1] ?? []);
  return parts.length === limited.length ? limited : undefined;
}

function decoded(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
