import { redirectUri } from '../clients/clients.js';
import type { Mistake, RequestPortal } from './request-mistakes.js';

// cspell:ignore apppublic
/** Authorization requests with values that are almost right. */
export const damagedRequests = (at: () => RequestPortal): Mistake[] => [
  ...Object.entries({
    'public-app ': 'it has a space at its end',
    'public-app\u00A0': 'it has a no-break space (U+00A0) at its end',
    '“public-app”': 'it stands between “ and ”',
    'рublic-app': 'it has a character that only looks like p (U+0440)',
    'public-apppublic-app': 'it is there twice, one after the other',
    'PUBLIC-APP': 'it differs in upper and lower case',
    'public%2Dapp': 'it is percent-encoded',
    'cHVibGljLWFwcA==': 'it is encoded as base64',
    'public-a': 'it is cut off: its last 2 characters are missing',
  }).map(([sent, damage]) => ({
    name: `a client id with a damage: ${damage}`,
    make: () => at().ask({ client_id: sent }),
    code: 'client-damaged',
    detail: () => ({ nearest: 'public-app', damage }),
  })),
  {
    name: 'a template in place of the client id',
    make: () => at().ask({ client_id: 'YOUR_CLIENT_ID' }),
    code: 'client-placeholder',
    detail: () => ({ template: 'YOUR_CLIENT_ID' }),
  },
  {
    name: 'a redirect URI with a fragment, which the form would refuse',
    make: () => at().ask({ redirect_uri: `${redirectUri}#planted-value` }),
    code: 'redirect-uri-unfit',
    detail: () => ({
      sent: `${redirectUri}#…`,
      nearest: redirectUri,
      difference: 'the fragment',
      problem: 'a redirect URI has no fragment (RFC 6749 §3.1.2)',
    }),
  },
  {
    name: 'a redirect URI with a wildcard, which the form would refuse',
    make: () => at().ask({ redirect_uri: 'https://*.app.example/cb' }),
    code: 'redirect-uri-unfit',
  },
  ...Object.entries({
    [encodeURIComponent(redirectUri)]: 'it is percent-encoded',
    [encodeURIComponent(encodeURIComponent(redirectUri))]: 'it is percent-encoded twice',
    [`${redirectUri} `]: 'it has a space at its end',
    [`${redirectUri}\u200B`]: 'it has an invisible character in it: a zero-width space (U+200B)',
    [`"${redirectUri}"`]: 'it stands between " and "',
    [`${redirectUri}/\n`]: 'it has a line break at its end, and the slash at its end differs',
  }).map(([sent, damage]) => ({
    name: `a redirect URI with a damage: ${damage}`,
    make: () => at().ask({ redirect_uri: sent }),
    code: 'redirect-uri-damaged',
    detail: () => ({ nearest: redirectUri, damage }),
  })),
  {
    name: 'an encoded redirect URI with a query, whose values are not kept',
    make: () => at().ask({ redirect_uri: encodeURIComponent(`${redirectUri}?tenant=planted-value`) }),
    code: 'redirect-uri-unfit',
    detail: () => ({ sent: `${encodeURIComponent(redirectUri)}…` }),
  },
  {
    name: 'a template in place of the redirect URI',
    make: () => at().ask({ redirect_uri: '<redirect_uri>' }),
    code: 'redirect-uri-placeholder',
    detail: () => ({ template: '<redirect_uri>' }),
  },
  ...Object.entries({
    'it is percent-encoded': encodeURIComponent,
    'it has a space at its beginning': (base: string) => ` ${base}`,
    'it has more at its end: /metadata': (base: string) => `${base}/metadata`,
    'it has more at its end: /Patient/1': (base: string) => `${base}/Patient/1`,
    'it has a line break at its end, and the slash at its end differs': (base: string) => `${base}/\n`,
  }).map(([damage, of]) => ({
    name: `an aud with a damage: ${damage}`,
    make: () => at().ask({ aud: of(at().portal.fhirBase) }),
    code: 'aud-damaged',
    detail: () => ({ base: at().portal.fhirBase, damage }),
  })),
  {
    name: 'a template in place of the aud',
    make: () => at().ask({ aud: '<fhir_base>' }),
    code: 'aud-placeholder',
    detail: () => ({ sent: '<fhir_base>' }),
  },
];
