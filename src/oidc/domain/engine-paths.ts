/** Paths of the engine; the others below `/connect` are Gatehouse's. */
export const enginePaths = {
  authorization: '/connect/authorize',
  token: '/connect/token',
  userinfo: '/connect/userinfo',
  end_session: '/connect/endsession',
  introspection: '/connect/introspect',
  revocation: '/connect/revocation',
  pushed_authorization_request: '/connect/par',
  jwks: '/.well-known/openid-configuration/jwks',
} as const;

/**
 * True for requests by which the sender gets something that exists once: without a receiver of the answer it would be
 * lost.
 */
export function mustBeAwaited(path: string): boolean {
  const { authorization, token, pushed_authorization_request: push } = enginePaths;
  return path === token || path === push || path === authorization || path.startsWith(`${authorization}/`);
}

export const discoveryPath = '/.well-known/openid-configuration';

/** An endpoint or document that an address is for by its name, and that is somewhere else. */
export type MeantEndpoint =
  | 'authorization endpoint'
  | 'token endpoint'
  | 'userinfo endpoint'
  | 'introspection endpoint'
  | 'revocation endpoint'
  | 'sign-out endpoint'
  | 'endpoint for pushed requests'
  | 'key set'
  | 'discovery document'
  | 'SMART configuration'
  | 'FHIR base'
  | 'endpoint for devices'
  | 'endpoint for registrations';

/** The last part of an address, in lower case and with `_` for `-`, as other products have it. */
const byLastPart: Readonly<Record<string, MeantEndpoint>> = {
  authorize: 'authorization endpoint',
  authorise: 'authorization endpoint',
  authorization: 'authorization endpoint',
  auth: 'authorization endpoint',
  token: 'token endpoint',
  tokens: 'token endpoint',
  access_token: 'token endpoint',
  userinfo: 'userinfo endpoint',
  user_info: 'userinfo endpoint',
  introspect: 'introspection endpoint',
  introspection: 'introspection endpoint',
  tokeninfo: 'introspection endpoint',
  revoke: 'revocation endpoint',
  revocation: 'revocation endpoint',
  logout: 'sign-out endpoint',
  endsession: 'sign-out endpoint',
  end_session: 'sign-out endpoint',
  par: 'endpoint for pushed requests',
  jwks: 'key set',
  'jwks.json': 'key set',
  certs: 'key set',
  keys: 'key set',
  device: 'endpoint for devices',
  device_authorization: 'endpoint for devices',
  devicecode: 'endpoint for devices',
  deviceauthorization: 'endpoint for devices',
  register: 'endpoint for registrations',
  registration: 'endpoint for registrations',
};

/** Parts of addresses below which authorization servers have their endpoints. */
const folder = /^(?:oauth2?|oidc|openid_?connect|openid|connect|auth|as|idp|sso|smart|protocol|v\d+(?:\.\d+)*)$/;

/** Names that say enough without such a part; pages of a portal may have the others, for GET alone. */
const telling = /^(?:authorize|authorise|token|userinfo|introspect|introspection|revocation|jwks|jwks\.json)$/;
/** The last part of a FHIR base as other servers name it, and what can follow it. */
const baseElsewhere = /^(?:fhir(?:[-_]?r[2-6]b?)?|(?:base)?r[2-6]b?|base(?:dstu2|dstu3)|dstu2|stu3)$/i;
const belowBase = /^(?:[A-Z][A-Za-z]{3,40}|metadata)$/;

function isFhirElsewhere(path: string): boolean {
  const parts = path.split('/');
  return parts.some((part, index) => baseElsewhere.test(part) && belowBase.test(parts[index + 1] ?? ''));
}

/** The page of this name is for GET. */
const ofRegistrations = /^(?:register|registration)$/;

const documents: Readonly<Record<string, MeantEndpoint>> = {
  openid_configuration: 'discovery document',
  oauth_authorization_server: 'discovery document',
  smart_configuration: 'SMART configuration',
  'jwks.json': 'key set',
};

/**
 * The endpoint that an address is for by the names that other products use. Undefined for any other address.
 *
 * @param path Without the query, below the issuer or below a FHIR base.
 */
export function meantEndpoint(path: string, method = 'GET'): MeantEndpoint | undefined {
  const parts = path
    .toLowerCase()
    .replaceAll('-', '_')
    .split('/')
    .filter((part) => part !== '');
  const place = parts.findIndex((part) => /^\.?well_?known$/.test(part));
  if (place !== -1) return documentNamed(parts[place + 1] ?? '');
  if (parts.includes('clients_registrations')) return 'endpoint for registrations';
  if (isFhirElsewhere(path)) return 'FHIR base';
  const name = parts.at(-1) ?? '';
  if (!Object.hasOwn(byLastPart, name)) return undefined;
  const isBelow = parts.slice(0, -1).some((part) => folder.test(part));
  const isTelling = telling.test(name) || (method !== 'GET' && method !== 'HEAD' && ofRegistrations.test(name));
  return isBelow || (parts.length === 1 && isTelling) ? byLastPart[name] : undefined;
}

/** A name that only begins like that of a document is probably a misspelled one. */
function documentNamed(name: string): MeantEndpoint | undefined {
  if (Object.hasOwn(documents, name)) return documents[name];
  if (name.startsWith('smart')) return 'SMART configuration';
  return name.startsWith('openid') || name.startsWith('oauth_auth') ? 'discovery document' : undefined;
}

const paths: Partial<Record<MeantEndpoint, string>> = {
  'authorization endpoint': enginePaths.authorization,
  'token endpoint': enginePaths.token,
  'userinfo endpoint': enginePaths.userinfo,
  'introspection endpoint': enginePaths.introspection,
  'revocation endpoint': enginePaths.revocation,
  'sign-out endpoint': enginePaths.end_session,
  'endpoint for pushed requests': enginePaths.pushed_authorization_request,
  'key set': enginePaths.jwks,
  'discovery document': discoveryPath,
};

/** The address of an endpoint; undefined for one that is not offered. */
export function addressOfEndpoint(
  meant: MeantEndpoint,
  { issuer, fhirBase }: { issuer: string; fhirBase: string },
): string | undefined {
  if (meant === 'FHIR base') return fhirBase;
  if (meant === 'SMART configuration') return `${fhirBase}/.well-known/smart-configuration`;
  const path = paths[meant];
  return path === undefined ? undefined : issuer + path;
}
