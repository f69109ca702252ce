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
