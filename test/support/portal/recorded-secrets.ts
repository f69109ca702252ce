import { mock } from 'node:test';
import { decodeJwt } from 'jose';
import type { CauseCode, DetailOf } from '../../../src/contract/activity/catalogue.js';
import { Agent, type Answer, type RequestOptions } from '../http/agent.js';
import { allWritten } from './launch-rows.js';
import type { TestPortal } from './portal.js';

/** A cause whose entries keep values. */
type CauseWithValues = { [Code in CauseCode]: keyof DetailOf<Code> extends never ? never : Code }[CauseCode];

/** The test file that makes the mistakes of a subject. */
type Subject =
  | 'request'
  | 'launch'
  | 'scopes'
  | 'person'
  | 'steps'
  | 'token'
  | 'client-authentication'
  | 'gateway'
  | 'data'
  | 'endpoint'
  | 'end'
  | 'trial';

/** The request over HTTP that makes each cause that keeps values. A new cause does not compile without a row. */
export const madeBy: Record<CauseWithValues, Subject | null> = {
  'request-received': 'request',
  // The engine's own words, for what none of our checks explains.
  'request-refused': null,
  // Of users who act for a patient (`test/representation`).
  'scope-acting-user': null,
  'scope-level': null,
  'scope-level-narrowed': null,
  'client-unknown': 'request',
  'client-misspelled': 'request',
  'client-damaged': 'request',
  'client-placeholder': 'request',
  'client-disabled': 'request',
  'redirect-uri-missing': 'request',
  'redirect-uri-unregistered': 'request',
  'redirect-uri-unfit': 'request',
  'redirect-uri-query': 'request',
  'redirect-uri-damaged': 'request',
  'redirect-uri-placeholder': 'request',
  'redirect-uri-of-native-app': 'request',
  'redirect-uri-loopback-port': 'request',
  // The form asks each app for a redirect URI.
  'redirect-uris-none': null,
  'aud-missing': 'request',
  'aud-trailing-slash': 'request',
  'aud-scheme': 'request',
  'aud-damaged': 'request',
  'aud-placeholder': 'request',
  'aud-other-tenant': 'request',
  'aud-other-base': 'request',
  'aud-resource-differ': 'request',
  'tenant-not-allowed': 'request',
  'resource-unknown': 'request',
  'pkce-plain': 'request',
  'pkce-method': 'request',
  'pkce-challenge-length': 'request',
  'response-type': 'request',
  'response-mode': 'request',
  'par-required': 'launch',
  'par-expired': 'launch',
  // Made by the tests of the profile (test/oidc/clients).
  'par-of-profile': null,
  'request-uri-foreign': 'launch',
  'openid-missing': 'request',
  'parameter-repeated': 'request',
  'parameter-invalid': 'request',
  'parameter-misnamed': 'request',
  'request-body-type': 'request',
  'request-in-address': 'request',
  'parameter-unsupported': 'request',
  'silent-impossible': 'request',
  'starts-exhausted': 'request',
  'request-other-host': 'request',
  'request-for-tokens': 'request',
  'request-too-large': 'request',
  'object-unreadable': 'launch',
  'object-type': 'launch',
  'object-signature': 'launch',
  'object-client': 'launch',
  'object-key-missing': 'launch',
  'object-key-unknown': 'launch',
  'object-key-not-published': 'launch',
  'object-key-passed-over': 'launch',
  // A key expires when the clock passes its end, as for assertions, which have a row.
  'object-key-expired': null,
  'object-key-set-unreachable': 'launch',
  'object-key-unfit': 'launch',
  'object-time': 'launch',
  'object-audience': 'launch',
  'object-expired': 'launch',
  'object-early': 'launch',
  'object-lifetime': 'launch',
  'object-content': 'launch',
  'launch-used': 'launch',
  'ehr-unknown': 'launch',
  'ehr-secret-wrong': 'launch',
  'ehr-secrets-throttled': 'launch',
  'ehr-body': 'launch',
  'ehr-parameter': 'launch',
  'ehr-patient-unknown': 'launch',
  'ehr-encounter-unknown': 'launch',
  'ehr-encounter-of-other': 'launch',
  'launch-expired': 'launch',
  'launch-foreign': 'launch',
  'launch-other-tenant': 'launch',
  'trial-begun': 'trial',
  'scope-of-person': 'trial',
  'scope-no-test-patient': 'trial',
  'scopes-kept': 'scopes',
  'scopes-default': 'scopes',
  'scope-kept': 'scopes',
  'scope-covered': 'scopes',
  'scope-unreadable': 'scopes',
  'scope-misspelled': 'scopes',
  'scope-too-long': 'scopes',
  'scope-separator': 'scopes',
  'scope-damaged': 'scopes',
  'scope-placeholder': 'scopes',
  'scope-management': 'scopes',
  'scopes-malformed': 'request',
  'scopes-of-management': 'scopes',
  'scope-needs-service': 'scopes',
  'scope-subject': 'scopes',
  'scope-actions': 'scopes',
  'scope-actions-narrowed': 'scopes',
  'scope-legacy-actions': 'scopes',
  'scope-legacy-actions-narrowed': 'scopes',
  'scope-type': 'scopes',
  'scope-types-narrowed': 'scopes',
  'scope-operation': 'scopes',
  'scope-offline': 'scopes',
  'scope-online': 'scopes',
  'scope-contact': 'scopes',
  'scope-special': 'scopes',
  'scope-special-unknown': 'scopes',
  'scope-type-unknown': 'scopes',
  'scope-search-parameter': 'scopes',
  'scope-category-value': 'scopes',
  'scope-without-category': 'scopes',
  'scope-outside-record': 'scopes',
  'scope-actions-of-record': 'scopes',
  'scope-operation-of-record': 'scopes',
  'scope-operation-unknown': 'scopes',
  'scope-fhir-user-alone': 'scopes',
  'scope-not-launched': 'scopes',
  'scope-unticked': 'scopes',
  'scopes-none-left': 'request',
  'scopes-too-many': 'request',
  'scopes-need-person': 'scopes',
  'page-sent': 'person',
  'page-shown': 'person',
  'signed-in': 'person',
  'sign-in-too-old': 'steps',
  'acr-required': 'steps',
  'consent-given': 'person',
  'sign-in-method-closed': 'person',
  'sign-in-locked': 'person',
  'external-sign-in-refused': 'person',
  'context-none': 'person',
  'context-skipped': 'person',
  'announced-other-person': 'person',
  left: 'person',
  'token-client-unknown': 'client-authentication',
  'token-client-misspelled': 'client-authentication',
  'token-client-damaged': 'client-authentication',
  'token-client-placeholder': 'client-authentication',
  'token-client-disabled': 'client-authentication',
  'token-authentication-method': 'client-authentication',
  'token-authentication-twice': 'client-authentication',
  'token-credentials-unreadable': 'client-authentication',
  'token-secret-wrong': 'client-authentication',
  'token-secret-expired': 'client-authentication',
  'token-secrets-throttled': 'client-authentication',
  'assertion-unreadable': 'client-authentication',
  'assertion-key-unknown': 'client-authentication',
  'assertion-key-expired': 'client-authentication',
  'assertion-key-set-unreachable': 'client-authentication',
  'assertion-algorithm': 'client-authentication',
  'assertion-key-unfit': 'client-authentication',
  'assertion-signature': 'client-authentication',
  'assertion-audience': 'client-authentication',
  'assertion-issuer': 'client-authentication',
  'assertion-expired': 'client-authentication',
  'assertion-from-future': 'client-authentication',
  'assertion-lifetime': 'client-authentication',
  'assertion-claim-missing': 'client-authentication',
  // The engine's own words, for what none of our checks explains.
  'token-parameters': null,
  'assertion-header': 'client-authentication',
  'assertion-key-missing': 'client-authentication',
  'assertion-key-not-published': 'client-authentication',
  'assertion-key-passed-over': 'client-authentication',
  'assertion-time': 'client-authentication',
  'token-authentication-profile': 'client-authentication',
  'token-credentials-missing': 'client-authentication',
  'token-credentials-ended': 'client-authentication',
  'token-credentials-of-public': 'client-authentication',
  'token-secret-damaged': 'client-authentication',
  'token-body-type': 'client-authentication',
  'token-in-address': 'client-authentication',
  'token-parameter-missing': 'client-authentication',
  'token-request-of-authorization': 'client-authentication',
  'token-parameter-repeated': 'client-authentication',
  'token-grant-type-unknown': 'token',
  'token-origin': 'client-authentication',
  'token-origin-of-service': 'client-authentication',
  'code-damaged': 'token',
  'code-misplaced': 'token',
  'refresh-token-damaged': 'token',
  'dpop-missing': 'token',
  'dpop-type': 'token',
  'dpop-unit': 'token',
  'code-verifier-wrong': 'token',

  'token-grant-type': 'token',
  'token-resource': 'token',
  // The engine's own words, for what none of our checks explains.
  'token-scope': null,
  'code-of-other-client': 'token',
  'code-used': 'token',
  'code-expired': 'token',
  'code-redirect-uri': 'token',
  'code-verifier-malformed': 'token',
  'refresh-token-expired': 'token',
  'refresh-token-used': 'token',
  'refresh-token-of-other-client': 'token',
  'refresh-scope': 'token',
  'dpop-time': 'token',
  'dpop-target': 'token',
  'dpop-unreadable': 'token',
  'dpop-key': 'token',
  'gateway-refused': 'gateway',
  'gateway-scope-missing': 'gateway',
  'gateway-sign-in': 'gateway',
  'gateway-not-open': 'gateway',
  'gateway-other-patient': 'gateway',
  'gateway-token-missing': 'gateway',
  'gateway-token-in-address': 'gateway',
  'gateway-token-unreadable': 'gateway',
  'gateway-token-damaged': 'gateway',
  'gateway-token-changed': 'gateway',
  'gateway-token-other-kind': 'gateway',
  'gateway-token-foreign': 'gateway',
  'gateway-token-unknown': 'gateway',
  'gateway-token-expired': 'gateway',
  'gateway-token-ended': null,
  'gateway-access-had-ended': 'gateway',
  'gateway-client-disabled': 'data',
  'gateway-client-gone': 'data',
  'gateway-account-gone': 'data',
  'gateway-account-elsewhere': 'data',
  'gateway-token-bound': 'data',
  'gateway-token-unbound': 'data',
  'gateway-token-of-profile': 'data',
  'gateway-proof-missing': 'data',
  'gateway-type-unknown': 'data',
  'gateway-operation-unknown': 'data',
  'gateway-scope-declined': 'data',
  'gateway-app-paused': 'gateway',
  // Their values are words of ours and types.
  'representation-held': null,
  'gateway-representation-held': null,
  'gateway-kept-private': null,
  'gateway-change-protected': null,
  'gateway-change-not-in-level': null,
  'gateway-proof-refused': 'data',
  'gateway-nonce': 'gateway',
  'object-algorithm': 'launch',
  'scopes-more': 'scopes',
  'scope-no-record': 'steps',
  // Each account with a record is its own patient, or chooses one.
  'scope-no-patient': null,
  'scope-no-context': 'steps',
  'scope-patient-skipped': 'steps',
  'scope-choice-skipped': 'steps',
  'second-factor-none': 'steps',
  'scope-unticked-narrowed': 'steps',
  'disclaimers-agreed': 'steps',
  'context-chosen': 'steps',
  'consent-remembered': 'steps',
  'account-other-tenant': 'steps',
  'disclaimers-declined': 'steps',
  'token-refused': 'client-authentication',
  'grant-ended': 'token',
  'access-had-ended': 'end',
  'gateway-token-elsewhere': 'gateway',
  // No entry has it: it is found when the launch is read, from the page that was shown.
  'endpoint-method': 'endpoint',
  'endpoint-refused': 'endpoint',
  'endpoint-token-missing': 'endpoint',
  'introspection-not-permitted': 'endpoint',
  'revocation-of-other-client': 'endpoint',
  'sign-out-hint-unreadable': 'endpoint',
  'sign-out-hint-foreign': 'endpoint',
  'sign-out-hint-of-unknown': 'endpoint',
  'sign-out-hint-type': 'endpoint',
  'sign-out-hint-changed': 'endpoint',
  'sign-out-client-differs': 'endpoint',
  'sign-out-address': 'endpoint',
  'sign-out-addresses-none': 'endpoint',
  'sign-out-client-missing': 'endpoint',
  'gateway-openid-missing': 'endpoint',
  'page-unopened': null,
  'person-gone': null,
};

/** Parameters, members and headers whose values are secrets or a person's. */
const secretNames = new Set([
  ...['code', 'code_verifier', 'refresh_token', 'access_token', 'id_token', 'token', 'id_token_hint'],
  ...['client_secret', 'client_assertion', 'request', 'request_uri', 'state', 'nonce', 'login_hint'],
  ...['password', 'verificationCode', 'sharedKey', 'recoveryCodes', 'launch', 'launchContextIdentifier'],
]);
/** Shorter values are in other words, too. */
const shortest = 6;

/** The secrets of all requests and answers of a test file. */
export class SentSecrets {
  private readonly values = new Set<string>();

  /** Listens to all agents until the end of the file. */
  static collect(): SentSecrets {
    const secrets = new SentSecrets();
    const { send } = Agent.prototype;
    mock.method(Agent.prototype, 'send', async function (this: Agent, path: string, options: RequestOptions = {}) {
      secrets.readRequest(path, options);
      const answer = await send.call(this, path, options);
      for (const value of this.cookies.values()) secrets.add(value);
      secrets.readAnswer(answer);
      return answer;
    });
    return secrets;
  }

  /** Expects that the subject's causes were recorded, and that no entry of any cause has a secret. */
  async expectNoneRecorded(portal: TestPortal, subject: Subject): Promise<void> {
    await allWritten(portal);
    const rows = await portal.query<{ client_id: string | null; entries: Record<string, { detail: object }> }>(
      'SELECT client_id, entries FROM launch',
    );
    const codes = new Set(rows.flatMap(({ entries }) => Object.keys(entries).map((key) => key.split('\n', 1)[0])));
    const own = Object.entries(madeBy).flatMap(([code, by]) => (by === subject ? [code] : []));
    expect(own.filter((code) => !codes.has(code))).toEqual([]);
    const text = rows
      .flatMap(({ client_id, entries }) => [
        client_id ?? '',
        ...Object.entries(entries).flatMap(([key, { detail }]) => [key, ...Object.values(detail).map(String)]),
      ])
      .join('\n');
    expect(this.values.size).toBeGreaterThan(20);
    expect(this.foundIn(text)).toEqual([]);
  }

  foundIn(text: string): string[] {
    return [...this.values].filter((value) => text.includes(value));
  }

  private readRequest(path: string, { headers = {}, body, form }: RequestOptions): void {
    const [address = '', query = ''] = path.split('?', 2);
    const parameters = new URLSearchParams(query);
    if (address.includes('/fhir')) for (const [, value] of parameters) this.add(value);
    this.readMembers(Object.fromEntries(parameters));
    this.readMembers(form ?? (typeof body === 'object' && body !== null ? body : {}));
    const { authorization = '', dpop = '' } = headers;
    const [scheme, credentials = ''] = authorization.split(' ', 2);
    this.add(credentials);
    if (scheme === 'Basic') this.add(Buffer.from(credentials, 'base64').toString().split(':').slice(1).join(':'));
    this.add(dpop);
  }

  private readAnswer({ text, location }: Answer): void {
    if (location !== undefined) this.readMembers(Object.fromEntries(new URL(location).searchParams));
    if (text.startsWith('{')) this.readMembers(JSON.parse(text));
  }

  private readMembers(members: object): void {
    for (const [name, value] of Object.entries(members)) {
      if (secretNames.has(name)) for (const one of [value].flat()) this.add(one);
    }
  }

  private add(value: unknown): void {
    // The state of a trial has the name of the `state` of a request.
    if (typeof value !== 'string' || value.length < shortest || value === 'expired') return;
    this.values.add(value);
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) {
      try {
        this.add(decodeJwt(value).jti);
      } catch {
        // A value that only looks like a JWT.
      }
    }
  }
}
