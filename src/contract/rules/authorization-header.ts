/** An Authorization header with an access token: its scheme and the token (RFC 6750 §2.1, RFC 9449 §7.1). */
export const bearerCredentials = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i;
