import { createHmac } from 'node:crypto';
import type { SmallRequest } from '../request.js';
import type { Mutant, TokenParts } from './mutant.js';
import { entry, flaw, has, on, searches } from './predicates.js';

const token = (name: string, trusts: (parts: TokenParts) => boolean): Mutant => ({ name: `token: ${name}`, trusts });
/** Requests without a valid token that are let through with all rights. */
const admits = (name: string, test: (request: SmallRequest) => boolean): Mutant => ({
  name: `token: ${name}`,
  admits: test,
});
const widens = (name: string, test: NonNullable<Mutant['widens']>): Mutant => ({
  name: `scope: ${name}`,
  widens: test,
});
const forgets = (what: 'type' | 'category', name: string, test: (request: SmallRequest) => boolean): Mutant => ({
  name: `scope: the ${what} is not checked ${name}`,
  forgets: (asked, request) => asked === what && test(request),
});
const hmac = (key: string, signed: string) => createHmac('sha256', key).update(signed).digest('base64url');
const sent = (value: RegExp) => (request: SmallRequest) => value.test(request.headers.authorization ?? '');
const scopes = (claims: Record<string, unknown>) => String(claims.scope).split(' ');

/** Holes of how tokens are verified, and of what their scopes permit. */
export const mutantsOfTokens: Mutant[] = [
  token('alg None with a capital letter', ({ header }) => String(header.alg) === 'None'),
  token('alg NONE in capital letters', ({ header }) => String(header.alg) === 'NONE'),
  token('alg nOnE in mixed letters', ({ header }) => String(header.alg) === 'nOnE'),
  token('alg none with a signature', ({ header, signature }) => header.alg === 'none' && signature !== ''),
  token('no alg', ({ header }) => header.alg === undefined),
  token('a key in the token', ({ header }) => header.jwk !== undefined),
  token('an address of a key in the token', ({ header }) => header.jku !== undefined),
  token('a certificate in the token', ({ header }) => header.x5c !== undefined),
  token('a signature of zeros', ({ header, signature }) => /^[EP]S/.test(String(header.alg)) && /^A+$/.test(signature)),
  token('an empty key', ({ signed, signature }) => signature === hmac('', signed)),
  token('the key of an example', ({ signed, signature }) => signature === hmac('your-256-bit-secret', signed)),
  token(
    'a key named in a path',
    ({ header, signed, signature }) => String(header.kid).includes('/dev/null') && signature === hmac('', signed),
  ),
  token('an unknown key', ({ header }) => header.kid !== undefined),
  token('a signature that was seen before', ({ signature, known }) => known.has(signature)),
  token(
    'a signature that begins alike',
    ({ expected, signature }) => signature !== '' && expected.startsWith(signature),
  ),
  token(
    'another case of the signature',
    ({ expected, signature }) => expected.toLowerCase() === signature.toLowerCase(),
  ),
  admits('null', sent(/^Bearer null$/)),
  admits('undefined', sent(/^Bearer undefined$/)),
  admits('Bearer alone', sent(/^Bearer\s*$/)),
  admits('Basic without a name', sent(/^Basic Og==$/)),
  admits('another scheme', sent(/^(?:Digest|Negotiate|Token|ApiKey|DPoP|MAC) /)),
  admits('the address of a proxy', ({ headers }) => headers['x-real-ip'] === '127.0.0.1'),
  admits('Forwarded', ({ headers }) => /for="?127\.0\.0\.1/.test(String(headers.forwarded ?? ''))),
  admits('the name of a user in a header', ({ headers }) => headers['x-forwarded-user'] !== undefined),
  admits('the host is local', ({ headers }) => /^localhost(?::|$)/.test(String(headers.host))),
  admits('a search needs none', searches),
  admits('a history needs none', ({ interaction }) => interaction.startsWith('history')),
  admits('a bundle needs none', ({ interaction, isEntry }) => isEntry || interaction === 'bundle'),
  admits('an operation needs none', ({ interaction }) => ['everything', 'lastn', 'graphql'].includes(interaction)),
  admits(
    'a document needs none',
    on('read', ({ type }) => type === 'Binary'),
  ),
  admits('a form has it', ({ method, body }) => method === 'POST' && /access_token=/.test(body)),
  admits('a cookie has it', ({ headers }) => /token=/.test(String(headers.cookie ?? ''))),
  admits(
    'an API key has any value',
    ({ headers, query }) =>
      headers['x-api-key'] !== undefined || query.some(([name]) => /^(?:api_?key|key)$/.test(name)),
  ),
  flaw('token: id_token is let through'),
  flaw('token: refresh_token is let through'),
  widens(
    'no scope for resources removes the limit',
    (claims) => !scopes(claims).some((one) => one.includes('/') && one.includes('.')),
  ),
  widens('only to create removes the limit', (claims) => scopes(claims).some((one) => /\.c$/.test(one))),
  widens('user scopes of a patient remove the limit', (claims) =>
    scopes(claims).every((one) => one.startsWith('user/')),
  ),
  widens('a system scope removes the limit', (claims) => scopes(claims).some((one) => one.startsWith('system/'))),
  widens('a scope of version 1 removes the limit', (claims) => scopes(claims).some((one) => one.endsWith('.read'))),
  widens('a category removes the limit', (claims) => scopes(claims).some((one) => one.includes('?category='))),
  widens('offline_access removes the limit', (claims) => scopes(claims).includes('offline_access')),
  flaw('scope: a type that begins alike'),
  forgets('type', 'in includes', has(/^_(?:rev)?include/)),
  forgets('type', 'in $everything', on('everything')),
  forgets('type', 'in compartments', on('search of compartment')),
  forgets('type', 'in versions', on('vread')),
  forgets('type', 'in batches', entry),
  forgets('type', 'in reverse chains', has(/^_has/)),
  forgets('type', 'in GraphQL', on('graphql')),
  forgets('type', 'in searches by POST', on('search by post')),
  forgets('category', 'in reads', on('read')),
  forgets('category', 'in versions', on('vread')),
  forgets('category', 'in histories', on('history')),
  forgets('category', 'in $everything', on('everything')),
  forgets('category', 'in compartments', on('search of compartment')),
  forgets('category', 'in includes', has(/^_(?:rev)?include/)),
  forgets('category', 'in batches', entry),
  forgets('category', 'in counts', has('_summary')),
  forgets('category', 'where the search names one', has('category')),
  forgets('category', 'in searches by POST', on('search by post')),
  forgets('category', 'in $lastn', on('lastn')),
];
