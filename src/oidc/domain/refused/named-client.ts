/** The parts of a request; its endpoint may have read none of them. */
export interface CarriedRequest {
  /** The Authorization header. */
  authorization?: string | undefined;
  /** The address with its query. */
  address?: string | undefined;
  /** The body, as a form or as JSON. */
  body?: string | undefined;
}

/** Ids of clients in a request, of which nothing was verified. */
export interface NamedClients {
  /** The parameter `client_id`, in the body or in the address; undefined if it has different values. */
  id: string | undefined;
  /** Ids in the proof of the client. Where the parts of a proof were mixed up, one may be a secret. */
  others: readonly string[];
}

const longest = 200;

/** The clients that a request names in any of its parts, also where an endpoint reads none of them. */
export function clientsNamedIn({ authorization, address = '', body = '' }: CarriedRequest): NamedClients {
  const members = [...membersOf(body), ...pairsOf(address.split('?').slice(1).join('?'))];
  const sent = (name: string) => members.flatMap(([key, value]) => (key === name && value !== '' ? [value] : []));
  const [id, ...more] = new Set(sent('client_id'));
  const others = [
    ...basicIds(authorization),
    ...[...sent('client_assertion'), ...sent('assertion')].flatMap(subjectsOf),
    ...subjectsOf(/^(?:bearer|dpop|jwt) (\S+)$/i.exec(authorization ?? '')?.[1]),
    ...sent('request').flatMap(subjectsOf),
    ...sent('id_token_hint').flatMap((hint) => [claimsOf(hint).client_id, claimsOf(hint).aud]),
  ];
  return {
    id: more.length > 0 ? undefined : id,
    others: others.filter((one): one is string => typeof one === 'string' && one !== '' && one.length <= longest),
  };
}

/**
 * The client to file a refused request to: a `client_id` as it was sent; from a damaged or misplaced proof only a
 * registered client, since the text may be a secret. `named` is all that the request names, to tell the records of
 * different clients apart.
 */
export async function namedClient(
  request: CarriedRequest,
  clients: { firstRegistered(ids: readonly string[]): Promise<string | undefined> },
): Promise<{ clientId: string | undefined; named: string }> {
  const { id, others } = clientsNamedIn(request);
  return { clientId: id ?? (await clients.firstRegistered(others)), named: [id ?? '', ...others].join(' ') };
}

function membersOf(body: string): [string, string][] {
  if (!body.trimStart().startsWith('{')) return pairsOf(body);
  try {
    const value = JSON.parse(body) as Record<string, unknown>;
    return Object.entries(value).filter((one): one is [string, string] => typeof one[1] === 'string');
  } catch {
    return [];
  }
}

function pairsOf(text: string): [string, string][] {
  return [...new URLSearchParams(text)];
}

/** The text before the colon (RFC 6749 §2.3.1), also of a header that is encoded in another way. */
function basicIds(header: string | undefined): string[] {
  const [, credentials] = /^basic (\S+)$/i.exec(header ?? '') ?? [];
  if (credentials === undefined) return [];
  const text = credentials.includes(':') ? credentials : Buffer.from(credentials, 'base64').toString('utf8');
  const [id = ''] = text.split(':', 1);
  return [...new Set([decoded(id), id])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** The client that a JWT is of. The subject of a token may be a user. */
function subjectsOf(jwt: string | undefined): unknown[] {
  const { client_id: clientId, sub, iss } = claimsOf(jwt ?? '');
  return [clientId, ...(sub === undefined || sub === iss ? [iss] : [sub, iss])];
}

function claimsOf(jwt: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
