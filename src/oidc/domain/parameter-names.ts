import { nearest } from '../../contract/rules/nearest.js';

/** Names that could be values are not kept. */
export const plainName = /^[A-Za-z][A-Za-z_-]{0,39}$/;

/** Names that other servers and libraries have for a parameter. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  aud: ['audience', 'iss', 'fhirServiceUrl'],
  user: ['practitioner', 'fhirUser', 'provider', 'sub'],
  client_id: ['app', 'appId', 'application'],
  patient: ['subject'],
  post_logout_redirect_uri: ['redirect_uri', 'logout_uri', 'returnTo', 'returnUrl', 'redirectUrl', 'post_logout_uri'],
};

/** The one of these names that was probably to be this parameter: one that could be a value is not told. */
export function similarName(parameter: string, names: readonly string[]): string | undefined {
  const plain = names.filter((name) => plainName.test(name));
  return plain.find((name) => isSame(parameter, name)) ?? nearest(parameter, plain);
}

/** The parameter that a name was probably to be; undefined if it is like none of them. */
export function parameterLike(name: string, parameters: readonly string[]): string | undefined {
  return parameters.find((parameter) => isSame(parameter, name)) ?? nearest(name, parameters);
}

function isSame(parameter: string, name: string): boolean {
  return bare(name) === bare(parameter) || otherNames[parameter]?.includes(name) === true;
}

function bare(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase();
}
