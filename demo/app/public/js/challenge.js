// @ts-check

/**
 * The server's requirement for the user's sign-in (RFC 9470 §3); undefined for any other refusal.
 *
 * @param {Pick<Response, 'status' | 'headers'>} answer
 * @returns {Record<string, string> | undefined} parameters of the next authorization request
 */
export function challengeOf({ status, headers }) {
  const challenge = headers.get('WWW-Authenticate') ?? '';
  if (status !== 401 || !/\berror="insufficient_user_authentication"/.test(challenge)) return undefined;
  const named = ['acr_values', 'max_age'].flatMap((name) => {
    const value = new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(named);
}
