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

export const discoveryPath = '/.well-known/openid-configuration';
